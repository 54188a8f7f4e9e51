//! How PostgreSQL runs what is asked of the network's limit when others have many, and whom it counts.

use domain::{
    audit::Action,
    broadcasts::{
        BroadcastPerson, BroadcastState, NumberLimit, PersonResult, PersonState, WrittenTo,
        ports::{BroadcastStore, MessagingLimitStore},
        span_of,
    },
    ids::AccountId,
    lease::LEASE,
};
use time::{Duration, OffsetDateTime};
use tokio_postgres::Client;
use uuid::Uuid;

use super::OTHERWISE;
use crate::{
    broadcasts::plans::{MORE, NOW, draft, large, moved, person},
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, assert_texts_ran_cheaply, id, seeded_with},
    sql::first_id,
};

const HOUR: Duration = Duration::HOUR;

fn account() -> AccountId {
    id(2, 0).into()
}

/// Adds a send that was made then, to a contact or to nobody recorded.
async fn sent(client: &Client, number: u128, at: OffsetDateTime, contact: Option<u128>, what: &str) {
    let made = Uuid::from_u128(first_id(at).as_u128() | number);
    let of =
        |kind: u128| contact.map_or_else(|| "NULL".to_owned(), |contact| format!("'{}'", id(kind, contact)));
    let (contact, conversation, at) = (of(5), of(6), at.unix_timestamp());
    let statement = format!(
        "INSERT INTO sends (workspace_id, id, channel_id, state, contact_id, conversation_id, created_at, template_name,
                            template_language, reference)
         VALUES (id(1, 0), '{made}', id(3, 0), 'sent', {contact}, {conversation}, to_timestamp({at}), {what})"
    );
    client.execute(&statement, &[]).await.unwrap();
}

async fn wrote(client: &Client, contact: u128, at: OffsetDateTime) {
    let statement = format!(
        "UPDATE conversations SET customer_wrote_at = to_timestamp({}) WHERE workspace_id = id(1, 0) AND id = '{}'",
        at.unix_timestamp(),
        id(6, contact)
    );
    assert_eq!(client.execute(&statement, &[]).await.unwrap(), 1);
}

