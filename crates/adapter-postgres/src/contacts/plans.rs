//! How PostgreSQL runs the statements when a workspace is large and others lie beside it.

use domain::contacts::Search;
use tokio_postgres::Client;

use super::{
    import::{ADD_UNKNOWN, FIND_ALL_BY_PHONE},
    list::{ALL, OF_PHONE, OF_SEARCH, counted, pattern},
    signals::{SIGNALLED, SIGNALS},
    store::{ADD, FIND, FIND_BY_PHONE, NAME},
    unnamed::{ASKED, CLAIM, WITH_STRANGERS},
};
use crate::{
    explained::{Scan, scans},
    seeded::{id, seeded_by},
    testing::Database,
};

/// A workspace of 20,000 people, each with a conversation and every tenth with a tag, beside 400 small workspaces. All of
/// the large one are called `kim`, every hundredth `kim bo`.
const SEED: &str = "
    CREATE FUNCTION id(kind int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid $$;
    CREATE TABLE workspace AS SELECT n FROM generate_series(0, 400) n;
    CREATE TABLE person AS
        SELECT n, CASE WHEN n <= 20000 THEN 0 ELSE n % 400 + 1 END AS workspace,
               CASE WHEN n % 100 = 0 THEN 'kim bo' ELSE 'kim' END AS name, 9647700000000 + n AS number
        FROM generate_series(1, 24000) n;
    INSERT INTO workspaces SELECT id(1, n), 'w', 'ar', 'IQ', NULL, false, now() FROM workspace;
    INSERT INTO accounts SELECT id(1, n), id(2, n), 'a', '', now(), NULL, now() FROM workspace;
    INSERT INTO channels
        SELECT id(1, n), id(3, n), 'whatsapp', id(2, n), 'n', NULL, false, now(), 0, NULL FROM workspace;
    INSERT INTO contacts (workspace_id, id, name, phone, source, created_at, searchable)
        SELECT id(1, workspace), id(5, n), name, '+' || number, 'messaged',
               '2026-11-21 10:00Z'::timestamptz + (n / 3) * interval '1 second', name || chr(10) || number
        FROM person;
    INSERT INTO contact_counts SELECT workspace_id, 0, count(*) FROM contacts GROUP BY workspace_id;
    INSERT INTO contact_part_counts
        SELECT workspace_id, part, 0, count(*) FROM contacts, unnest(short_parts(searchable)) part
        GROUP BY workspace_id, part;
    INSERT INTO conversations
        (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
        SELECT id(1, workspace), id(6, n), id(5, n), id(3, workspace), 'whatsapp', 'bot', now(), now()
        FROM person;
    INSERT INTO conversation_tags SELECT id(1, workspace), id(6, n), 'vip' FROM person WHERE n % 10 = 0";

/// The rows of a page and the one that tells of the next.
const ROWS: u8 = 51;
const FROM_THE_START: &str = "NULL, NULL";
const FAR_IN: &str = "'2026-11-21 10:10Z', '00000005-0000-7000-8000-000000000708'";

async fn seeded() -> (Database, Client) {
    seeded_by(SEED).await
}

/// No table is read from end to end, and of none are more rows looked at.
fn assert_cheap(scans: &[Scan], most: u32, what: &str) {
    for scan in scans {
        // What was planned and did not run has looked at nothing.
        assert!(!scan.kind.contains("Seq") || scan.rows == 0.0, "{what}: {scan:?}");
        assert!(scan.rows <= most.into(), "{what}: {scan:?}");
    }
    assert!(!scans.is_empty(), "{what}");
}

#[tokio::test]
async fn a_page_of_everybody_reads_its_own_rows_only_at_any_depth() {
    let (_database, client) = seeded().await;
    for place in [FROM_THE_START, FAR_IN] {
        for workspace in [0, 7] {
            let values = format!("'{}', {place}, {ROWS}", id(1, workspace));
            let scans = scans(&client, ALL, "uuid, timestamptz, uuid, bigint", &values).await;
            assert_cheap(&scans, ROWS.into(), &values);
        }
    }
}

#[tokio::test]
async fn a_contact_is_found_by_key_and_by_number() {
    let (_database, client) = seeded().await;
    let values = format!("'{}', '{}'", id(1, 0), id(5, 12_345));
    assert_cheap(&scans(&client, FIND, "uuid, uuid", &values).await, 1, "by key");
    let values = format!("'{}', '+9647700012345'", id(1, 0));
    assert_cheap(&scans(&client, FIND_BY_PHONE, "uuid, text", &values).await, 1, "by number");
    for patterns in ["NULL", "'{%kim%}'"] {
        let values = format!("'{}', NULL, NULL, {ROWS}, '+9647700012345', {patterns}", id(1, 0));
        let types = "uuid, timestamptz, uuid, bigint, text, text[]";
        assert_cheap(&scans(&client, OF_PHONE, types, &values).await, 1, &values);
    }
}

/// Rows of contacts are looked at: as many as match, or those that a walk passes.
#[tokio::test]
async fn a_search_reads_what_it_finds_or_walks_from_the_newest() {
    let (_database, client) = seeded().await;
    for (text, workspace, most) in [
        ("bo", 0, 200),
        ("bo", 7, 200),
        ("kim bo", 0, 200),
        ("0770 001 2345", 0, 10),
        ("qz", 0, 0),
        ("nobody", 0, 0),
        ("ki", 7, 60),
        ("kim", 7, 60),
        ("k", 0, u32::from(ROWS)),
        ("ki", 0, u32::from(ROWS)),
    ] {
        for place in [FROM_THE_START, FAR_IN] {
            let values = search_values(text, workspace, place);
            let scans = scans(&client, OF_SEARCH, SEARCH_TYPES, &values).await;
            assert_cheap(&scans, most.max(ROWS.into()), text);
        }
    }
    // Counting what thousands match takes looking at them, by the index.
    for text in ["kim", "0770"] {
        let values = search_values(text, 0, FROM_THE_START);
        assert_cheap(&scans(&client, OF_SEARCH, SEARCH_TYPES, &values).await, 20_000, text);
    }
}

const SEARCH_TYPES: &str = "uuid, timestamptz, uuid, bigint, text[], text[], text, bigint";

fn search_values(text: &str, workspace: u128, place: &str) -> String {
    let search = Search::read(text, domain::testing::a_region()).unwrap().unwrap();
    let parts = search.parts();
    let array = |items: Vec<String>| format!("ARRAY['{}']", items.join("', '"));
    let patterns = array(parts.iter().map(|part| pattern(part)).collect());
    let counted = counted(parts).map_or("NULL".to_owned(), |part| format!("'{part}'"));
    format!("'{}', {place}, {ROWS}, {patterns}, {}, {counted}, 4000", id(1, workspace), array(parts.to_vec()))
}

#[tokio::test]
async fn adding_and_naming_find_what_they_change_by_its_key() {
    let (_database, client) = seeded().await;
    let values = format!("'{}', '{}', 'Kim', '+9647701', 'import', now(), 'kim'", id(1, 0), id(9, 1));
    let types = "uuid, uuid, text, text, text, timestamptz, text";
    let added = scans(&client, ADD, types, &values).await;
    assert!(added.iter().all(|scan| !scan.kind.contains("Seq")), "{added:?}");
    let values =
        format!("'{}', '{}', '+9647700012345', true, 'kim', 'Omar', 'omar'", id(1, 0), id(5, 12_345));
    let types = "uuid, uuid, text, boolean, text, text, text";
    assert_cheap(&scans(&client, NAME, types, &values).await, 60, "naming");
}

/// Everybody has told the network something.
#[tokio::test]
async fn what_somebody_signals_is_kept_and_found_by_the_person() {
    let (_database, client) = seeded().await;
    let signals = "
        INSERT INTO contact_signals
            SELECT id(1, workspace), id(5, n), id(3, workspace), 'marketing', '{}', '2026-11-21 10:00Z' FROM person;
        ANALYZE contact_signals";
    client.batch_execute(signals).await.unwrap();
    let person = format!("'{}', '{}'", id(1, 0), id(5, 12_345));
    assert_cheap(&scans(&client, SIGNALS, "uuid, uuid", &person).await, 1, "found");
    let values = format!("{person}, '{}', 'marketing', '{{}}', '2026-11-21 20:00Z'", id(3, 0));
    let kept = scans(&client, SIGNALLED, "uuid, uuid, uuid, text, jsonb, timestamptz", &values).await;
    assert_cheap(&kept, 1, "kept");
}

/// All 20,000 are to be asked about.
#[tokio::test]
async fn who_is_to_be_asked_about_is_found_without_reading_those_behind() {
    let (_database, client) = seeded().await;
    let strangers = "
        INSERT INTO identities (workspace_id, kind, value, contact_id, recorded_at, profile_due_at)
            SELECT id(1, workspace), 'whatsapp_user', n::text, id(5, n), now(), '2026-11-21 10:00Z' FROM person;
        ANALYZE identities";
    client.batch_execute(strangers).await.unwrap();
    let at = "'2026-11-21 20:00Z'";
    let values = format!("'{}', {at}, '2026-11-21 20:05Z', 10", id(1, 0));
    let scanned = scans(&client, CLAIM, "uuid, timestamptz, timestamptz, bigint", &values).await;
    assert_cheap(&scanned, 40, "claiming");
    let values = format!("'{}', 'whatsapp_user', '12345', {at}", id(1, 0));
    assert_cheap(&scans(&client, ASKED, "uuid, text, text, timestamptz", &values).await, 1, "asked");
    let workspaces = scans(&client, WITH_STRANGERS, "timestamptz", at).await;
    let of_people = |scan: &&Scan| scan.kind.ends_with("of identities");
    for scan in workspaces.iter().filter(of_people) {
        assert!(!scan.kind.contains("Seq") && scan.rows <= 401.0, "{scan:?}");
    }
}

#[tokio::test]
async fn many_are_added_and_found_by_their_numbers() {
    let (_database, client) = seeded().await;
    // Every other one is known.
    let array_of = |count: u64, of: &dyn Fn(u64) -> String, kind: &str| {
        let values: Vec<String> = (1..=count).map(|n| format!("'{}'", of(n))).collect();
        format!("ARRAY[{}]::{kind}[]", values.join(", "))
    };
    let array = |of: &dyn Fn(u64) -> String, kind: &str| array_of(500, of, kind);
    let word = |word: &'static str| move |_: u64| word.to_owned();
    let phone = |n: u64| format!("+{}", 9_647_700_000_000 + n + n % 2 * 1_000_000);
    let columns = [
        array(&|n| id(9, n.into()).to_string(), "uuid"),
        array(&word("Kim"), "text"),
        array(&phone, "text"),
        array(&word("import"), "text"),
        array(&word("2026-11-21 20:00Z"), "timestamptz"),
        array(&word("kim"), "text"),
    ];
    let values = format!("'{}', {}", id(1, 0), columns.join(", "));
    let types = "uuid, uuid[], text[], text[], text[], timestamptz[], text[]";
    let added = scans(&client, ADD_UNKNOWN, types, &values).await;
    assert!(added.iter().all(|scan| !scan.kind.contains("Seq")), "{added:?}");
    let values = format!("'{}', {}", id(1, 0), array_of(20, &phone, "text"));
    assert_cheap(&scans(&client, FIND_ALL_BY_PHONE, "uuid, text[]", &values).await, 20, "by numbers");
}
