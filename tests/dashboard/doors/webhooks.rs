//! What the neighbour gets of our webhook addresses and what was delivered to them.

use reqwest::Method;
use serde_json::json;

use super::asking;
use crate::{
    dashboard::stage::{CONVERSATION, Stage},
    support::Browser,
};

/// An address of ours that was sent a ping, and a window of it that was sent again.
pub(super) async fn set_out(stage: &Stage) {
    let url = "http://127.0.0.1:9/palm.example";
    let added = stage.owner.post("/webhooks", &json!({ "url": url, "events": ["lead.captured"] })).await;
    assert_eq!(added.status, 201, "{added:?}");
    let address = format!("/webhooks/{}", added.text("/id"));
    assert_eq!(stage.owner.post(&format!("{address}/ping"), &json!({})).await.status, 202);
    let window = json!({ "since": "2020-01-01" });
    assert_eq!(stage.owner.post(&format!("{address}/resends"), &window).await.status, 201);
}

pub(super) async fn probe(stage: &Stage, neighbour: &Browser, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    if path == "/deliveries" {
        // Our contact has the id of our conversation.
        let found = ask(&format!("{path}?contactId={CONVERSATION}"), json!({})).await;
        return assert_eq!((found.status, &found.body["rows"]), (200, &json!([])));
    }
    let address = stage.owner.get("/webhooks").await.text("/rows/0/id").to_owned();
    let (kind, rest) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
    let id = if kind == "webhooks" {
        address
    } else {
        stage.owner.get(&format!("/webhooks/{address}/{kind}")).await.text("/rows/0/id").to_owned()
    };
    let body = match (method.as_str(), rest) {
        ("PATCH", _) => json!({ "events": ["order.placed"] }),
        ("POST", "{id}/resends") => json!({ "since": "2020-01-01" }),
        _ => json!({}),
    };
    ask(&path.replace("{id}", &id), body).await.assert_error(404, path);
}
