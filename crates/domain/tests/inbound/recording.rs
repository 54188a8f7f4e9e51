//! What happens in conversations, decided on what is known and committed: lost races, and batches that fail.

use std::sync::{Arc, Mutex};

use domain::{
    broadcasts::ports::MockMarketingStopStore,
    channels::ports::MockUnreadUpdates,
    contacts::{Contact, Identity},
    conversation::Conversation,
    deps::Deps,
    errors::StoreError,
    ids::JournalId,
    inbound::{
        ContactMerge, ConversationUpdate, InboxBatch, JournalEntry, JournalItem, KnownPerson, LookupResult,
        Person, RecordUpdates, UpdateKind, UpdateOutcome, Written,
        ports::{Inbox, MockInboxStore},
    },
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_contact, a_conversation, a_moment, a_recipient, a_workspace},
};
use mockall::Sequence;
use uuid::Uuid;

use crate::inbound::Statuses;

fn id(number: u32) -> JournalId {
    Uuid::from_u128(number.into()).into()
}

/// Message `number` of a person, written over the connection of [`a_conversation`].
fn wrote(number: u32, by: &Identity) -> JournalEntry {
    let written = Written {
        network_id: format!("wamid.{number}").into(),
        content: format!("message {number}"),
        media: Vec::new(),
        context: domain::messages::Context::default(),
    };
    let person = Person { identities: vec![by.clone()], name: None, avatar_url: None };
    let update = ConversationUpdate { person, at: a_moment(), what: UpdateKind::Wrote(written) };
    JournalEntry {
        id: id(number),
        workspace: a_workspace().id,
        received_at: a_moment(),
        attempts: 1,
        item: JournalItem::Conversation { channel: a_conversation().channel, update: Box::new(update) },
    }
}

fn sara() -> Identity {
    Identity::Phone(a_recipient())
}

fn user(name: &str) -> Identity {
    Identity::WhatsappUser(name.to_owned())
}

/// The contact with their conversation, whom this names.
fn known(contact: Contact, by: &Identity) -> LookupResult {
    let conversations = vec![Conversation { contact: contact.id, announced: true, ..a_conversation() }];
    let identities = [by.clone()].into();
    LookupResult {
        people: vec![KnownPerson { contact, avatar_url: None, identities, conversations }],
        messages: Vec::new(),
    }
}

fn recording(store: MockInboxStore) -> RecordUpdates {
    let clock = Arc::new(ManualClock::at(a_moment()));
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    let mut stops = MockMarketingStopStore::new();
    stops.expect_stop().returning(|_, _, _, _| Ok(()));
    RecordUpdates {
        store: Arc::new(store),
        statuses: Statuses::at(clock.clone()).use_case(),
        stops: Arc::new(stops),
        unread: Arc::new(MockUnreadUpdates::new()),
        deps: Deps { clock, ids: Arc::new(SequentialIds::default()), signals: Arc::new(signals) },
    }
}

async fn record(store: MockInboxStore, entries: &[JournalEntry]) -> Vec<UpdateOutcome> {
    recording(store).record(a_workspace().id, entries).await
}

#[pollster::test]
async fn a_commit_that_came_too_late_is_decided_again_on_what_is_known_by_then() {
    let mut store = MockInboxStore::new();
    let mut turn = Sequence::new();
    store.expect_known().once().in_sequence(&mut turn).returning(|_, _| Ok(LookupResult::default()));
    // Somebody else has made her known meanwhile.
    store
        .expect_record()
        .withf(|_, batch| batch.new_contacts.len() == 1 && batch.conversations[0].before_version.is_none())
        .once()
        .in_sequence(&mut turn)
        .returning(|_, _| Err(StoreError::Stale));
    store.expect_known().once().in_sequence(&mut turn).returning(|_, _| Ok(known(a_contact(), &sara())));
    store
        .expect_record()
        .withf(|_, batch| {
            let conversation = &batch.conversations[0];
            batch.new_contacts.is_empty()
                && batch.active[0].contact == a_contact().id
                && (conversation.conversation.id, conversation.before_version)
                    == (a_conversation().id, Some(a_conversation().version))
                && batch.messages[0].message.conversation == a_conversation().id
                && batch.done == [id(1)]
        })
        .once()
        .in_sequence(&mut turn)
        .returning(|_, _| Ok(()));
    assert_eq!(record(store, &[wrote(1, &sara())]).await, [UpdateOutcome::Finished]);
}

