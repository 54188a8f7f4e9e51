//! How PostgreSQL runs the ledger's statements when a workspace is large and others lie beside it.

use domain::{
    channels::{ChannelKind, Connection},
    contacts::Contact,
    conversation::Conversation,
    events::{Customer, Event},
    fence::TurnEffect,
    ids::{ChannelId, WorkspaceId},
    messages::{Message, NetworkError, ReplyAuthor},
    phone::PhoneNumber,
    sending::{
        AcceptedSend, ConversationEffect, ConversationEntry, Intent, KeyClaim, Reply, SendAttempt,
        SendResult,
        ports::{KeyLog, Recorded, ReserveOutcome, SendLedger, SendReservation},
    },
    testing::{
        a_contact, a_conversation, a_message, a_network_message_id, a_reply_intent, a_send_result, an_intent,
    },
    workspaces::Month,
};
use time::{OffsetDateTime, macros::datetime};
use tokio_postgres::Client;

use super::accepted::{Accepted, SettleOutcome};
use crate::{
    explained::ExplainedStore,
    seeded::{assert_cheap_plans, assert_ran_cheaply, hash, id, seeded, seeded_among_many},
};

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

/// Asserts that this number of statements has read since the last look, none more than `rows` rows.
async fn assert_each_ran_cheaply(explained: &ExplainedStore, rows: u16, statements: usize) {
    let plans = explained.ran().await;
    let read = plans.iter().filter(|plan| !plan.scans.is_empty()).count();
    assert_eq!(read, statements, "{plans:#?}");
    assert_cheap_plans(&plans, rows);
}

fn phone(number: u128) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+96477000{number}")).unwrap()
}

async fn give_numbers(client: &Client) {
    let numbers = "UPDATE channels SET phone = '+9647700000000' WHERE workspace_id = id(1, 0);
        UPDATE contacts SET phone = '+96477000' || n
        FROM generate_series(12301, 12310) n WHERE workspace_id = id(1, 0) AND id = id(5, n)";
    client.batch_execute(numbers).await.unwrap();
}

#[tokio::test]
async fn what_a_send_needs_is_found_by_its_keys() {
    let (database, client) = seeded_among_many().await;
    give_numbers(&client).await;
    let explained = ExplainedStore::over(&database);
    let (stores, workspace) = (&explained.stores, WorkspaceId::from(id(1, 0)));
    let (conversation, message) = (id(6, 12_305).into(), id(7, 12_305).into());

    // The seeded template has no content.
    stores.sends.catalogue(workspace, "template 19500").await.unwrap_err();
    assert_each_ran_cheaply(&explained, 2, 3).await;
    assert!(stores.sends.holder(workspace, hash(12_305)).await.unwrap().is_some());
    assert_each_ran_cheaply(&explained, 2, 1).await;
    // The seeded file has no valid key.
    stores.sends.conversation_of(workspace, conversation, message).await.unwrap_err();
    assert_each_ran_cheaply(&explained, 2, 2).await;
    assert!(
        stores
            .sends
            .reply_context(workspace, conversation, ReplyAuthor::Member(id(10, 0).into()))
            .await
            .unwrap()
            .is_some()
    );
    assert_each_ran_cheaply(&explained, 2, 1).await;
    let connection = Connection {
        id: id(3, 0).into(),
        kind: ChannelKind::Whatsapp,
        account: id(2, 0).into(),
        network_id: "n".to_owned(),
        phone: None,
        send_only: false,
    };
    stores.sends.token(workspace, &connection).await.ok();
    assert_each_ran_cheaply(&explained, 2, 1).await;
    let recorded = stores.sends.record(workspace, &accepted(12_305, None).send).await.unwrap();
    assert!(matches!(recorded, Recorded::Before(_)), "{recorded:?}");
    assert_ran_cheaply(&explained, 2).await;
}

