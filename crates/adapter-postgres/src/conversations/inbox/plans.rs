//! How PostgreSQL runs the lists when a workspace is large and others lie beside it.

use std::fmt::Display;

use domain::conversations::inbox::View;
use tokio_postgres::Client;

use super::statement::{ALL, COUNTS, OF_GROUP, OF_HOLDER, UNASSIGNED, page};
use crate::{
    explained::{Scan, scans},
    seeded::{id, seeded_by},
    testing::Database,
};

/// A workspace of 20,000 conversations beside 400 small ones; two of three are closed, every tenth is open and every
/// hundredth of those is held, every 40th is over Instagram. Every conversation is tagged `all`, every 50th `vip`, and every
/// 100th is with somebody called `bo`.
const SEED: &str = "
    CREATE FUNCTION id(kind int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid $$;
    CREATE TABLE conversation AS
        SELECT n, CASE WHEN n <= 20000 THEN 0 ELSE n % 400 + 1 END AS workspace,
               '2026-11-21 10:00Z'::timestamptz + (n / 3) * interval '1 second' AS at,
               CASE WHEN n % 10 = 0 THEN 'open' WHEN n % 3 = 0 THEN 'bot' ELSE 'closed' END AS status,
               CASE WHEN n % 100 = 0 THEN 'kim bo' ELSE 'kim' END AS name
        FROM generate_series(1, 24000) n;
    INSERT INTO workspaces SELECT id(1, n), 'w', 'ar', 'IQ', NULL, false, now() FROM generate_series(0, 400) n;
    INSERT INTO accounts SELECT workspace_id, id(2, 0), 'a', '', now(), NULL, now() FROM workspaces;
    INSERT INTO channels
        SELECT workspace_id, id(3, 0), 'whatsapp', id(2, 0), 'n', NULL, false, now(), 0, NULL FROM workspaces;
    INSERT INTO groups SELECT id(1, n / 10), id(4, n), 'group', now() FROM generate_series(0, 4009) n;
    INSERT INTO members SELECT workspace_id, id(8, 0), 'o@o.example', 'owner', now() FROM workspaces;
    INSERT INTO contacts (workspace_id, id, name, source, created_at, searchable)
        SELECT id(1, workspace), id(5, n), name, 'messaged', at, name || chr(10) FROM conversation;
    INSERT INTO contact_part_counts
        SELECT workspace_id, part, 0, count(*) FROM contacts, unnest(short_parts(searchable)) part
        GROUP BY workspace_id, part;
    INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, assigned_to, group_id,
                               last_message_at, created_at)
        SELECT id(1, workspace), id(6, n), id(5, n), id(3, 0),
               CASE WHEN n % 40 = 0 THEN 'instagram' WHEN n % 7 = 0 THEN 'messenger' ELSE 'whatsapp' END, status,
               CASE WHEN n % 100 = 0 THEN id(8, 0) END,
               CASE WHEN n % 20 < 10 THEN id(4, workspace * 10 + n % 10) END, at, at FROM conversation;
    INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
        SELECT id(1, workspace), id(7, n), id(6, n), 'customer', 'text', at FROM conversation;
    INSERT INTO conversation_tags SELECT id(1, workspace), id(6, n), 'All', 'all' FROM conversation;
    INSERT INTO conversation_tags SELECT id(1, workspace), id(6, n), 'Vip', 'vip' FROM conversation WHERE n % 50 = 0";

/// The rows of a page and the one that tells of the next.
const ROWS: u32 = 51;
/// What a walk is limited to here.
const WALKED: u32 = 500;

async fn seeded() -> (Database, Client) {
    seeded_by(SEED).await
}

/// The plan that a connection keeps reads no table from end to end; one for just these values may begin to, where it
/// knows that it ends soon.
fn assert_cheap(scans: &[Scan], rows: u32, what: &str) {
    for scan in scans {
        assert!(scan.rows <= rows.into() && !scan.kind.contains("Seq"), "{what}: {scan:?}");
    }
    assert!(!scans.is_empty(), "{what}");
}

