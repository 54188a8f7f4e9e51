//! Moving a conversation, with the store and the clock in the test's hands.

use std::sync::Arc;

use domain::{
    conversation::{Conversation, ConversationStatus},
    conversations::{
        Actor, Change, ChangeConversation, ChangeError, Command, DecisionContext, Move, MoveRefusal,
        TeamMembership, ports::MockConversationStore,
    },
    errors::StoreError,
    events::{Customer, EventType},
    ids::MemberId,
    signals::MockSignals,
    testing::{a_caller, a_contact, a_conversation, a_workspace, deps_waking},
};
use uuid::Uuid;

fn context(conversation: Conversation) -> DecisionContext {
    DecisionContext {
        conversation,
        customer: Customer::of(&a_contact()),
        holder_is_here: true,
        moved_at: None,
        unanswered: false,
        group: None,
        member: TeamMembership::OnTeam,
    }
}

fn moving(store: MockConversationStore, woken: usize) -> ChangeConversation {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().times(woken).return_const(());
    ChangeConversation { store: Arc::new(store), deps: deps_waking(signals) }
}

async fn run(
    moving: ChangeConversation,
    command: Command,
) -> Result<domain::conversations::Moved, ChangeError> {
    moving.run(a_workspace().id, a_conversation().id, &Move::manual(a_caller().creator, command)).await
}

fn held_by(member: MemberId) -> Conversation {
    Conversation { status: ConversationStatus::Open, assigned_to: Some(member), ..a_conversation() }
}

#[pollster::test]
async fn a_lost_race_is_decided_again_on_what_the_winner_made() {
    let winner: MemberId = Uuid::from_u128(0x99).into();
    let mut store = MockConversationStore::new();
    let mut conversations = [a_conversation(), held_by(winner)].into_iter();
    store.expect_decision_context().times(2).returning(move |_, _, _| Ok(conversations.next().map(context)));
    store.expect_commit().times(1).returning(|_, _| Err(StoreError::Stale));
    let refused = run(moving(store, 0), Command::Take(a_caller().creator)).await;
    assert!(matches!(refused, Err(ChangeError::Refused(MoveRefusal::HeldBy(holder))) if holder == winner));
}

#[pollster::test]
async fn a_change_is_committed_as_decided_and_its_deliveries_are_woken() {
    let mut store = MockConversationStore::new();
    store.expect_decision_context().returning(|_, _, _| Ok(Some(context(a_conversation()))));
    let right = |change: &Change| {
        change.events.len() == 1
            && change.events.iter().all(|event| event.kind == EventType::ConversationClosed)
            && (change.before_version, change.conversation.version) == (1, 2)
    };
    store.expect_commit().withf(move |_, change| right(change)).times(1).returning(|_, _| Ok(()));
    let moved = run(moving(store, 1), Command::Close).await.unwrap();
    assert_eq!((moved.changed, moved.conversation.status), (true, ConversationStatus::Closed));
}

#[pollster::test]
async fn nothing_is_written_where_nothing_moves() {
    let mut store = MockConversationStore::new();
    store.expect_decision_context().returning(|_, _, _| Ok(Some(context(a_conversation()))));
    let moved = run(moving(store, 0), Command::Return).await.unwrap();
    assert!(!moved.changed);
}

#[pollster::test]
async fn an_unknown_conversation_and_a_store_that_keeps_moving_are_told() {
    let mut store = MockConversationStore::new();
    store.expect_decision_context().returning(|_, _, _| Ok(None));
    assert!(matches!(run(moving(store, 0), Command::Close).await, Err(ChangeError::NotFound)));

    let mut store = MockConversationStore::new();
    store.expect_decision_context().returning(|_, _, _| Ok(Some(context(a_conversation()))));
    store.expect_commit().returning(|_, _| Err(StoreError::Stale));
    let stale = run(moving(store, 0), Command::Close).await;
    assert!(matches!(stale, Err(ChangeError::Store(StoreError::Stale))));
}

#[pollster::test]
async fn every_conversation_of_who_leaves_is_let_go_of_and_told() {
    let gone = Uuid::from_u128(0x99).into();
    let mut store = MockConversationStore::new();
    store.expect_held_by().returning(|_, _| Ok(vec![a_conversation().id, Uuid::from_u128(1).into()]));
    store.expect_decision_context().returning(move |_, _, _| Ok(Some(context(held_by(gone)))));
    let waits = |change: &Change| {
        let conversation = &change.conversation;
        let told = change.events.iter().map(|event| event.kind).collect::<Vec<_>>();
        told == [EventType::ConversationAssigned]
            && (conversation.status, conversation.assigned_to) == (ConversationStatus::Open, None)
    };
    store.expect_commit().withf(move |_, change| waits(change)).times(2).returning(|_, _| Ok(()));
    let let_go = moving(store, 2).let_go_of(a_workspace().id, gone, a_caller().creator).await;
    assert_eq!(let_go.unwrap(), 2);
}

#[test]
fn a_reason_is_spelled_as_the_contract_spells_it() {
    for (actor, reason) in [
        (Actor::Member(a_caller().creator), "manual"),
        (Actor::Automation { name: "night shift".to_owned() }, "automation:night shift"),
        (Actor::Assistant { need: "wants a refund".to_owned() }, "ai_escalation: wants a refund"),
    ] {
        assert_eq!(actor.reason(), reason);
    }
}
