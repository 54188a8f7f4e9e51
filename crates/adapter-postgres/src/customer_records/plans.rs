//! How PostgreSQL runs the statements about customers in a large workspace.

use domain::{
    audit::Action,
    channels::ChannelKind,
    customer_records::{
        AfterTry, LeadState,
        ports::{CustomerStore, LeadHolder, LeadStore, NewLead},
    },
    errors::StoreError,
    events::{CapturedLead, Customer, Event},
    fence::Fence,
    ids::WorkspaceId,
    phone::PhoneNumber,
    sending::KeyClaim,
    systems::LeadPush,
    testing::a_moment,
    text::PlainText,
};
use time::{Duration, macros::datetime};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
};

fn large() -> WorkspaceId {
    id(1, 0).into()
}

#[tokio::test]
async fn a_conversation_s_customer_is_found_by_its_id_and_by_one_that_it_had() {
    let (database, client) = seeded().await;
    // The seeded numbers are not valid.
    let number = "UPDATE contacts SET phone = '+9647701234567' WHERE id IN (id(5, 7), id(5, 20001))";
    client.batch_execute(number).await.unwrap();
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.customer_records;
    for conversation in [id(6, 7), id(14, 7)] {
        let found = store.customer_of(large(), conversation.into()).await.unwrap().unwrap();
        assert_eq!((found.conversation.uuid(), found.network), (id(6, 7), ChannelKind::Whatsapp));
        assert_eq!((found.contact.id.uuid(), found.region.as_str()), (id(5, 7), "IQ"));
        assert!(!found.has_written && found.verified_phone().is_none());
    }
    let theirs = store.customer_of(large(), id(6, 20_001).into()).await.unwrap();
    assert_eq!(theirs, None, "a conversation of another workspace");
    assert_ran_cheaply(&explained, 4).await;
}

fn lead(number: u128, explained: &ExplainedStore, key: Option<KeyClaim>) -> NewLead {
    let push = LeadPush {
        name: PlainText::read("سارة", 200),
        phone: PhoneNumber::from_e164("+9647701234567").unwrap(),
        note: PlainText::read("ثلاجة", 200),
        conversation: id(6, 7).into(),
    };
    let told = CapturedLead { name: None, phone: None, need: "ثلاجة".to_owned() };
    let customer = Customer { id: id(5, 7).into(), name: None, phone: None };
    NewLead {
        id: id(24, number).into(),
        conversation: push.conversation,
        event: Event::lead_captured(push.conversation, told, customer, datetime!(2026-11-22 10:00 UTC)),
        push: Some(push),
        key,
        fence: None,
        entry: explained.entry(large(), Action::LeadCaptured, a_moment()),
    }
}

#[tokio::test]
async fn a_lead_is_kept_with_its_key_claimed_when_it_is_due_and_forgotten_when_it_has_ended() {
    let (database, client) = seeded().await;
    // The seeded sealed values cannot be opened.
    client.batch_execute("UPDATE leads SET due_at = NULL").await.unwrap();
    client.batch_execute("UPDATE webhook_addresses SET events = '{lead.captured}'").await.unwrap();
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.customer_records;
    let key = KeyClaim { key_hash: [1; 32], request_hash: [2; 32] };
    let new = lead(30_000, &explained, Some(key));
    assert_eq!(store.capture(large(), &new).await.unwrap(), None);
    let again = lead(30_001, &explained, Some(key));
    let holder = LeadHolder { request_hash: [2; 32], id: new.id, state: LeadState::Waiting };
    assert_eq!(store.capture(large(), &again).await.unwrap(), Some(holder));
    assert_ran_cheaply(&explained, 4).await;
    let told = "SELECT count(*) FROM delivery_log WHERE event = 'lead.captured'";
    assert_eq!(client.query_one(told, &[]).await.unwrap().get::<_, i64>(0), 1);

    let now = datetime!(2026-11-22 10:00 UTC);
    assert_eq!(store.workspaces_with_leads(now).await.unwrap(), [large()]);
    assert_ran_cheaply(&explained, 401).await;
    let due = store.claim(large(), now, now + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((due.id, due.attempt, Some(due.push), due.captured_at), (new.id, 1, new.push.clone(), now));
    assert_eq!(store.claim(large(), now, now + Duration::MINUTE).await.unwrap(), None);
    // The first holder is dead.
    let later = now + Duration::MINUTE;
    let due = store.claim(large(), later, later + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!(due.attempt, 2);
    store.settle(large(), new.id, 1, AfterTry::Ended(LeadState::Told)).await.unwrap();
    store.settle(large(), new.id, 2, AfterTry::Again(later)).await.unwrap();
    let due = store.claim(large(), later, later + Duration::MINUTE).await.unwrap().unwrap();
    store.settle(large(), new.id, due.attempt, AfterTry::Ended(LeadState::Refused)).await.unwrap();
    assert_ran_cheaply(&explained, 3).await;
    let kept = "SELECT push_sealed IS NULL AND due_at IS NULL AND state = 'refused' FROM leads WHERE id = id(24, 30000)";
    assert!(client.query_one(kept, &[]).await.unwrap().get::<_, bool>(0));
    assert_eq!(store.claim(large(), later + Duration::HOUR, later).await.unwrap(), None);
    let state = store.capture(large(), &again).await.unwrap().map(|holder| holder.state);
    assert_eq!(state, Some(LeadState::Refused));
}

#[tokio::test]
async fn a_lead_of_a_conversation_that_is_gone_is_not_written() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.customer_records;
    let gone = NewLead { conversation: id(6, 99_999).into(), ..lead(30_000, &explained, None) };
    assert!(matches!(store.capture(large(), &gone).await, Err(StoreError::Stale)));
    // Nor is it in another workspace, where the conversation is not.
    let elsewhere = store.capture(id(1, 1).into(), &lead(30_000, &explained, None)).await;
    assert!(matches!(elsewhere, Err(StoreError::Stale)));
    assert_eq!(store.capture(large(), &lead(30_000, &explained, None)).await.unwrap(), None);
}

#[tokio::test]
async fn a_lead_of_a_turn_is_not_written_once_something_has_passed_its_fence() {
    let (database, client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.customer_records;
    let heard =
        "UPDATE assistant_turns SET heard = 5 WHERE workspace_id = id(1, 0) AND conversation_id = id(6, 7)";
    client.batch_execute(heard).await.unwrap();
    let conversation = id(6, 7).into();
    let key = KeyClaim { key_hash: [1; 32], request_hash: [2; 32] };
    let fenced = |number, version, heard| NewLead {
        fence: Some(Fence { conversation, version, heard }),
        ..lead(number, &explained, Some(key))
    };
    for (version, heard) in [(1, 4), (2, 5)] {
        let captured = store.capture(large(), &fenced(30_000, version, heard)).await;
        assert!(matches!(captured, Err(StoreError::Stale)), "{captured:?}");
    }
    assert_eq!(store.capture(large(), &fenced(30_001, 1, 5)).await.unwrap(), None);
    // A repeated capture finds what it wrote, even if the customer has written since.
    let holder = store.capture(large(), &fenced(30_002, 1, 4)).await.unwrap().unwrap();
    assert_eq!(holder.id, id(24, 30_001).into());
}
