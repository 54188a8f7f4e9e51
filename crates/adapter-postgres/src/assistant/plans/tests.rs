//! Answers under way, and what customers say meanwhile.

use domain::{
    assistant::{DueTurn, TurnResult, ports::TurnStore},
    fence::{Fence, TurnEffect},
    messages::ReplyAuthor,
    sending::ports::{ReserveOutcome, SendLedger},
};
use time::Duration;

use super::{NOW, answer, large, quiet, record, spoken};
use crate::explained::ExplainedStore;

/// Claims the turn of a customer who has written at [`NOW`], and begins to send its answer.
async fn on_its_way(explained: &ExplainedStore) -> DueTurn {
    let store = &*explained.stores.assistants;
    spoken(&store.database, true, NOW).await;
    let due = NOW + Duration::seconds(3);
    let turn = store.claim_turn(large(), due, due + Duration::MINUTE).await.unwrap().unwrap();
    let fence = Fence { conversation: turn.conversation, version: 1, heard: turn.heard };
    let first = answer(40_001, TurnEffect::Answers(fence), ReplyAuthor::Assistant);
    let begun = explained.stores.sends.begin(large(), &first).await.unwrap();
    assert!(matches!(begun, ReserveOutcome::Started), "{begun:?}");
    turn
}

#[tokio::test]
async fn who_writes_while_an_answer_is_on_its_way_waits_since_then() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let turn = on_its_way(&explained).await;
    let second = NOW + Duration::seconds(4);
    spoken(&store.database, true, second).await;
    spoken(&store.database, true, second + Duration::SECOND).await;
    store.finish_turn(large(), &turn, Some(record(40_001, TurnResult::Answered))).await.unwrap();
    let later = NOW + Duration::MINUTE;
    let next = store.claim_turn(large(), later, later + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((next.waiting_since, next.sending), (second, None));
    // A turn that was dropped has answered nobody.
    spoken(&store.database, true, later).await;
    store.finish_turn(large(), &next, Some(record(40_002, TurnResult::Dropped))).await.unwrap();
    let last = later + Duration::MINUTE;
    let last = store.claim_turn(large(), last, last + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!(last.waiting_since, second);
    explained.ran().await;
}

#[tokio::test]
async fn who_writes_while_an_answer_takes_long_waits_since_then_though_others_look_for_it_meanwhile() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let turn = on_its_way(&explained).await;
    let second = NOW + Duration::seconds(4);
    spoken(&store.database, true, second).await;
    // The burst has ended, and the network has not answered.
    for seconds in [7, 8] {
        let at = NOW + Duration::seconds(seconds);
        let found = store.claim_turn(large(), at, at + Duration::seconds(10)).await.unwrap().unwrap();
        assert_eq!(found.sending.map(|(id, _)| id), Some(super::id(7, 40_001).into()));
        store.postpone_turn(large(), &found, at + Duration::milliseconds(500)).await.unwrap();
    }
    store.finish_turn(large(), &turn, Some(record(40_001, TurnResult::Answered))).await.unwrap();
    let later = NOW + Duration::seconds(9);
    let next = store.claim_turn(large(), later, later + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((next.waiting_since, next.sending), (second, None));
    store.finish_turn(large(), &next, Some(record(40_002, TurnResult::Answered))).await.unwrap();
    assert_eq!(store.workspaces_with_turns(NOW + Duration::HOUR).await.unwrap(), []);
    explained.ran().await;
}

#[tokio::test]
async fn what_was_said_after_an_answer_is_not_answered_by_whoever_finds_it_sent_when_its_sender_has_died() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    on_its_way(&explained).await;
    let second = NOW + Duration::seconds(4);
    spoken(&store.database, true, second).await;
    let at = NOW + Duration::seconds(7);
    let found = store.claim_turn(large(), at, at + Duration::seconds(10)).await.unwrap().unwrap();
    assert!(found.sending.is_some());
    store.finish_turn(large(), &found, Some(record(40_001, TurnResult::Answered))).await.unwrap();
    let next = store.claim_turn(large(), at, at + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((next.waiting_since, next.sending), (second, None));
    store.finish_turn(large(), &next, Some(record(40_002, TurnResult::Answered))).await.unwrap();
    assert_eq!(store.workspaces_with_turns(NOW + Duration::HOUR).await.unwrap(), []);
    explained.ran().await;
}

#[tokio::test]
async fn where_nobody_has_said_anything_since_an_answer_nobody_waits_once_it_is_found_sent() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    on_its_way(&explained).await;
    let at = NOW + Duration::minutes(2);
    let found = store.claim_turn(large(), at, at + Duration::seconds(10)).await.unwrap().unwrap();
    assert!(found.sending.is_some());
    store.finish_turn(large(), &found, Some(record(40_001, TurnResult::Answered))).await.unwrap();
    assert_eq!(store.workspaces_with_turns(NOW + Duration::HOUR).await.unwrap(), []);
    explained.ran().await;
}

#[tokio::test]
async fn whoever_comes_back_late_to_a_turn_leaves_the_answer_that_another_has_on_its_way() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let turn = on_its_way(&explained).await;
    let claimed_after = async |seconds| {
        let at = NOW + Duration::seconds(seconds);
        store.claim_turn(large(), at, at + Duration::seconds(10)).await.unwrap().unwrap()
    };
    store.postpone_turn(large(), &turn, NOW + Duration::seconds(4)).await.unwrap();
    let found = claimed_after(5).await;
    assert_eq!(found.sending.map(|(id, _)| id), Some(super::id(7, 40_001).into()));
    // A refused answer is withdrawn, and asked for again.
    let fence = Fence { conversation: turn.conversation, version: 1, heard: turn.heard };
    let begun = answer(40_001, TurnEffect::Answers(fence), ReplyAuthor::Assistant).intent.attempt();
    assert_eq!(explained.stores.sends.release(large(), &[begun]).await.unwrap(), [begun]);
    store.postpone_turn(large(), &turn, NOW + Duration::seconds(6)).await.unwrap();
    assert_eq!(claimed_after(7).await.sending, None);
    explained.ran().await;
}
