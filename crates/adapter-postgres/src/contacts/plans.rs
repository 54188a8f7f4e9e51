//! How PostgreSQL runs the statements when a workspace is large and others lie beside it.

use domain::{
    channels::ChannelKind,
    contacts::{
        Contact, ContactFilter, ContactName, ContactSignal, ContactSource, Identity, Search,
        directory::DirectoryFilter,
        ports::{ContactDirectory, ContactStore, Naming, UnnamedContacts},
    },
    ids::WorkspaceId,
    paging::{PageRequest, Position},
    phone::PhoneNumber,
    tag::Tag,
};
use time::{Duration, OffsetDateTime, macros::datetime};

use super::{
    directory::{DIRECTORY, NEWEST},
    list::SEARCH,
};
use crate::{
    explained::{ExplainedStore, Plan, Scan},
    seeded::{id, seeded_by},
    sql::positional,
    testing::TestDatabase,
};

const NEWEST_MARK: &str = "{newest}";
/// A workspace of 20,000 people, each with a conversation and every tenth with a tag, beside 400 small
/// workspaces. All people of the large one are called `kim`, every hundredth `kim bo`.
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

const ROWS: u32 = 51;

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

const DUE: &str = "2026-11-21 10:00Z";

async fn seeded_with(more: &str) -> (TestDatabase, ExplainedStore) {
    let (database, client) = seeded_by(SEED).await;
    client.batch_execute(more).await.unwrap();
    let explained = ExplainedStore::over(&database);
    (database, explained)
}

fn workspace(number: u128) -> WorkspaceId {
    id(1, number).into()
}

fn pages() -> [PageRequest; 2] {
    let far_in = Position { at: datetime!(2026-11-21 10:10 UTC), id: id(5, 1_800) };
    [None, Some(far_in)].map(|after| PageRequest { after, ..PageRequest::default() })
}

fn number(number: u64) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+{}", 9_647_700_000_000 + number)).unwrap()
}

fn person(number: u32, phone: PhoneNumber) -> Contact {
    Contact {
        id: id(9, number.into()).into(),
        name: Some("Kim".to_owned()),
        phone: Some(phone),
        source: ContactSource::Import,
        created_at: NOW,
    }
}

fn search(text: &str) -> Search {
    Search::read(text, domain::testing::a_region()).unwrap().unwrap()
}

/// Asserts that the statements since the last look scanned no table, and read at most `most` rows of each.
async fn assert_ran_cheaply(explained: &ExplainedStore, most: u32, what: &str) {
    assert_cheap(&explained.ran().await, most, what);
}

fn assert_cheap(plans: &[Plan], most: u32, what: &str) {
    for Plan { statement, scans } in plans {
        for scan in scans {
            // A planned part that did not run has read nothing.
            assert!(!scan.kind.contains("Seq") || scan.rows == 0.0, "{what}: {scan:?} of {statement}");
            assert!(scan.rows <= most.into(), "{what}: {scan:?} of {statement}");
        }
    }
    assert!(plans.iter().any(|plan| !plan.scans.is_empty()), "{what}");
}

#[tokio::test]
async fn a_page_of_everybody_reads_its_own_rows_only_at_any_depth() {
    let (_database, explained) = seeded_with("").await;
    for page in pages() {
        for number in [0, 7] {
            let filter = ContactFilter::default();
            let found = explained.stores.contacts.list(workspace(number), &filter, page).await.unwrap();
            assert_eq!(found.total, if number == 0 { 20_000 } else { 10 });
            assert_ran_cheaply(&explained, ROWS, &format!("{number} {page:?}")).await;
        }
    }
}

#[tokio::test]
async fn a_contact_is_found_by_key_and_by_number() {
    let (_database, explained) = seeded_with("").await;
    let by_key = explained.stores.contacts.find(workspace(0), id(5, 12_345).into()).await.unwrap();
    let by_number = explained.stores.contacts.find_by_phone(workspace(0), &number(12_345)).await.unwrap();
    assert!(by_key.is_some() && by_key == by_number);
    assert_ran_cheaply(&explained, 1, "one").await;
    for (search, total) in [(None, 1), (Some(search("kim")), 1), (Some(search("ali")), 0)] {
        let filter = ContactFilter { phone: Some(number(12_345)), search };
        let found = explained.stores.contacts.list(workspace(0), &filter, pages()[0]).await.unwrap();
        assert_eq!((found.total, found.rows.len()), (total, usize::try_from(total).unwrap()));
        assert_ran_cheaply(&explained, 1, "a page of one").await;
    }
}

