//! How PostgreSQL runs the statements about updates when a workspace is large and others lie beside it.

use std::{collections::BTreeSet, sync::atomic::Ordering};

use super::{append::APPEND, lookup::NAMED, seen::BEHIND};
use domain::{
    channels::{UnreadCount, ports::UnreadUpdates},
    contacts::{Contact, Identity},
    conversation::Conversation,
    conversations::Waiting,
    errors::StoreError,
    events::Event,
    ids::{JournalId, WorkspaceId},
    inbound::{
        Active, Activity, ContactMerge, ConversationChange, InboxBatch, JournalEntry, JournalItem,
        LookupKeys, Mark, MessageNames, NewMessage, SeenUpTo, SetAside, Settlement, StatusChange,
        StatusUpdate,
        ports::{InboxStore, Journal, MessageOrigins, SentMessages},
    },
    messages::{DeliveryStatus, Message, NetworkMessageId, Role},
    phone::PhoneNumber,
    sending::ports::SendLedger,
    testing::{a_contact, a_conversation, a_message, a_recipient},
};
use time::{Duration, OffsetDateTime, macros::datetime};
use tokio_postgres::Client;

use crate::{
    explained::ExplainedStore,
    seeded::{
        Explained, assert_cheap, assert_cheap_planned_over_none, assert_ran_cheaply, id, put_back, seeded,
        seeded_among_many, seeded_with, set_aside,
    },
    sql::positional,
};

const AT: &str = "'2026-11-21 20:00Z'";

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

fn workspace() -> WorkspaceId {
    id(1, 0).into()
}

fn network_id(number: u128) -> NetworkMessageId {
    NetworkMessageId::from(format!("wamid.{number}"))
}

async fn deliver_twenty(explained: &ExplainedStore, first: u128, tagged: bool) -> Result<(), StoreError> {
    let twenty = first..first + 20;
    let tag = |number| tagged.then(|| id(7, number).into());
    let names: Vec<MessageNames> = twenty
        .clone()
        .map(|number| MessageNames { tag: tag(number), network_id: network_id(number) })
        .collect();
    let found = SentMessages::find(&*explained.stores.inbound, workspace(), &names).await.unwrap();
    let change = |found: Option<domain::inbound::SentMessage>| {
        let found = found.unwrap();
        let status = StatusUpdate {
            network_id: network_id(0),
            tag: None,
            status: DeliveryStatus::Delivered,
            at: NOW,
            error: None,
        };
        StatusChange {
            id: found.entry.intent.id,
            before: found.entry.progress,
            after: found.entry.progress.advance(DeliveryStatus::Delivered, NOW).0,
            kept_error: None,
            error_code: None,
            events: vec![Event::message_status(&found, &status, &status.network_id, NOW)],
        }
    };
    let changes: Vec<StatusChange> = found.into_iter().map(change).collect();
    let updates: Vec<JournalId> = twenty.map(|number| id(8, number).into()).collect();
    explained.stores.inbound.commit(workspace(), &changes, &updates).await
}

/// Gives seeded sends and messages network ids, and their people numbers.
async fn name(client: &Client, explained: &ExplainedStore, numbers: impl Iterator<Item = u128>) {
    for number in numbers {
        let hash = |of: u128| explained.stores.database.network_id_hash(&network_id(of)).to_vec();
        let send = "UPDATE sends SET network_id_hash = $2 WHERE id = $1";
        client.execute(send, &[&id(7, number), &hash(number)]).await.unwrap();
        let message = "UPDATE messages SET network_id_hash = $2 WHERE id = $1";
        client.execute(message, &[&id(15, number), &hash(number + 100_000)]).await.unwrap();
        let contact = "UPDATE contacts SET phone = $2 WHERE id = $1";
        client.execute(contact, &[&id(5, number), &format!("+96477012{number}")]).await.unwrap();
    }
}

