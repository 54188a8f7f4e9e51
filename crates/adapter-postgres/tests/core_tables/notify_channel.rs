//! Nodes that wake each other.

use std::{collections::HashSet, sync::Arc};

use adapter_postgres::{Heard, PgNotifyChannel};
use domain::ids::WorkspaceId;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::core_tables::world::World;

/// Connections on which a channel waits.
const LISTENING: &str = "pg_stat_activity WHERE datname = current_database() AND state = 'idle'
                         AND query LIKE '%LISTEN webhook%'";

/// Runs a channel, and answers what it hears.
fn run(notify_channel: &Arc<PgNotifyChannel>) -> UnboundedReceiver<WorkspaceId> {
    let (sender, heard) = unbounded_channel();
    let hear: Heard = Arc::new(move |workspace| {
        let _ = sender.send(workspace);
    });
    let notify_channel = Arc::clone(notify_channel);
    tokio::spawn(async move { notify_channel.run(Some(hear), None).await });
    heard
}

#[tokio::test]
async fn a_node_hears_what_others_tell_and_not_itself() {
    let world = World::new().await;
    let [one, other] =
        [world.stores.clone(), world.other_node()].map(|node| Arc::new(node.database.notify_channel()));
    let (mut one_hears, mut other_hears) = (run(&one), run(&other));
    while world.count(LISTENING).await < 2 {
        tokio::task::yield_now().await;
    }
    let workspaces: Vec<WorkspaceId> = (0..3).map(|_| WorkspaceId::new(&*world.ids)).collect();
    one.tell(workspaces[0]);
    assert_eq!(other_hears.recv().await, Some(workspaces[0]));
    other.tell(workspaces[1]);
    assert_eq!(one_hears.recv().await, Some(workspaces[1]), "not what it told itself");

    world.stores.database.tell(&HashSet::from([workspaces[2]])).await.unwrap();
    assert_eq!(one_hears.recv().await, Some(workspaces[2]));
    assert_eq!(other_hears.recv().await, Some(workspaces[2]));
}

#[tokio::test]
async fn who_works_updates_off_hears_of_them_and_of_nothing_else() {
    let world = World::new().await;
    let [one, other] =
        [world.stores.clone(), world.other_node()].map(|node| Arc::new(node.database.notify_channel()));
    let (sender, mut hears) = unbounded_channel();
    let hear: Heard = Arc::new(move |workspace| {
        let _ = sender.send(workspace);
    });
    tokio::spawn(async move { other.run(None, Some(hear)).await });
    let listening = LISTENING.replace("LISTEN webhook", "LISTEN updates");
    while world.count(&listening).await < 1 {
        tokio::task::yield_now().await;
    }
    let _telling = run(&one);
    let workspaces: Vec<WorkspaceId> = (0..2).map(|_| WorkspaceId::new(&*world.ids)).collect();
    one.tell(workspaces[0]);
    one.tell_of_updates(workspaces[1]);
    assert_eq!(hears.recv().await, Some(workspaces[1]));
}

#[tokio::test]
async fn more_workspaces_than_fit_one_notification_are_all_told() {
    let world = World::new().await;
    let notify_channel = Arc::new(world.other_node().database.notify_channel());
    let mut heard = run(&notify_channel);
    while world.count(LISTENING).await < 1 {
        tokio::task::yield_now().await;
    }
    let told: HashSet<WorkspaceId> = (0..500).map(|_| WorkspaceId::new(&*world.ids)).collect();
    world.stores.database.tell(&told).await.unwrap();
    let mut all = HashSet::new();
    while all.len() < told.len() {
        all.insert(heard.recv().await.unwrap());
    }
    assert_eq!(all, told);
}

#[tokio::test]
async fn a_channel_whose_connection_was_killed_tells_and_hears_over_another() {
    let world = World::new().await;
    let [one, other] =
        [world.stores.clone(), world.other_node()].map(|node| Arc::new(node.database.notify_channel()));
    let (mut one_hears, mut other_hears) = (run(&one), run(&other));
    while world.count(LISTENING).await < 2 {
        tokio::task::yield_now().await;
    }
    let pids = world.texts(&format!("SELECT pid::text FROM {LISTENING}")).await.join(", ");
    let killed = world.texts(&format!("SELECT pg_terminate_backend(pid)::text FROM {LISTENING}")).await;
    assert_eq!(killed, ["true", "true"]);
    let workspaces: Vec<WorkspaceId> = (0..2).map(|_| WorkspaceId::new(&*world.ids)).collect();
    let again = format!("{LISTENING} AND pid NOT IN ({pids})");
    while world.count(&again).await < 2 {
        tokio::task::yield_now().await;
    }
    one.tell(workspaces[0]);
    assert_eq!(other_hears.recv().await, Some(workspaces[0]));
    other.tell(workspaces[1]);
    assert_eq!(one_hears.recv().await, Some(workspaces[1]));
}