fn views() -> [View; 4] {
    [View::All, View::Unassigned, View::Mine(id(8, 0).into()), View::Group(id(4, 3).into())]
}

fn literal(value: Option<impl Display>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| format!("'{value}'"))
}

const TYPES: &str =
    "uuid, timestamptz, uuid, bigint, text, text, text, text[], text[], text, bigint, bigint, uuid,
                     integer";

/// The values of a page. The tag, and the part that is searched for.
fn values(
    view: View,
    place: &str,
    (status, channel): (Option<&str>, Option<&str>),
    (tag, part): (Option<&str>, Option<&str>),
    few: u32,
) -> String {
    let of = match view {
        View::Mine(member) => Some(member.uuid()),
        View::Group(group) => Some(group.uuid()),
        View::Unassigned | View::All => None,
    };
    let (patterns, parts) = match part {
        Some(part) => (format!("'{{%{part}%}}'"), format!("'{{{part}}}'")),
        None => ("NULL".to_owned(), "NULL".to_owned()),
    };
    let counted = literal(part.filter(|part| part.len() <= 2));
    let walked = if tag.is_some() || part.is_some() { WALKED } else { ROWS };
    format!(
        "'{}', {place}, {ROWS}, {}, {}, {}, {patterns}, {parts}, {counted}, {few}, {walked}, {}, 200",
        id(1, 0),
        literal(status),
        literal(channel),
        literal(tag),
        literal(of)
    )
}

fn places() -> [String; 2] {
    ["NULL, NULL".to_owned(), format!("'2026-11-21 10:20Z', '{}'", id(6, 3_600))]
}

#[tokio::test]
async fn a_page_reads_its_own_rows_only_whatever_its_filter_and_depth() {
    assert_eq!(views().map(page), [ALL, UNASSIGNED, OF_HOLDER, OF_GROUP]);
    let (_database, client) = seeded().await;
    for view in views() {
        for place in places() {
            for status in [None, Some("bot"), Some("open"), Some("closed")] {
                for channel in [None, Some("whatsapp"), Some("instagram")] {
                    let values = values(view, &place, (status, channel), (None, None), 400);
                    let scans = scans(&client, page(view), TYPES, &values).await;
                    // Each conversation has up to two tags.
                    assert_cheap(&scans, 2 * ROWS, &format!("{view:?} {values}"));
                }
            }
        }
    }
}

#[tokio::test]
async fn few_that_a_tag_or_a_search_finds_are_collected_by_their_keys() {
    let (_database, client) = seeded().await;
    for view in views() {
        for place in places() {
            for narrow in
                [(Some("vip"), None), (None, Some("bo")), (Some("vip"), Some("bo")), (Some("none"), None)]
            {
                let values = values(view, &place, (None, None), narrow, 400);
                let scans = scans(&client, page(view), TYPES, &values).await;
                assert_cheap(&scans, 401, &format!("{view:?} {values}"));
            }
        }
    }
}

/// Everything is tagged `all`, and everybody is called `kim`.
#[tokio::test]
async fn where_very_many_are_found_so_many_of_the_newest_are_looked_at() {
    let (_database, client) = seeded().await;
    for view in views() {
        for place in places() {
            for narrow in [(Some("all"), None), (None, Some("ki")), (Some("vip"), Some("ki"))] {
                let values = values(view, &place, (None, None), narrow, 10);
                let scans = scans(&client, page(view), TYPES, &values).await;
                assert_cheap(&scans, WALKED, &format!("{view:?} {values}"));
            }
        }
    }
}

#[tokio::test]
async fn counting_stops_at_what_is_counted() {
    let (_database, client) = seeded().await;
    let values = format!("'{}', '{}', 100", id(1, 0), id(8, 0));
    // Each group is counted for itself: ten of them.
    assert_cheap(&scans(&client, COUNTS, "uuid, uuid, bigint", &values).await, 1_200, "counts");
}