#[tokio::test]
async fn sent_messages_are_found_and_changed_by_their_keys() {
    let (database, client) = seeded_among_many().await;
    let explained = ExplainedStore::over(&database);
    name(&client, &explained, 12_301..12_361).await;
    deliver_twenty(&explained, 12_301, true).await.unwrap();
    deliver_twenty(&explained, 12_321, false).await.unwrap();
    assert_ran_cheaply(&explained, 40).await;
    // A tag that belongs to no send, and a network id.
    let names = MessageNames { tag: Some(id(99, 1).into()), network_id: network_id(12_345) };
    assert!(
        SentMessages::find(&*explained.stores.inbound, workspace(), &[names]).await.unwrap()[0].is_some()
    );
    assert_ran_cheaply(&explained, 40).await;

    set_aside(&client, "journal").await;
    let explained = ExplainedStore::over(&database);
    let without = deliver_twenty(&explained, 12_341, true).await;
    assert!(matches!(without, Err(StoreError::Stale)), "the journal is empty: {without:?}");
    explained.ran().await;
    put_back(&client, "journal").await;
    deliver_twenty(&explained, 12_341, true).await.unwrap();
    assert_ran_cheaply(&explained, 40).await;
}

/// All 20,000 wait in their places, but for the last thousand, which have lost them and are due; the first
/// hundred are held.
#[tokio::test]
async fn updates_are_claimed_and_finished_without_reading_those_behind() {
    let (database, client) = seeded_with(
        "UPDATE journal SET due_at = NULL WHERE place <= 19000 OR place > 20000;
         UPDATE journal SET holder = 7 WHERE place <= 20;
         INSERT INTO journal_hands SELECT id(1, n), 7 FROM workspace;
         ANALYZE journal, journal_hands",
    )
    .await;
    set_aside(&client, "journal").await;
    let planned_over_none = worked_off(ExplainedStore::over(&database), 0).await;
    // Some are claimed while the journal is nearly empty.
    client
        .batch_execute(
            "DELETE FROM journal; INSERT INTO journal SELECT * FROM journal_set_aside WHERE place IN (21, 20000)",
        )
        .await
        .unwrap();
    let planned_over_none = worked_off(planned_over_none, 2).await;
    client.batch_execute("DELETE FROM journal").await.unwrap();
    put_back(&client, "journal").await;
    planned_over_none.ran().await;
    let planned_over_none = worked_off(planned_over_none, 100).await;
    assert_ran_cheaply(&planned_over_none, 100).await;

    client
        .batch_execute("DELETE FROM journal; INSERT INTO journal TABLE journal_set_aside; ANALYZE journal")
        .await
        .unwrap();
    let planned_over_all = worked_off(ExplainedStore::over(&database), 100).await;
    assert_ran_cheaply(&planned_over_all, 100).await;

    let append: &[Explained<'_>] = &[(
        &positional(APPEND),
        "uuid, integer, uuid[], text[], bytea[], integer[], timestamptz[], bigint[], boolean[]",
        &format!(
            "'{}', 7, '{{{}}}', '{{status}}', ARRAY[''::bytea], '{{0}}', ARRAY[{AT}::timestamptz], '{{1}}', '{{true}}'",
            workspace().uuid(),
            id(99, 1)
        ),
    )];
    assert_cheap(&client, 100, append).await;
    assert_cheap_planned_over_none(&client, "journal", 100, append).await;
}

/// Runs every operation of a process on updates, of which it can claim `due`.
async fn worked_off(explained: ExplainedStore, due: usize) -> ExplainedStore {
    let stores = &explained.stores;
    stores.database.holder.store(7, Ordering::Release);
    let thirty: Vec<JournalId> = (1..=30).map(|number| id(8, number).into()).collect();
    let own = stores.inbound.in_hand(workspace(), &thirty).await.unwrap();
    assert_eq!(own.len(), if due == 100 { 20 } else { 0 });
    let claimed = stores.inbound.claim(workspace(), NOW, NOW + Duration::MINUTE, 50).await.unwrap();
    assert_eq!(claimed.unreadable.len(), due, "they are sealed as nothing");
    let settlement = Settlement { handled: thirty[..1].to_vec(), ..Settlement::default() };
    stores.inbound.settle(workspace(), &settlement).await.unwrap();
    let settlement = Settlement {
        handled: thirty[1..3].to_vec(),
        postponed: thirty[3..5].iter().map(|id| (*id, NOW)).collect(),
        set_aside: vec![SetAside { id: thirty[5], network: None, reason: "spoiled".to_owned() }],
    };
    stores.inbound.settle(workspace(), &settlement).await.unwrap();
    let item = JournalItem::TemplatesChanged { account_network_id: "waba".to_owned() };
    let id = JournalId::new(&*stores.database.ids);
    let entry = JournalEntry { id, workspace: workspace(), received_at: NOW, attempts: 0, item };
    let kept = stores.inbound.append(workspace(), &[entry], true).await.unwrap();
    assert_eq!(kept.updates.len(), 1);
    stores.inbound.let_go(workspace()).await.unwrap();
    // As the first holder, and as the next one.
    let claimed = stores.inbound.claim(workspace(), NOW, NOW + Duration::MINUTE, 1).await.unwrap();
    assert!(!claimed.elsewhere);
    explained
}