#[pollster::test]
async fn a_batch_that_fails_is_recorded_one_by_one_and_only_what_is_wrong_stays_behind() {
    let mut store = MockInboxStore::new();
    store.expect_known().returning(|_, _| Ok(LookupResult::default()));
    let done: Arc<Mutex<Vec<Vec<JournalId>>>> = Arc::default();
    let asked = done.clone();
    store.expect_record().returning(move |_, batch: &InboxBatch| {
        let wrong = batch.messages.iter().any(|new| new.message.content == "message 2");
        asked.lock().unwrap().push(batch.done.clone());
        if wrong { Err(StoreError::Internal("it cannot be".to_owned())) } else { Ok(()) }
    });
    let entries = [1, 2, 3].map(|number| wrote(number, &user(&number.to_string())));
    let outcomes = record(store, &entries).await;
    let failed = UpdateOutcome::Failed("the store failed: it cannot be".to_owned());
    assert_eq!(outcomes, [UpdateOutcome::Finished, failed, UpdateOutcome::Finished]);
    assert_eq!(*done.lock().unwrap(), [vec![id(1), id(2), id(3)], vec![id(1)], vec![id(2)], vec![id(3)]]);
}

#[pollster::test]
async fn a_store_that_is_away_is_not_asked_for_each_one_by_one() {
    let mut store = MockInboxStore::new();
    store.expect_known().once().returning(|_, _| Err(StoreError::Unavailable("gone".to_owned())));
    let outcomes = record(store, &[wrote(1, &user("a")), wrote(2, &user("b"))]).await;
    assert_eq!(outcomes, vec![UpdateOutcome::Unreached("the store is unavailable: gone".to_owned()); 2]);
}

#[pollster::test]
async fn a_race_that_is_lost_again_and_again_is_left_for_another_time() {
    let mut store = MockInboxStore::new();
    store.expect_known().returning(|_, _| Ok(LookupResult::default()));
    store.expect_record().times(16).returning(|_, _| Err(StoreError::Stale));
    let outcomes = record(store, &[wrote(1, &sara())]).await;
    assert_eq!(outcomes, [UpdateOutcome::Failed("the state has moved on".to_owned())]);
}

#[pollster::test]
async fn who_they_are_is_settled_before_anything_is_recorded_and_looked_at_again() {
    for settled in [Ok(()), Err(StoreError::Stale)] {
        let mut store = MockInboxStore::new();
        let mut turn = Sequence::new();
        let nameless = Contact { name: None, ..a_contact() };
        let first = known(nameless, &sara());
        store.expect_known().once().in_sequence(&mut turn).return_once(|_, _| Ok(first));
        store
            .expect_merge_contacts()
            .withf(|_, met: &ContactMerge, at| met.name.as_deref() == Some("سارة") && *at == a_moment())
            .once()
            .in_sequence(&mut turn)
            .return_once(|_, _, _| settled);
        store.expect_known().once().in_sequence(&mut turn).returning(|_, _| Ok(known(a_contact(), &sara())));
        store.expect_record().once().in_sequence(&mut turn).returning(|_, _| Ok(()));
        let mut entry = wrote(1, &sara());
        if let JournalItem::Conversation { update, .. } = &mut entry.item {
            update.person.name = Some("سارة".to_owned());
        }
        assert_eq!(record(store, &[entry]).await, [UpdateOutcome::Finished]);
    }
}

#[pollster::test]
async fn what_is_no_update_of_a_conversation_fails_alone_and_keeps_its_place() {
    let mut store = MockInboxStore::new();
    store.expect_known().returning(|_, _| Ok(LookupResult::default()));
    store.expect_record().withf(|_, batch| batch.done == [id(1), id(3)]).once().returning(|_, _| Ok(()));
    let item = JournalItem::TemplatesChanged { account_network_id: "1".to_owned() };
    let strange = JournalEntry { item, ..wrote(2, &sara()) };
    let outcomes = record(store, &[wrote(1, &sara()), strange, wrote(3, &sara())]).await;
    let failed = UpdateOutcome::Failed("this is no update of a conversation".to_owned());
    assert_eq!(outcomes, [UpdateOutcome::Finished, failed, UpdateOutcome::Finished]);
}