#[tokio::test]
async fn old_keys_are_found_and_forgotten_by_their_sends() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let (sends, workspace) = (&explained.stores.sends, WorkspaceId::from(id(1, 0)));
    assert!(sends.workspaces_with_old_keys(NOW).await.unwrap().contains(&workspace));
    assert_ran_cheaply(&explained, 401).await;
    assert!(sends.forget_keys(workspace, NOW).await.unwrap(), "it has more");
    // The first key's send is not settled.
    assert_ran_cheaply(&explained, 1_001).await;
}

#[tokio::test]
async fn a_reply_is_refused_by_its_keys() {
    let (database, client) = seeded_among_many().await;
    let explained = ExplainedStore::over(&database);
    let error = NetworkError { code: Some(131_047), message: "no".to_owned() };
    explained.stores.sends.refuse_reply(id(1, 0).into(), id(7, 1).into(), &error, NOW).await.unwrap();
    assert_ran_cheaply(&explained, 2).await;
    let written = "SELECT FROM messages WHERE workspace_id = id(1, 0) AND id = id(7, 1)";
    assert_eq!(client.query(written, &[]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_send_is_taken_back_and_lets_its_file_go_by_its_keys() {
    for (database, client) in [seeded().await, seeded_among_many().await] {
        let explained = ExplainedStore::over(&database);
        let begun = "SELECT created_at FROM sends WHERE workspace_id = id(1, 0) AND id = id(7, 1)";
        let at: OffsetDateTime = client.query_one(begun, &[]).await.unwrap().get(0);
        let send = SendAttempt { id: id(7, 1).into(), at };
        assert_eq!(explained.stores.sends.release(id(1, 0).into(), &[send]).await.unwrap(), [send]);
        assert_each_ran_cheaply(&explained, 2, 2).await;
    }
}

fn accepted(number: u128, effect: Option<ConversationEffect>) -> Accepted {
    let message = Message { id: id(7, number).into(), created_at: NOW, ..a_message() };
    let send = AcceptedSend {
        network_id: a_network_message_id(),
        accepted_at: NOW,
        result: SendResult { id: id(7, number).into(), ..a_send_result() },
        events: vec![Event::message_sent(message, Customer::of(&a_contact()))],
        effect,
    };
    let network_id_hash = hash(i32::try_from(number).unwrap() + 40_000);
    Accepted { send, network_id_hash, network_id_sealed: Vec::new(), trace_parent: None }
}

/// Returns the effect of template send `number`, on the seeded conversation of that number or on a new one.
fn effect(number: u128, is_new: bool) -> ConversationEffect {
    let of = if is_new { number + 30_000 } else { number };
    let contact = Contact { id: id(5, of).into(), phone: Some(phone(of)), ..a_contact() };
    let conversation = Conversation {
        id: id(6, of).into(),
        contact: contact.id,
        channel: id(3, 0).into(),
        last_message_at: NOW,
        ..a_conversation()
    };
    let message =
        Message { id: id(7, number).into(), conversation: conversation.id, created_at: NOW, ..a_message() };
    ConversationEffect { contact, contact_is_new: is_new, conversation, conversation_is_new: is_new, message }
}

/// Ten to known people and ten to new ones.
#[tokio::test]
async fn sends_are_settled_together_by_their_keys() {
    let (database, client) = seeded_among_many().await;
    let under_way = "UPDATE sends SET state = 'in_flight' WHERE id = ANY(ids(7, 12301, 30));
         DELETE FROM messages WHERE id = ANY(ids(7, 12301, 30));
         UPDATE webhook_addresses SET events = '{message.sent}' WHERE id = id(4, 0)";
    client.batch_execute(under_way).await.unwrap();
    let explained = ExplainedStore::over(&database);
    let (stores, workspace) = (&explained.stores, WorkspaceId::from(id(1, 0)));
    for (first, is_new) in [(12_301, false), (12_311, true)] {
        let sends: Vec<Accepted> =
            (first..first + 10).map(|number| accepted(number, Some(effect(number, is_new)))).collect();
        let settled =
            stores.sends.settle_in_conversations(workspace, &sends.iter().collect::<Vec<_>>()).await.unwrap();
        assert_eq!(settled.len(), 10);
        assert!(settled.values().all(|outcome| matches!(outcome, SettleOutcome::Now)));
        assert_ran_cheaply(&explained, 20).await;
    }
    let sends: Vec<Accepted> = (12_321..12_331).map(|number| accepted(number, None)).collect();
    let settled = stores.sends.settle_others(workspace, &sends.iter().collect::<Vec<_>>()).await.unwrap();
    assert_eq!(settled.len(), 10);
    assert_ran_cheaply(&explained, 20).await;
}

#[tokio::test]
async fn people_and_their_conversations_are_found_together_by_their_keys() {
    let (database, client) = seeded_among_many().await;
    give_numbers(&client).await;
    let explained = ExplainedStore::over(&database);
    let channel = ChannelId::from(id(3, 0));
    let asked: Vec<_> = (12_302..12_312).map(|number| (channel, phone(number))).collect();
    let found = explained.stores.sends.find_conversations(id(1, 0).into(), &asked).await.unwrap();
    assert_eq!(found.iter().filter(|parts| parts.conversation.is_some()).count(), 9);
    assert_ran_cheaply(&explained, 20).await;
}

/// A hundred customers are active.
#[tokio::test]
async fn a_place_under_a_plan_is_taken_by_counting_who_is_active_and_nobody_else() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let reservation =
        SendReservation { limit: Some((Month::of(NOW), 1000)), ..a_reservation(30_000, Some([9; 32])) };
    let outcome = SendLedger::begin(&*explained.stores.sends, id(1, 0).into(), &reservation).await.unwrap();
    assert!(matches!(outcome, ReserveOutcome::Started), "{outcome:?}");
    assert_ran_cheaply(&explained, 100).await;
}

/// Sends with new keys, without keys, and with a key that another holds.
#[tokio::test]
async fn sends_are_begun_by_their_keys() {
    let (database, _client) = seeded_among_many().await;
    let explained = ExplainedStore::over(&database);
    let free = SendLedger::begin(&*explained.stores.sends, id(1, 0).into(), &a_reservation(30_001, None))
        .await
        .unwrap();
    let claimed =
        SendLedger::begin(&*explained.stores.sends, id(1, 0).into(), &a_reservation(30_002, Some([9; 32])))
            .await
            .unwrap();
    assert!(matches!((free, claimed), (ReserveOutcome::Started, ReserveOutcome::Started)));
    let taken =
        SendLedger::begin(&*explained.stores.sends, id(1, 0).into(), &a_reservation(30_003, Some([9; 32])))
            .await
            .unwrap();
    assert!(matches!(taken, ReserveOutcome::KeyTaken(_)));
    assert_ran_cheaply(&explained, 2).await;
}

#[tokio::test]
async fn a_reply_takes_its_file_by_its_key() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let intent = a_reply_intent();
    let Some(reply) = intent.conversation_entry.reply().cloned() else { panic!("no reply") };
    let reply = Reply {
        conversation: id(6, 12_345).into(),
        contact: id(5, 12_345).into(),
        author: ReplyAuthor::Member(id(10, 0).into()),
        upload: Some(id(21, 12_345).into()),
        ..reply
    };
    let reservation = SendReservation {
        intent: Intent {
            conversation_entry: ConversationEntry::Reply(reply),
            created_at: datetime!(2026-11-21 13:00 UTC),
            ..a_reservation(30_004, None).intent
        },
        ..a_reservation(30_004, None)
    };
    let outcome = SendLedger::begin(&*explained.stores.sends, id(1, 0).into(), &reservation).await.unwrap();
    assert!(matches!(outcome, ReserveOutcome::Started), "{outcome:?}");
    assert_ran_cheaply(&explained, 2).await;
}

fn a_reservation(number: u128, key: Option<[u8; 32]>) -> SendReservation {
    let intent = Intent {
        id: id(7, number).into(),
        workspace: id(1, 0).into(),
        channel: id(3, 0).into(),
        created_at: NOW,
        ..an_intent()
    };
    SendReservation {
        intent,
        key: key.map(|key_hash| KeyClaim { key_hash, request_hash: [1; 32] }),
        limit: None,
        turn: TurnEffect::None,
    }
}