#[tokio::test]
async fn a_few_looks_for_each_workspace_tell_which_have_updates() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    explained.stores.database.holder.store(7, Ordering::Release);
    assert_eq!(explained.stores.inbound.workspaces_with_work(NOW).await.unwrap().len(), 401);
    assert_ran_cheaply(&explained, 401).await;
}

/// Everything about one message, however many people, conversations and messages there are.
#[tokio::test]
async fn recording_reads_and_changes_by_keys_only() {
    let (database, client) = seeded_among_many().await;
    let explained = ExplainedStore::over(&database);
    name(&client, &explained, 12_345..12_346).await;
    let contact = id(5, 12_345);
    client
        .execute("UPDATE contacts SET phone = $2 WHERE id = $1", &[&contact, &a_recipient().as_str()])
        .await
        .unwrap();
    let (conversation, person) = (id(6, 12_345).into(), Identity::WhatsappUser("IQ.12345".to_owned()));
    let asked = LookupKeys {
        identities: BTreeSet::from([Identity::Phone(a_recipient()), person.clone()]),
        channels: BTreeSet::from([id(3, 0).into()]),
        written: vec![network_id(112_345)],
        messages: vec![network_id(12_345), network_id(1)],
    };
    let known = explained.stores.inbound.known(workspace(), &asked).await.unwrap();
    assert_eq!((known.people.len(), known.people[0].conversations.len()), (1, 1));
    assert_eq!((known.people[0].identities.len(), known.messages.len()), (2, 2));
    let up_to = SeenUpTo::Message(network_id(12_345));
    explained
        .stores
        .inbound
        .sends_behind(workspace(), conversation, DeliveryStatus::Read, &up_to, NOW)
        .await
        .unwrap();
    explained.stores.inbound.sends_in_flight(workspace(), id(3, 0).into(), &person).await.unwrap();
    assert_ran_cheaply(&explained, 3).await;
    assert_cheap(
        &client,
        3,
        &[
            (
                &positional(BEHIND),
                "timestamptz, uuid, bytea, uuid, text[], timestamptz",
                &format!("NULL, '{}', hash(12346), '{}', '{{sent}}', {AT}", id(1, 0), id(6, 12_345)),
            ),
            (
                &positional(NAMED),
                "uuid, text[], text[]",
                &format!("'{}', '{{whatsapp_user}}', '{{IQ.7}}'", id(1, 0)),
            ),
        ],
    )
    .await;
    explained.stores.inbound.record(workspace(), &a_batch(2, 12_345)).await.unwrap();
    assert_ran_cheaply(&explained, 3).await;
    let met = ContactMerge {
        absorbed: Vec::new(),
        contact: a_seeded_contact(contact),
        name: Some("Sara".to_owned()),
        phone: Some(a_recipient()),
        avatar_url: None,
        identities: vec![Identity::WhatsappUser("IQ.x".to_owned())],
        lesser: BTreeSet::new(),
        forgets_spellings: false,
    };
    explained.stores.inbound.merge_contacts(workspace(), &met, NOW).await.unwrap();
    assert_ran_cheaply(&explained, 3).await;
}

/// The journal was empty when the plan was made.
#[tokio::test]
async fn what_is_recorded_leaves_the_journal_by_its_key_however_full_it_is() {
    let (database, client) = seeded().await;
    set_aside(&client, "journal").await;
    let explained = ExplainedStore::over(&database);
    let workspace = workspace();
    assert!(
        explained.stores.inbound.record(workspace, &a_batch(2, 12_345)).await.is_err(),
        "the journal is empty"
    );
    explained.ran().await;
    put_back(&client, "journal").await;
    explained.stores.inbound.record(workspace, &a_batch(2, 12_345)).await.unwrap();
    assert_ran_cheaply(&explained, 3).await;
}

