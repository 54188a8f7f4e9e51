//! Keys of the public API.

use serde_json::json;

use super::stage::Stage;
use crate::support::{Api, Browser};

async fn make(owner: &Browser, label: &str, scopes: &[&str]) -> (String, String) {
    let made = owner.post("/api-keys", &json!({ "label": label, "scopes": scopes })).await;
    assert_eq!(made.status, 201, "{made:?}");
    (made.text("/id").to_owned(), made.text("/key").to_owned())
}

#[tokio::test]
async fn an_owner_makes_a_key_sees_when_it_was_used_and_revokes_it() {
    let stage = Stage::new().await;
    let (id, key) = make(&stage.owner, " Web shop ", &["messages:send", "contacts:read"]).await;
    let listed = stage.owner.get("/api-keys").await;
    let row = &listed.body["rows"][0];
    assert_eq!((listed.text("/rows/0/id"), listed.text("/rows/0/label")), (&*id, "Web shop"));
    assert_eq!(row["scopes"], json!(["contacts:read", "messages:send"]));
    assert_eq!(row["creatorId"], json!(stage.owner.member_id().await));
    assert_eq!((&row["revokedAt"], &row["lastUsedAt"]), (&json!(null), &json!(null)));
    assert!(!listed.body.to_string().contains(&key));

    let api = Api::new(&stage.base_url, &key);
    assert_eq!(api.get("/v1/me").await.status, 200);
    let used = stage.owner.get("/api-keys").await;
    assert!(used.text("/rows/0/lastUsedAt").ends_with(":00.000Z"), "{used:?}");

    let path = format!("/api-keys/{id}");
    for _ in 0..2 {
        assert_eq!(stage.owner.delete(&path).await.status, 204);
    }
    api.get("/v1/me").await.assert_error(401, "a revoked key");
    assert!(stage.owner.get("/api-keys").await.body["rows"][0]["revokedAt"].is_string());
    for (action, wanted) in [
        ("api_key.issued", json!({ "label": "Web shop", "scopes": ["contacts:read", "messages:send"] })),
        ("api_key.revoked", json!({})),
    ] {
        let log = stage.owner.get(&format!("/audit?action={action}")).await;
        let rows = log.body["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((&rows[0]["subject"], &rows[0]["details"]), (&json!(id), &wanted));
    }
}

#[tokio::test]
async fn a_key_needs_a_label_and_scopes_that_there_are() {
    let stage = Stage::new().await;
    for body in [
        json!({ "label": " ", "scopes": ["contacts:read"] }),
        json!({ "label": "shop", "scopes": [] }),
        json!({ "label": "shop", "scopes": ["everything"] }),
        json!({ "label": "shop" }),
        json!({ "scopes": ["contacts:read"] }),
    ] {
        stage.owner.post("/api-keys", &body).await.assert_error(400, &body.to_string());
    }
    assert_eq!(stage.owner.get("/api-keys").await.body["rows"], json!([]));
}

#[tokio::test]
async fn an_owner_sees_what_is_used_of_the_plan() {
    let stage = Stage::new().await;
    let free = stage.owner.get("/usage").await;
    assert_eq!((&free.body["activeCustomers"], &free.body["activeCustomerLimit"]), (&json!(0), &json!(null)));
    let month = free.text("/month").to_owned();
    stage.operator(&["workspace", "plan", &stage.workspace, "--limit", "500", "--paused"]);
    let (workspace, rows) = (&stage.workspace, stage.rows().await);
    rows.change(&format!(
        "INSERT INTO contacts (workspace_id, id, source, active_month, created_at)
         SELECT '{workspace}', gen_random_uuid(), 'messaged', month, now()
         FROM unnest(ARRAY['{month}'::date, '{month}', '2020-01-01', NULL]) month"
    ))
    .await;
    let used = stage.owner.get("/usage").await;
    let wanted = json!({ "month": month, "activeCustomers": 2, "activeCustomerLimit": 500, "paused": true });
    assert_eq!(used.body, wanted);
}
