//! How PostgreSQL runs the lists when a workspace is large and others lie beside it.

use std::fmt::Display;

use domain::{
    channels::ChannelKind,
    conversation::ConversationStatus,
    conversations::{
        inbox::{InboxOrder, MOST_UNREAD, View},
        ports::InboxLists,
    },
};
use tokio_postgres::Client;
use uuid::Uuid;

use super::statement::{COUNTS, PAGE, ROWS as SHOWN, STREAM, WAITING, page};
use crate::{
    explained::{ExplainedStore, Scan, scans},
    seeded::{assert_ran_cheaply, id, seeded_by},
    sql::{Topology, positional},
    testing::TestDatabase,
};

/// A workspace of 20,000 conversations beside 400 small ones. Two of three are closed, every tenth is open,
/// and every hundredth of those is assigned. Every 40th is over Instagram, and every seventh of the others
/// over any network other than WhatsApp (`NETWORKS`). Every conversation is tagged `all`, every 50th `vip`,
/// and every 100th is with a person called `bo`. Customers of open conversations wait.
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
                               last_message_at, created_at, waiting_since)
        SELECT id(1, workspace), id(6, n), id(5, n), id(3, 0),
               CASE WHEN n % 40 = 0 THEN 'instagram' WHEN n % 7 = 0 THEN (ARRAY[NETWORKS])[1 + n % cardinality(ARRAY[NETWORKS])]
               ELSE 'whatsapp' END, status,
               CASE WHEN n % 100 = 0 THEN id(8, 0) END,
               CASE WHEN n % 20 < 10 THEN id(4, workspace * 10 + n % 10) END, at, at,
               CASE WHEN status = 'open' THEN at END FROM conversation;
    INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
        SELECT id(1, workspace), id(7, n), id(6, n), 'customer', 'text', at FROM conversation;
    INSERT INTO conversation_tags SELECT id(1, workspace), id(6, n), 'All', 'all' FROM conversation;
    INSERT INTO conversation_tags SELECT id(1, workspace), id(6, n), 'Vip', 'vip' FROM conversation WHERE n % 50 = 0";

const ROWS: u32 = 51;
const WALKED: u32 = 500;

async fn seeded() -> (TestDatabase, Client) {
    let has_its_own = |network: &ChannelKind| ["whatsapp", "instagram"].contains(&network.as_str());
    let others = ChannelKind::ALL.into_iter().filter(|network| !has_its_own(network));
    let others: Vec<_> = others.map(|network| format!("'{}'", network.as_str())).collect();
    seeded_by(&SEED.replace("NETWORKS", &others.join(", "))).await
}

/// Asserts that the plan kept by a connection scans no table. A plan for these very values may start a scan
/// if it knows that it ends soon.
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

async fn page_scans(
    client: &Client,
    (view, order): (View, InboxOrder),
    place: Option<(&str, Uuid)>,
    (status, channel): (Option<&str>, Option<&str>),
    (tag, part): (Option<&str>, Option<&str>),
    few: u32,
) -> Vec<Scan> {
    let of = match view {
        View::Mine(member) => Some(member.uuid()),
        View::Group(group) => Some(group.uuid()),
        View::Unassigned | View::All => None,
    };
    let (patterns, parts) = match part {
        Some(part) => (format!("'{{%{part}%}}'"), format!("'{{{part}}}'")),
        None => ("NULL".to_owned(), "NULL".to_owned()),
    };
    let is_narrow = tag.is_some() || part.is_some() || order == InboxOrder::Waiting;
    let walked = if is_narrow { WALKED } else { ROWS };
    let values = [
        ("workspace", "uuid", literal(Some(id(1, 0)))),
        ("at", "timestamptz", literal(place.map(|(at, _)| at))),
        ("id", "uuid", literal(place.map(|(_, id)| id))),
        ("rows", "bigint", ROWS.to_string()),
        ("status", "text", literal(status)),
        ("network", "text", literal(channel)),
        ("tag", "text", literal(tag)),
        ("patterns", "text[]", patterns),
        ("parts", "text[]", parts),
        ("counted", "text", literal(part.filter(|part| part.len() <= 2))),
        ("few", "bigint", few.to_string()),
        ("walked", "bigint", walked.to_string()),
        ("of", "uuid", literal(of)),
        ("preview", "integer", "200".to_owned()),
        ("member", "uuid", literal(Some(id(8, 0)))),
        ("most_unread", "bigint", MOST_UNREAD.to_string()),
    ];
    named_scans(client, page(view, order, Topology::OneServer), values.to_vec()).await
}

async fn named_scans(client: &Client, text: &'static str, values: Vec<(&str, &str, String)>) -> Vec<Scan> {
    let mut placed: Vec<_> = values
        .into_iter()
        .filter_map(|(name, kind, value)| Some((text.find(&format!(":{name}"))?, kind, value)))
        .collect();
    placed.sort_unstable();
    let (types, values): (Vec<_>, Vec<_>) = placed.into_iter().map(|(_, kind, value)| (kind, value)).unzip();
    scans(client, &positional(text), &types.join(", "), &values.join(", ")).await
}