#[tokio::test]
async fn people_count_for_the_number_that_has_written_to_them_and_once_for_all_other_templates() {
    let (database, client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let limit = NumberLimit { account: account(), network_id: "n".to_owned(), word: "TIER_1K".to_owned() };
    assert_eq!(store.limits(large()).await.unwrap(), [limit]);
    let since = span_of(NOW - Duration::DAY);
    let counted = async || store.written_to(large(), &[account()], since).await.unwrap();
    assert_eq!(counted().await, [], "what was before");

    let one = draft(30_000);
    let entry = |action| explained.entry(large(), action, NOW);
    store.add(large(), &one, 100, &entry(Action::BroadcastAdded)).await.unwrap();
    let start = moved(BroadcastState::Draft, BroadcastState::Running, None);
    store.change(large(), &start, &entry(Action::BroadcastMoved)).await.unwrap();
    let people: Vec<BroadcastPerson> = (1..=4).map(person).collect();
    assert!(store.collect(large(), one.id, &people, None, None, NOW).await.unwrap());
    let result = |person: &BroadcastPerson, state, written| PersonResult {
        message: person.message,
        state,
        reason: None,
        written_by: Some(id(3, 0).into()).filter(|_| written),
        at: NOW,
    };
    let states = [(PersonState::Sent, true), (PersonState::Unconfirmed, true), (PersonState::Failed, false)];
    let results: Vec<PersonResult> =
        people.iter().zip(states).map(|(person, (state, written))| result(person, state, written)).collect();
    // Repeated results count once.
    for _ in 0..2 {
        assert!(store.settle(large(), one.id, &results).await.unwrap());
    }
    let by_broadcast = WrittenTo { account: account(), since: NOW, people: 2 };
    assert_eq!(counted().await, [by_broadcast]);
    assert_eq!(store.written_to(large(), &[id(2, 1).into()], since).await.unwrap(), [], "another account's");
    assert_eq!(store.written_to(large(), &[], since).await.unwrap(), []);

    let template = "'hours', 'ar', NULL";
    // The same person twice counts at the time of the last.
    sent(&client, 1, NOW - 2 * HOUR, Some(1), template).await;
    sent(&client, 2, NOW - HOUR, Some(1), template).await;
    // A person who wrote before, one who wrote since, and one who wrote long before.
    for (number, contact, wrote_at) in
        [(3, 2, NOW - 2 * HOUR), (4, 3, NOW - HOUR / 2), (5, 4, NOW - 26 * HOUR)]
    {
        sent(&client, number, NOW - HOUR, Some(contact), template).await;
        wrote(&client, contact, wrote_at).await;
    }
    // A code that is recorded for nobody, and a template with the caller's own reference.
    sent(&client, 6, NOW - HOUR, None, template).await;
    sent(&client, 7, NOW - HOUR, Some(5), "'hours', 'ar', 'order-7'").await;
    // A reply, the broadcast's own template, and one of the day before.
    sent(&client, 8, NOW - HOUR, Some(6), "NULL, NULL, NULL").await;
    sent(&client, 9, NOW - HOUR, Some(7), &format!("'hours', 'ar', '{}'", one.id)).await;
    sent(&client, 10, NOW - 25 * HOUR, Some(8), template).await;
    let otherwise = WrittenTo { account: account(), since: NOW - HOUR, people: 5 };
    assert_eq!(counted().await, [by_broadcast, otherwise]);
    assert_texts_ran_cheaply(&explained, 450, &[OTHERWISE]).await;
}

#[tokio::test]
async fn one_that_waits_for_the_limit_says_until_when_as_long_as_it_runs() {
    let (database, client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let one = draft(30_000);
    let entry = |action| explained.entry(large(), action, NOW);
    store.add(large(), &one, 100, &entry(Action::BroadcastAdded)).await.unwrap();
    let (until, due) = (NOW + Duration::DAY, NOW + HOUR);
    assert!(!store.wait(large(), one.id, Some(until), due).await.unwrap(), "it is a draft");
    let start = moved(BroadcastState::Draft, BroadcastState::Running, None);
    store.change(large(), &start, &entry(Action::BroadcastMoved)).await.unwrap();
    let limited = async || store.find(large(), one.id).await.unwrap().unwrap().limited_until;
    assert!(store.wait(large(), one.id, Some(until), due).await.unwrap());
    assert_eq!(limited().await, Some(until));
    assert_eq!(store.claim(large(), NOW, NOW + LEASE).await.unwrap(), None, "it waits");
    assert!(store.claim(large(), due, due + LEASE).await.unwrap().is_some());
    assert!(store.wait(large(), one.id, None, due).await.unwrap());
    assert_eq!(limited().await, None);
    assert!(store.wait(large(), one.id, Some(until), due).await.unwrap());
    let pause = moved(BroadcastState::Running, BroadcastState::Paused, None);
    assert!(store.change(large(), &pause, &entry(Action::BroadcastMoved)).await.unwrap());
    assert_eq!(limited().await, None, "it waits for somebody");
    // Counts older than the network's window are removed.
    let old = "UPDATE broadcast_written_to SET since = since - interval '2 days' WHERE channel_id = id(3, 1)";
    assert_eq!(client.execute(old, &[]).await.unwrap(), 200);
    let resume = moved(BroadcastState::Paused, BroadcastState::Running, None);
    assert!(store.change(large(), &resume, &entry(Action::BroadcastMoved)).await.unwrap());
    let left = "SELECT count(*) FROM broadcast_written_to WHERE channel_id = id(3, 1)";
    assert_eq!(client.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
    assert_ran_cheaply(&explained, 450).await;
}
