//! What waiting customers are told beside an answer, once.

use domain::{
    assistant::{
        TurnResult,
        ports::{TurnStore, WaitingStore},
    },
    ids::MessageId,
    messages::{PreparedReply, ReplyAuthor},
};
use time::{Duration, OffsetDateTime};

use super::{NOW, id, large, quiet, record, spoken};

#[tokio::test]
async fn a_customer_is_told_to_wait_once_for_all_that_they_wait_for() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let claim = async |at: OffsetDateTime| {
        store.claim_turn(large(), at, at + Duration::SECOND).await.unwrap().unwrap()
    };
    let tell = async |turn: &domain::assistant::DueTurn, number, at| {
        store.tell_to_wait(large(), turn, id(7, number).into(), at).await.unwrap()
    };
    spoken(&store.database, true, NOW).await;
    let turn = claim(NOW + Duration::seconds(3)).await;
    assert_eq!(turn.notices, []);
    let at = NOW + Duration::seconds(18);
    // Of two who are at it at once, one tells them.
    let (one, other) = tokio::join!(tell(&turn, 50_001, at), tell(&turn, 50_002, at));
    assert!(one != other, "{one} {other}");
    let told: MessageId = id(7, if one { 50_001 } else { 50_002 }).into();
    let noted = "SELECT wait_message_id FROM conversations WHERE id = $1";
    let noted = client.query_one(noted, &[&id(6, 7)]).await.unwrap().get::<_, Option<uuid::Uuid>>(0);
    assert_eq!(noted, Some(told.uuid()));
    // Nor is it said again after a kill, or once they have written on.
    spoken(&store.database, true, at).await;
    assert!(!tell(&turn, 50_003, at).await, "what was heard has changed");
    let handed_over: MessageId = id(7, 50_007).into();
    let before = "UPDATE conversations SET hand_over_message_id = $2 WHERE id = $1";
    client.execute(before, &[&id(6, 7), &handed_over.uuid()]).await.unwrap();
    let turn = claim(at + Duration::seconds(10)).await;
    assert_eq!(turn.notices, [told, handed_over]);
    assert!(!tell(&turn, 50_004, at).await);
    // The next waiting is another.
    store.finish_turn(large(), &turn, Some(record(50_001, TurnResult::Answered))).await.unwrap();
    assert!(!tell(&turn, 50_005, at).await, "nobody waits");
    let later = at + Duration::MINUTE;
    spoken(&store.database, true, later).await;
    let turn = claim(later + Duration::seconds(3)).await;
    assert!(tell(&turn, 50_006, later + Duration::seconds(20)).await);
    explained.ran().await;
}

fn one_more(number: u128) -> PreparedReply {
    PreparedReply {
        id: id(7, number).into(),
        conversation: id(6, 7).into(),
        author: ReplyAuthor::Assistant,
        text: "نعتذر عن الانتظار".to_owned(),
        buttons: Vec::new(),
        summary_of: None,
        until: NOW + Duration::HOUR,
        fence: None,
        handed_over_at: Some(NOW),
    }
}

#[tokio::test]
async fn who_writes_on_after_a_hand_over_is_told_one_sentence_more_whoever_looks() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    spoken(&store.database, true, NOW - Duration::HOUR).await;
    let open = "UPDATE conversations SET status = 'open', handed_over_at = '2026-11-22 10:00Z' WHERE id = $1";
    client.execute(open, &[&id(6, 7)]).await.unwrap();
    let prepared = async || {
        client
            .query_one("SELECT count(*) FROM prepared_replies WHERE conversation_id = $1", &[&id(6, 7)])
            .await
            .unwrap()
            .get::<_, i64>(0)
    };
    let before = prepared().await;
    let claim = async |at: OffsetDateTime| {
        store.claim_waiting(large(), at, at + Duration::seconds(10)).await.unwrap()
    };
    assert_eq!(claim(NOW).await, None);
    let wrote = NOW + Duration::MINUTE;
    spoken(&store.database, true, wrote).await;
    assert_eq!(store.workspaces_where_customers_wait(wrote).await.unwrap(), [large()]);
    let (one, other) = tokio::join!(claim(wrote), claim(wrote));
    let waiting = one.xor(other).unwrap();
    assert_eq!((waiting.conversation, waiting.handed_over_at), (id(6, 7).into(), NOW));
    // Nothing to say yet: they are looked at when they write again.
    store.settle_waiting(large(), &waiting, None).await.unwrap();
    assert_eq!((claim(wrote + Duration::HOUR).await, prepared().await), (None, before));
    spoken(&store.database, true, wrote).await;
    // A claim that a dead process has left ends, and what both say is said once.
    let dead = claim(wrote).await.unwrap();
    let next = claim(wrote + Duration::seconds(11)).await.unwrap();
    store.settle_waiting(large(), &next, Some(one_more(60_001))).await.unwrap();
    store.settle_waiting(large(), &dead, Some(one_more(60_002))).await.unwrap();
    assert_eq!(prepared().await, before + 1);
    // Whoever was told is looked at no more.
    spoken(&store.database, true, wrote + Duration::MINUTE).await;
    assert_eq!(claim(wrote + Duration::HOUR).await, None);
    explained.ran().await;
}
