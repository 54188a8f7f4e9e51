//! What another workspace's owner gets of our broadcasts.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::stage::{CONVERSATION, Stage},
    asking,
};
use crate::support::{Answer, Browser};

fn to(audience: &Value) -> Value {
    json!({ "name": "Palm Store's offer", "template": "store_hours", "audience": audience })
}

/// A draft of ours, written to our store: nothing of a network is needed for it.
pub(super) async fn set_out(stage: &Stage) {
    let draft = format!(
        "INSERT INTO broadcasts (workspace_id, id, name, state, content, audience, author_id, created_at, collected)
         VALUES ('{}', '{CONVERSATION}', 'Palm Store''s offer', 'draft',
                 '{{\"template\": \"store_hours\", \"variables\": {{}}, \"buttonVariables\": []}}',
                 '{{\"filter\": {{}}}}', '{}', now(), false)",
        stage.workspace,
        stage.owner.member_id().await,
    );
    stage.rows().await.change(&draft).await;
    assert_eq!(stage.owner.get("/broadcasts").await.text("/rows/0/id"), CONVERSATION);
}

/// Probes all operations; one without a case fails by its name.
pub(super) async fn probe(stage: &Stage, neighbour: &Browser, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    match (method.as_str(), path) {
        ("GET", "/broadcasts" | "/broadcast-lists") => {
            assert_eq!(ask(path, json!({})).await.body["rows"], json!([]));
        }
        ("GET", "/broadcast-prices") => {
            assert_eq!(ask(path, json!({})).await.body["prices"], json!({}));
        }
        // What they write down is theirs.
        ("PUT", "/broadcast-prices") => {
            let theirs = json!({ "currency": "USD", "prices": {} });
            assert_eq!(ask(path, theirs).await.status, 204);
            assert_eq!(stage.owner.get(path).await.text("/currency"), "");
        }
        ("POST", "/broadcast-lists") => {
            let list = neighbour
                .request(method.clone(), &format!("{path}?name=a"))
                .header("content-type", "text/csv");
            assert_eq!(Answer::to(list.body("phone\n")).await.status, 201);
            assert_eq!(stage.owner.get(path).await.body["rows"], json!([]));
        }
        ("DELETE", "/broadcast-lists/{id}") => {
            ask(&path.replace("{id}", CONVERSATION), json!({})).await.assert_error(404, path);
        }
        // Whoever is named by an id of ours is nobody in theirs, and the template is not theirs either.
        ("POST", "/broadcasts" | "/broadcasts/preview") => {
            let ours = stage.owner.get("/contacts").await.text("/rows/0/contact/id").to_owned();
            let answer = ask(path, to(&json!({ "contactIds": [ours] }))).await;
            answer.assert_error(400, path);
            assert!(!answer.body.to_string().contains("96477"), "{answer:?}");
        }
        (
            "GET" | "PUT" | "DELETE" | "POST",
            "/broadcasts/{id}"
            | "/broadcasts/{id}/people"
            | "/broadcasts/{id}/people/export"
            | "/broadcasts/{id}/start"
            | "/broadcasts/{id}/pause"
            | "/broadcasts/{id}/resume"
            | "/broadcasts/{id}/cancel",
        ) => {
            let body = if *method == Method::PUT { to(&json!({ "filter": {} })) } else { json!({}) };
            ask(&path.replace("{id}", CONVERSATION), body).await.assert_error(404, path);
        }
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    }
}