/// Rows read are the matches, or those that the walk passes.
#[tokio::test]
async fn a_search_reads_what_it_finds_or_walks_from_the_newest() {
    let (_database, explained) = seeded_with("").await;
    let many = [("kim", 0, 20_000), ("0770", 0, 20_000)];
    for (text, number, most) in [
        ("bo", 0, 200),
        ("bo", 7, 200),
        ("kim bo", 0, 200),
        ("0770 001 2345", 0, 10),
        ("qz", 0, 0),
        ("nobody", 0, 0),
        ("ki", 7, 60),
        ("kim", 7, 60),
        ("k", 0, ROWS),
        ("ki", 0, ROWS),
    ]
    .into_iter()
    // Counting thousands of matches reads them, by the index.
    .chain(many)
    {
        for page in pages() {
            let filter = ContactFilter { phone: None, search: Some(search(text)) };
            explained.stores.contacts.list(workspace(number), &filter, page).await.unwrap();
            let plans = explained.ran().await;
            let begins = positional(SEARCH.split("{matching}").next().unwrap());
            assert!(plans.iter().any(|plan| plan.statement.starts_with(&begins)), "{plans:?}");
            assert_cheap(&plans, most.max(ROWS), text);
        }
    }
}

/// Whether everybody passes, few do, or the walk ends at its limit: nobody beyond is read.
#[tokio::test]
async fn a_page_of_the_directory_reads_few_people_or_walks_so_many() {
    let rare = "
        INSERT INTO conversation_tags (workspace_id, conversation_id, tag, folded)
            SELECT id(1, workspace), id(6, n), 'rare', 'rare' FROM person WHERE n % 1000 = 0;
        UPDATE conversation_tags SET folded = tag WHERE folded IS NULL;
        ANALYZE conversation_tags";
    let (_database, explained) = seeded_with(rare).await;
    let all = DirectoryFilter::default;
    let tag = |tag: &str| Some(Tag::read(tag).unwrap());
    // Of each table, 5,000 that are walked or 4,000 that are collected, and one more that tells of others.
    for (filter, most) in [
        (all(), ROWS),
        (DirectoryFilter { tag: tag("rare"), ..all() }, 100),
        (DirectoryFilter { search: Some(search("bo")), ..all() }, 700),
        (DirectoryFilter { search: Some(search("bo")), tag: tag("vip"), ..all() }, 700),
        // The index is read to its end, but no row of those found.
        (DirectoryFilter { search: Some(search("kim")), ..all() }, 20_000),
        (DirectoryFilter { tag: tag("vip"), ..all() }, 5_100),
        (DirectoryFilter { since: Some(datetime!(2026-11-21 10:00 UTC)), ..all() }, 5_100),
        (DirectoryFilter { until: Some(datetime!(2026-11-21 10:00 UTC)), ..all() }, 5_100),
        (DirectoryFilter { channel: Some(ChannelKind::Whatsapp), ..all() }, 5_100),
    ] {
        for page in pages() {
            let found =
                explained.stores.contacts.directory(workspace(0), &filter, 50, page.after).await.unwrap();
            assert!(found.rows.len() <= 51, "{filter:?}");
            let plans = explained.ran().await;
            let begins = positional(DIRECTORY.split("{matching}").next().unwrap());
            let whole = |plan: &Plan| plan.statement.starts_with(&begins);
            assert!(
                plans.iter().any(whole) && DIRECTORY.contains(NEWEST_MARK) && NEWEST.contains("max"),
                "{plans:?}"
            );
            assert_cheap(&plans, most, &format!("{filter:?}"));
        }
    }
}