fn places() -> [Option<(&'static str, Uuid)>; 2] {
    [None, Some(("2026-11-21 10:20Z", id(6, 3_600)))]
}

#[test]
fn a_page_is_merged_from_a_stream_for_each_status_and_network() {
    assert!(
        page(View::All, InboxOrder::Newest, Topology::OneServer).starts_with(PAGE.split('{').next().unwrap())
    );
    let begin = STREAM.split('{').next().unwrap();
    let streams = |view| page(view, InboxOrder::Newest, Topology::OneServer).matches(begin).count();
    let (statuses, networks) = (ConversationStatus::ALL.len(), ChannelKind::ALL.len());
    assert_eq!(views().map(streams), [statuses * networks, networks, networks, statuses * networks]);
    for (view, network) in
        views().into_iter().flat_map(|view| ChannelKind::ALL.map(|network| (view, network)))
    {
        assert!(
            page(view, InboxOrder::Newest, Topology::OneServer)
                .contains(&format!("conversation.channel = '{}'", network.as_str()))
        );
    }
}

#[tokio::test]
async fn a_page_reads_its_own_rows_only_whatever_its_filter_and_depth() {
    let (_database, client) = seeded().await;
    for view in views() {
        for place in places() {
            for status in [None, Some("bot"), Some("open"), Some("closed")] {
                for channel in [None].into_iter().chain(ChannelKind::ALL.map(Some)) {
                    let asked = (status, channel.map(ChannelKind::as_str));
                    let scans =
                        page_scans(&client, (view, InboxOrder::Newest), place, asked, (None, None), 400)
                            .await;
                    // Each conversation has up to two tags.
                    assert_cheap(&scans, 2 * ROWS, &format!("{view:?} {place:?} {asked:?}"));
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
                let scans =
                    page_scans(&client, (view, InboxOrder::Newest), place, (None, None), narrow, 400).await;
                assert_cheap(&scans, 401, &format!("{view:?} {place:?} {narrow:?}"));
            }
        }
    }
}

/// Every conversation is tagged `all`, and every contact is called `kim`.
#[tokio::test]
async fn where_very_many_are_found_so_many_of_the_newest_are_looked_at() {
    let (_database, client) = seeded().await;
    for view in views() {
        for place in places() {
            for narrow in [(Some("all"), None), (None, Some("ki")), (Some("vip"), Some("ki"))] {
                let scans =
                    page_scans(&client, (view, InboxOrder::Newest), place, (None, None), narrow, 10).await;
                assert_cheap(&scans, WALKED, &format!("{view:?} {place:?} {narrow:?}"));
            }
        }
    }
}

#[tokio::test]
async fn whoever_waits_is_found_along_an_index_that_has_nobody_else_in_it() {
    let (_database, client) = seeded().await;
    let begin = WAITING.split('{').next().unwrap();
    for view in views() {
        let text = page(view, InboxOrder::Waiting, Topology::OneServer);
        assert!(text.starts_with(begin) && text.contains(SHOWN.lines().next().unwrap()));
        for place in places() {
            for narrow in [(None, None), (Some("vip"), None), (None, Some("bo"))] {
                let asked = (Some("open"), None);
                let scans = page_scans(&client, (view, InboxOrder::Waiting), place, asked, narrow, 400).await;
                assert_cheap(&scans, WALKED, &format!("{view:?} {place:?} {narrow:?}"));
            }
        }
    }
}

#[tokio::test]
async fn since_when_one_customer_waits_is_found_by_its_key() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let (workspace, conversation) = (id(1, 0).into(), id(6, 10).into());
    assert!(explained.stores.conversations.attention(workspace, conversation).await.unwrap().is_some());
    assert_ran_cheaply(&explained, 1).await;
}

#[tokio::test]
async fn counting_stops_at_what_is_counted() {
    let (_database, client) = seeded().await;
    let values = vec![
        ("workspace", "uuid", literal(Some(id(1, 0)))),
        ("member", "uuid", literal(Some(id(8, 0)))),
        ("most", "bigint", "100".to_owned()),
    ];
    // Each of the ten groups is counted by itself.
    assert_cheap(&named_scans(&client, COUNTS, values).await, 1_200, "counts");
}

#[tokio::test]
async fn what_a_member_has_seen_is_found_by_its_keys() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let (workspace, member, conversation) = (id(1, 0).into(), id(8, 0).into(), id(6, 10).into());
    let lists = &explained.stores.conversations;
    let seen = lists.see(workspace, member, conversation, id(7, 10).into(), 20).await.unwrap();
    assert!(seen.is_some());
    assert_ran_cheaply(&explained, 20).await;
}
