//! One worker is gone.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use reqwest::Method;
use serde_json::json;

use crate::{
    cluster::{Worker, connect, home},
    support::{Answer, Api, Receiver, World, eventually},
};

/// The neighbour's account at the network, and its number there.
const ACCOUNT: &str = "102290129340416";
const NUMBER: &str = "106540352242955";

/// Most workspaces made to find two that live apart.
const TRIES: usize = 32;

/// Another workspace, with a key.
fn another(world: &World, number: usize) -> (String, String) {
    let email = format!("owner{number}@other.example");
    let made = world.operator(&["workspace", "create", "--name", "Other", "--owner-email", &email]);
    let workspace = made.lines().find_map(|line| line.strip_prefix("workspace ")).unwrap().trim().to_owned();
    let scopes = ["--scope", "contacts:read", "--scope", "contacts:write", "--scope", "conversations:read"];
    let key = world.operator(&[&["key", "create", &workspace, "--label", "tests"], &scopes[..]].concat());
    let key = key.lines().find(|line| line.starts_with("msk_")).unwrap().to_owned();
    (workspace, key)
}

/// Where the world's workspace lives, and a workspace that lives apart from it, with its key.
async fn two_apart(world: &World) -> (Worker, (String, String)) {
    let client = connect(&world.secrets.database_url).await;
    let harmed = home(&client, &world.workspace).await;
    for number in 0..TRIES {
        let (workspace, key) = another(world, number);
        if home(&client, &workspace).await != harmed {
            return (harmed, (workspace, key));
        }
    }
    panic!("{TRIES} workspaces live on one worker");
}

#[tokio::test]
async fn a_stopped_worker_harms_only_the_workspaces_that_live_on_it() {
    let world = World::new().await;
    let (harmed, (_, key)) = two_apart(&world).await;
    let ours = world.api();
    let theirs = Api::new(world.service.base_url(), &key);
    assert_eq!((ours.get("/v1/me").await.status, theirs.get("/v1/me").await.status), (200, 200));

    harmed.stop(&world.secrets.database_url).await;
    let ready = Api::new(world.service.admin_url(), "");
    let while_stopped = [
        ("/readyz", Answer::to(ready.bare(Method::GET, "/readyz")).await.status),
        ("/v1/me of the others", theirs.get("/v1/me").await.status),
        ("reading of the others", theirs.get("/v1/contacts").await.status),
        (
            "writing of the others",
            theirs.post("/v1/contacts", &json!({ "phone": "+9647701234567" })).await.status,
        ),
    ];
    let of_the_stopped = ours.get("/v1/contacts").await.status;
    harmed.start(&world.secrets.database_url).await;

    let wrong: Vec<_> =
        while_stopped.into_iter().filter(|(_, status)| !matches!(status, 200 | 201)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(of_the_stopped >= 500, "what lives on a stopped worker was answered {of_the_stopped}");
    eventually("the workspace of the worker that came back", async || {
        (ours.get("/v1/contacts").await.status == 200).then_some(())
    })
    .await;
}

/// Checks what happens to a workspace without a request of its own: a customer writes, and what could not be
/// delivered is delivered later. Background work looks for work in all workspaces at once.
async fn is_served(world: &World, workspace: &str, receiver: &Receiver) {
    let traffic = json!({ "channelIds": [NUMBER], "people": 1 });
    receiver.answer_with(500);
    world.control(Method::POST, "traffic", &traffic).await;
    let failed = receiver.next_of("message.received").await;
    let rows = world.rows().await;
    eventually("an attempt that failed", async || {
        let waiting = format!("delivery_queue WHERE workspace_id = '{workspace}' AND attempt = 2");
        (rows.count(&waiting).await > 0).then_some(())
    })
    .await;
    receiver.answer_with(200);
    rows.change(&format!("UPDATE delivery_queue SET due_at = now() WHERE workspace_id = '{workspace}'"))
        .await;
    let delivered = receiver.next_of("message.received").await;
    assert_eq!(delivered.text("/id"), failed.text("/id"));
}

#[tokio::test]
async fn while_a_worker_is_stopped_the_others_work_is_found_also_by_a_node_that_starts_then() {
    let mut world = World::new().await;
    let (harmed, (workspace, _)) = two_apart(&world).await;
    world.operator(&["account", "connect", &workspace, "--id", ACCOUNT, "--token", "token-of-the-demo"]);
    let receiver = Receiver::start().await;
    world.operator(&["webhook", "add", &workspace, receiver.url(), "--event", "message.received"]);

    harmed.stop(&world.secrets.database_url).await;
    // Whatever comes of it, the worker is started again: the next test needs it.
    let served = AssertUnwindSafe(async {
        is_served(&world, &workspace, &receiver).await;
        world.crash_and_restart().await;
        is_served(&world, &workspace, &receiver).await;
    });
    let served = served.catch_unwind().await;
    harmed.start(&world.secrets.database_url).await;
    if let Err(failed) = served {
        std::panic::resume_unwind(failed);
    }
    let ours = world.api();
    eventually("the workspace of the worker that came back", async || {
        (ours.get("/v1/contacts").await.status == 200).then_some(())
    })
    .await;
}