fn a_batch(version: i64, number: u128) -> InboxBatch {
    let (contact, conversation) = (id(5, number).into(), id(6, number).into());
    let conversation =
        Conversation { id: conversation, contact, channel: id(3, 0).into(), version, ..a_conversation() };
    let message = Message {
        id: id(16, number).into(),
        conversation: conversation.id,
        role: Role::Customer,
        ..a_message()
    };
    InboxBatch {
        at: NOW,
        new_contacts: Vec::new(),
        active: vec![Active {
            contact,
            activity: Activity { wrote_from: BTreeSet::from(["whatsapp"]), wrote_at: Some(NOW) },
        }],
        conversations: vec![ConversationChange {
            before_version: Some(version - 1),
            conversation,
            customer_wrote_at: Some(NOW),
            waiting: Waiting { answered: false, since: Some(NOW) },
            first_stamp: None,
        }],
        messages: vec![NewMessage {
            message,
            network_id: NetworkMessageId::from("wamid.new".to_owned()),
            media: Vec::new(),
            began: true,
        }],
        marks: vec![Mark {
            message: id(15, number).into(),
            reaction: Some((Some("a".to_owned()), NOW)),
            edited: None,
            deleted_at: None,
        }],
        events: Vec::new(),
        done: vec![id(8, number).into()],
    }
}

fn a_seeded_contact(id: uuid::Uuid) -> Contact {
    Contact { id: id.into(), name: None, ..a_contact() }
}

/// Two people with one number, and one who has written over another number as well.
#[tokio::test]
async fn people_and_conversations_become_one_by_keys() {
    let (database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO channels
                 VALUES (id(1, 0), id(3, 500), 'whatsapp', id(2, 0), 'n500', '+1', false, now(), 1, NULL);
             UPDATE conversations SET channel_id = id(3, 500) WHERE id = id(6, 12347);
             INSERT INTO conversation_tags SELECT workspace, id(6, n), 'Vip', 'vip' FROM row;
             ANALYZE conversation_tags",
        )
        .await
        .unwrap();
    let explained = ExplainedStore::over(&database);
    for (survivor, absorbed) in [(12_345, 12_346), (12_348, 12_347)] {
        let phone = "UPDATE contacts SET phone = $2 WHERE id = $1";
        client.execute(phone, &[&id(5, survivor), &a_recipient().as_str()]).await.unwrap();
        let met = ContactMerge {
            absorbed: vec![id(5, absorbed).into()],
            contact: a_seeded_contact(id(5, survivor)),
            name: None,
            phone: None,
            avatar_url: None,
            identities: Vec::new(),
            lesser: BTreeSet::new(),
            forgets_spellings: false,
        };
        explained.stores.inbound.merge_contacts(workspace(), &met, NOW).await.unwrap();
    }
    let kept = client.query("SELECT id FROM conversations WHERE contact_id = id(5, 12348)", &[]).await;
    assert_eq!(kept.unwrap().len(), 2);
    assert_ran_cheaply(&explained, 2).await;
}

/// Fifty names on each of some days, in the large workspace and many others.
#[tokio::test]
async fn what_is_not_read_is_counted_by_day_and_bounded() {
    let (database, client) = seeded_with(
        "INSERT INTO unread_updates SELECT id(1, w), '2026-11-21'::date - d, 'field ' || f, 1
             FROM generate_series(0, 99) w, generate_series(0, 9) d, generate_series(1, 20) f",
    )
    .await;
    let explained = ExplainedStore::over(&database);
    let (inbound, today) = (&explained.stores.inbound, NOW.date());
    let count = |field: &str, updates| UnreadCount { field: field.to_owned(), updates };
    let more: Vec<UnreadCount> = (1..=40).map(|number| count(&format!("more {number}"), 1)).collect();
    let told = [vec![count("field 1", 2)], more].concat();
    let new = inbound.count(workspace(), &told, today).await.unwrap();
    // Twenty names were known: thirty more are counted separately, and all others together.
    assert_eq!((new.len(), new.last().map(String::as_str)), (31, Some("others")));
    assert_eq!(inbound.count(workspace(), &told, today).await.unwrap(), Vec::<String>::new());
    let unread = inbound.unread(workspace(), today).await.unwrap();
    let of = |field: &str| unread.iter().find(|one| one.field == field).map(|one| one.updates);
    assert_eq!((unread.len(), of("field 1"), of("more 1"), of("others")), (51, Some(5), Some(2), Some(20)));
    let since = inbound.unread(workspace(), today - Duration::days(3)).await.unwrap();
    let first = since.iter().find(|one| one.field == "field 1").unwrap();
    assert_eq!((first.since, first.updates), (today - Duration::days(3), 8));
    // The first update of a day removes counts that are too old to be shown.
    let later = today + Duration::days(15);
    assert_eq!(inbound.count(workspace(), &[count("field 1", 1)], later).await.unwrap(), ["field 1"]);
    let kept = "SELECT count(*) FROM unread_updates WHERE workspace_id = id(1, 0)";
    assert_eq!(client.query_one(kept, &[]).await.unwrap().get::<_, i64>(0), 1);
    assert!(inbound.origin(workspace(), id(99, 1).into()).await.unwrap().is_none());
    assert_ran_cheaply(&explained, 450).await;
}

