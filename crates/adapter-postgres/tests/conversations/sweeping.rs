use std::sync::Arc;

use domain::{
    automations::{Minutes, Settings, Sweep, Swept, ports::AutomationStore},
    conversation::{Conversation, ConversationStatus},
    conversations::{Command, Move},
    messages::{Message, Role},
    testing::ManualClock,
};
use time::Duration;

use crate::conversations::world::{START, World, conversation, entry, id, message, workspace};

fn minutes(minutes: u32) -> Minutes {
    Minutes::try_from(minutes).unwrap()
}

/// Adds conversation `number`, held by member 1, with a last message at that minute from this role.
async fn talk(world: &World, number: u32, role: Role, after: i64) {
    let at = START + Duration::minutes(after);
    let held = Conversation {
        status: ConversationStatus::Open,
        assigned_to: Some(id(1)),
        contact: id(number),
        last_message_at: at,
        ..conversation(number)
    };
    world.add(workspace(1), &held).await;
    world.write(workspace(1), &Message { role, created_at: at, ..message(number, 1) }).await;
}

fn sweep(world: &World, clock: &Arc<ManualClock>) -> Sweep {
    Sweep {
        settings: world.stores.automations.clone(),
        quiet: world.stores.automations.clone(),
        change: Arc::new(world.moving_by(clock.clone())),
        clock: clock.clone(),
    }
}

async fn status(world: &World, number: u32) -> ConversationStatus {
    world.found(id(number)).await.status
}

#[tokio::test]
async fn a_conversation_in_which_nobody_writes_is_closed_when_its_time_has_come_and_the_event_says_by_what() {
    let world = World::new().await;
    world.listen("conversation.closed").await;
    let clock = Arc::new(ManualClock::at(START));
    let sweep = sweep(&world, &clock);
    talk(&world, 1, Role::Team, 0).await;
    talk(&world, 2, Role::Customer, 10).await;
    assert_eq!(sweep.workspaces().await.unwrap(), [], "it is off until it is turned on");
    let settings = Settings { idle_close: Some(minutes(60)), ..Settings::default() };
    assert!(world.stores.automations.set(workspace(1), &settings, &entry(START)).await.unwrap());
    clock.advance(std::time::Duration::from_secs(60 * 60 - 1));
    assert_eq!(sweep.workspaces().await.unwrap(), []);
    clock.advance(std::time::Duration::from_secs(1));
    assert_eq!(sweep.workspaces().await.unwrap(), [workspace(1)]);
    assert_eq!(sweep.run(workspace(1)).await.unwrap(), Swept { closed: 1, ..Swept::default() });
    assert_eq!(status(&world, 1).await, ConversationStatus::Closed);
    assert_eq!(status(&world, 2).await, ConversationStatus::Open);
    let owed = world.owed().await;
    assert_eq!(owed.len(), 1);
    assert_eq!(owed[0]["data"]["reason"], "idle_close");
    assert_eq!(sweep.workspaces().await.unwrap(), []);
}

#[tokio::test]
async fn a_customer_whom_nobody_answers_goes_back_to_the_assistant_and_an_answered_one_does_not() {
    let world = World::new().await;
    world.listen("conversation.returned").await;
    let clock = Arc::new(ManualClock::at(START + Duration::minutes(60)));
    let sweep = sweep(&world, &clock);
    talk(&world, 1, Role::Customer, 0).await;
    talk(&world, 2, Role::Team, 0).await;
    talk(&world, 3, Role::Customer, 50).await;
    let settings = Settings { unanswered_return: Some(minutes(30)), ..Settings::default() };
    assert!(world.stores.automations.set(workspace(1), &settings, &entry(START)).await.unwrap());
    assert_eq!(sweep.run(workspace(1)).await.unwrap(), Swept { returned: 1, ..Swept::default() });
    assert_eq!(status(&world, 1).await, ConversationStatus::Bot);
    assert_eq!(status(&world, 2).await, ConversationStatus::Open);
    assert_eq!(status(&world, 3).await, ConversationStatus::Open);
    assert_eq!(world.owed().await[0]["data"]["reason"], "unanswered_return");
    assert_eq!(sweep.workspaces().await.unwrap(), [], "an answered conversation is looked at once");

    let at = START + Duration::minutes(1);
    let heard = "UPDATE conversations SET last_message_at = $1 WHERE id = id(2)";
    world.client.execute(heard, &[&at]).await.unwrap();
    let again = Message { role: Role::Customer, created_at: at, ..message(2, 2) };
    world.write(workspace(1), &again).await;
    assert_eq!(sweep.run(workspace(1)).await.unwrap().returned, 1, "its next message counts");
}

#[tokio::test]
async fn taking_a_conversation_starts_its_time_anew() {
    let world = World::new().await;
    let clock = Arc::new(ManualClock::at(START + Duration::minutes(60)));
    let sweep = sweep(&world, &clock);
    talk(&world, 1, Role::Customer, 0).await;
    let settings =
        Settings { unanswered_return: Some(minutes(30)), idle_close: Some(minutes(30)), hours: None };
    assert!(world.stores.automations.set(workspace(1), &settings, &entry(START)).await.unwrap());
    let moving = world.moving_by(clock.clone());
    moving.run(workspace(1), id(1), &Move::manual(id(2), Command::Assign(id(2)))).await.unwrap();
    assert_eq!(sweep.run(workspace(1)).await.unwrap(), Swept::default());
    clock.advance(std::time::Duration::from_mins(30));
    assert_eq!(sweep.run(workspace(1)).await.unwrap().returned, 1);
}

#[tokio::test]
async fn settings_read_back_and_an_unknown_workspace_has_none() {
    let world = World::new().await;
    let hours =
        serde_json::from_str(r#"{"zone":"Asia/Baghdad","week":{"sunday":[["09:00","17:00"]]}}"#).unwrap();
    let settings = Settings { hours: Some(hours), idle_close: Some(minutes(1)), unanswered_return: None };
    assert_eq!(world.stores.automations.settings(workspace(1)).await.unwrap(), Settings::default());
    assert!(world.stores.automations.set(workspace(1), &settings, &entry(START)).await.unwrap());
    assert_eq!(world.stores.automations.settings(workspace(1)).await.unwrap(), settings);
    assert!(world.stores.automations.set(workspace(1), &Settings::default(), &entry(START)).await.unwrap());
    assert_eq!(world.stores.automations.settings(workspace(1)).await.unwrap(), Settings::default());
    assert!(!world.stores.automations.set(workspace(9), &settings, &entry(START)).await.unwrap());
}
