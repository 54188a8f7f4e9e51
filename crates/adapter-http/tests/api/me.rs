//! `GET /v1/me`.

use domain::testing::{a_caller, a_workspace};
use serde_json::json;

use crate::{service::Ports, wire::answer};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_learns_its_workspace_and_its_scopes() {
    let mut ports = Ports::new();
    ports.workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
    let service = ports.start();
    let answer = answer(service.call("GET", "/v1/me")).await;
    let wanted = json!({
        "team": { "id": a_workspace().id, "name": "Palm Store" },
        "key": {
            "id": a_caller().key,
            "scopes": ["contacts:read", "contacts:write", "conversations:read", "messages:send"]
        }
    });
    assert_eq!((answer.status, answer.body), (200, wanted));
}