#[tokio::test]
async fn what_a_network_calls_a_number_leads_to_its_contact_until_it_is_given_up() {
    let (database, client) = seeded_among_many().await;
    let explained = ExplainedStore::over(&database);
    let (called, contact) = (PhoneNumber::from_e164("+5215512345678").unwrap(), id(5, 12_345));
    let phone = "UPDATE contacts SET phone = $2 WHERE id = $1";
    client.execute(phone, &[&contact, &a_recipient().as_str()]).await.unwrap();
    for _ in 0..2 {
        SendLedger::note_spelling(&*explained.stores.sends, workspace(), contact.into(), &called, NOW)
            .await
            .unwrap();
    }
    let asked =
        || LookupKeys { identities: [Identity::Phone(called.clone())].into(), ..LookupKeys::default() };
    let known = explained.stores.inbound.known(workspace(), &asked()).await.unwrap();
    let [person] = known.people.as_slice() else { panic!("{known:?}") };
    assert_eq!((person.contact.id, person.identities.len()), (contact.into(), 1));
    let given_up = ContactMerge {
        absorbed: Vec::new(),
        contact: a_seeded_contact(contact),
        name: None,
        phone: PhoneNumber::from_e164("+9647709876543").ok(),
        avatar_url: None,
        identities: Vec::new(),
        lesser: BTreeSet::new(),
        forgets_spellings: true,
    };
    explained.stores.inbound.merge_contacts(workspace(), &given_up, NOW).await.unwrap();
    assert_eq!(explained.stores.inbound.known(workspace(), &asked()).await.unwrap().people, []);
    assert_ran_cheaply(&explained, 10).await;
}

#[tokio::test]
async fn a_post_s_numbers_and_accounts_are_found_by_their_keys() {
    let (database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO channel_routes SELECT 'n' || n, id(1, n % 400), id(3, n % 400) FROM generate_series(1, 20000) n;
             INSERT INTO account_routes SELECT 'a' || n, id(1, n % 400), id(2, n % 400) FROM generate_series(1, 20000) n;
             ANALYZE channel_routes, account_routes",
        )
        .await
        .unwrap();
    let explained = ExplainedStore::over(&database);
    let asked = ["n12345", "n12346", "unknown"].map(str::to_owned);
    assert_eq!(explained.stores.inbound.number_routes(&asked).await.unwrap().iter().flatten().count(), 2);
    let asked = ["a12345", "unknown"].map(str::to_owned);
    assert_eq!(explained.stores.inbound.account_routes(&asked).await.unwrap().iter().flatten().count(), 1);
    assert_ran_cheaply(&explained, 2).await;
}

/// Otherwise a status could not change a send in place.
#[tokio::test]
async fn no_index_says_what_became_of_a_send() {
    let (_database, client) = seeded().await;
    let named = "SELECT DISTINCT attname::text FROM pg_index index
        JOIN pg_depend depends ON depends.classid = 'pg_class'::regclass AND depends.objid = index.indexrelid
         AND depends.refobjid = index.indrelid
        JOIN pg_attribute named ON named.attrelid = index.indrelid AND named.attnum = depends.refobjsubid
        WHERE index.indrelid = 'sends'::regclass";
    let rows = client.query(named, &[]).await.unwrap();
    let columns: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(columns.iter().any(|column| column == "network_id_hash"), "{columns:?}");
    for changing in ["status", "delivered_at", "read_at", "failed_at", "error", "error_code"] {
        assert!(columns.iter().all(|column| column != changing), "an index names {changing}");
    }
}