#[tokio::test]
async fn adding_and_naming_find_what_they_change_by_its_key() {
    let (_database, explained) = seeded_with("").await;
    let phone = PhoneNumber::from_e164("+9647801234567").unwrap();
    assert!(explained.stores.contacts.add(workspace(0), &person(1, phone), None).await.unwrap());
    assert_ran_cheaply(&explained, 60, "adding").await;
    let mut contact = person(1, number(12_345));
    contact.id = id(5, 12_345).into();
    contact.name = Some("kim".to_owned());
    let name = ContactName::read("Omar").unwrap();
    let naming = Naming { contact, name, only_if_unchanged: true, entry: None };
    assert!(explained.stores.contacts.name(workspace(0), &naming).await.unwrap());
    assert_ran_cheaply(&explained, 60, "naming").await;
}

/// Every person has sent a signal.
#[tokio::test]
async fn what_somebody_signals_is_kept_and_found_by_the_person() {
    let signals = "
        INSERT INTO contact_signals
            SELECT id(1, workspace), id(5, n), id(3, workspace), 'marketing', '{\"kind\": \"marketing\", \"stopped\": true}',
                   '2026-11-21 10:00Z' FROM person;
        ANALYZE contact_signals";
    let (_database, explained) = seeded_with(signals).await;
    explained.stores.contacts.signals(workspace(0), id(5, 12_345).into()).await.ok();
    assert_ran_cheaply(&explained, 1, "found").await;
    let signal = ContactSignal::Marketing { stopped: false };
    let (person, channel) = (id(5, 12_345).into(), id(3, 0).into());
    explained.stores.database.keep_signal(workspace(0), person, channel, &signal, NOW).await.unwrap();
    assert_ran_cheaply(&explained, 1, "kept").await;
}

/// All 20,000 are due.
#[tokio::test]
async fn who_is_to_be_asked_about_is_found_without_reading_those_behind() {
    let unnamed_contacts = format!(
        "INSERT INTO identities (workspace_id, kind, value, contact_id, recorded_at, profile_due_at)
            SELECT id(1, workspace), 'whatsapp_user', n::text, id(5, n), now(), '{DUE}' FROM person;
        ANALYZE identities"
    );
    let (_database, explained) = seeded_with(&unnamed_contacts).await;
    let lease = NOW + Duration::minutes(5);
    let claimed = explained.stores.contacts.claim_unnamed(workspace(0), NOW, lease, 10).await.unwrap();
    // The seeded tokens cannot be opened.
    assert!(claimed.is_empty());
    let plans = explained.ran().await;
    let taken = |scan: &Scan| scan.kind.ends_with("of identities") && (9.5..10.5).contains(&scan.rows);
    assert!(plans.iter().flat_map(|plan| &plan.scans).any(taken), "{plans:?}");
    assert_cheap(&plans, 40, "claiming");
    let person = Identity::read("whatsapp_user", "12345").unwrap();
    explained.stores.contacts.asked(workspace(0), &person, Some(NOW)).await.unwrap();
    assert_ran_cheaply(&explained, 1, "asked").await;
    assert_eq!(explained.stores.contacts.workspaces_with_unnamed(NOW).await.unwrap().len(), 401);
    for plan in explained.ran().await {
        for scan in plan.scans.iter().filter(|scan| scan.kind.ends_with("of identities")) {
            assert!(!scan.kind.contains("Seq") && scan.rows <= 401.0, "{scan:?}");
        }
    }
}

#[tokio::test]
async fn many_are_added_and_found_by_their_numbers() {
    let (_database, explained) = seeded_with("").await;
    // Every other number is known.
    let phone = |n: u32| number((n + n % 2 * 1_000_000).into());
    let people: Vec<Contact> = (1..=500).map(|n| person(n, phone(n))).collect();
    let added = explained.stores.contacts.add_unknown(workspace(0), &people).await.unwrap();
    assert_eq!(added.len(), 250);
    let plans = explained.ran().await;
    let scans: Vec<_> = plans.iter().flat_map(|plan| &plan.scans).collect();
    assert!(!scans.is_empty() && scans.iter().all(|scan| !scan.kind.contains("Seq")), "{scans:?}");
    let phones: Vec<PhoneNumber> = (1..=20).map(phone).collect();
    assert_eq!(explained.stores.contacts.find_all_by_phone(workspace(0), &phones).await.unwrap().len(), 20);
    assert_ran_cheaply(&explained, 20, "by numbers").await;
}
