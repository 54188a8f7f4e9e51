//! One worker is gone.

use serde_json::json;

use crate::{
    cluster::{connect, home},
    support::{Answer, Api, World, eventually},
};

/// How many workspaces are made at most to find two that live apart.
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

#[tokio::test]
async fn a_stopped_worker_harms_only_the_workspaces_that_live_on_it() {
    let world = World::new().await;
    let client = connect(&world.secrets.database_url).await;
    let harmed = home(&client, &world.workspace).await;
    let mut apart = None;
    for number in 0..TRIES {
        let (workspace, key) = another(&world, number);
        if home(&client, &workspace).await != harmed {
            apart = Some(key);
            break;
        }
    }
    let ours = world.api();
    let theirs = Api::new(world.service.base_url(), &apart.expect("a workspace on another worker"));
    assert_eq!((ours.get("/v1/me").await.status, theirs.get("/v1/me").await.status), (200, 200));

    harmed.stop(&world.secrets.database_url).await;
    let ready = Api::new(world.service.admin_url(), "");
    let while_stopped = [
        ("/readyz", Answer::to(ready.bare(reqwest::Method::GET, "/readyz")).await.status),
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
