//! The workspace's settings and its groups.

use serde_json::json;

use super::stage::Stage;

#[tokio::test]
async fn an_owner_changes_what_the_workspace_is_called_speaks_and_where_it_is() {
    let stage = Stage::new().await;
    assert_eq!(stage.owner.get("/workspace").await.text("/timeZone"), "Asia/Baghdad");
    let asked = json!({ "name": " Palm ", "region": "jo", "timeZone": "asia/amman" });
    let changed = stage.owner.patch("/workspace", &asked).await;
    let wanted = json!({
        "id": stage.workspace, "name": "Palm", "locale": "ar", "region": "JO", "timeZone": "Asia/Amman",
    });
    assert_eq!((changed.status, &changed.body), (200, &wanted));
    let agent = stage.joined("agent@palm.example", "agent").await;
    assert_eq!(agent.get("/workspace").await.body, wanted);
    for body in [
        json!({ "name": " " }),
        json!({ "locale": "Arabic" }),
        json!({ "region": "XX" }),
        json!({ "timeZone": "+03:00" }),
        json!({ "plan": "free" }),
    ] {
        stage.owner.patch("/workspace", &body).await.assert_error(400, &body.to_string());
    }
    let mistyped = stage.owner.patch("/workspace", &json!({ "timeZone": "Amman" })).await;
    assert!(mistyped.status == 400 && mistyped.body.to_string().contains("Asia/Amman"), "{mistyped:?}");
    // An offset is the zone of the region that has it: of the workspace's, which is Jordan, or of the one
    // that comes along.
    for (asked, told) in [
        (json!({ "timeZone": "GMT+3" }), "the nearest is Asia/Amman"),
        (json!({ "timeZone": "GMT+3", "region": "IQ" }), "the nearest is Asia/Baghdad"),
        (json!({ "timeZone": "GMT-3" }), "is no time zone's name: those of the IANA are"),
    ] {
        let refused = stage.owner.patch("/workspace", &asked).await;
        assert!(refused.status == 400 && refused.text("/message").contains(told), "{refused:?}");
    }
    let by_agent = agent.patch("/workspace", &json!({ "timeZone": "UTC" })).await;
    by_agent.assert_refused(403, "owner_only", &json!({}), "an agent");
    let neighbour = stage.neighbour().await;
    assert_eq!(neighbour.get("/workspace").await.text("/timeZone"), "Asia/Baghdad");
    let log = stage.owner.get("/audit?action=workspace.changed").await;
    let told = json!({ "name": "Palm", "region": "JO", "timeZone": "Asia/Amman" });
    assert_eq!(log.body["rows"][0]["details"], told);
    assert_eq!(log.body["rows"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_owner_makes_groups_fills_them_and_deletes_them_with_their_conversations_left() {
    let stage = Stage::new().await;
    let agent = stage.joined("agent@palm.example", "agent").await;
    let member = agent.member_id().await;
    let added = stage.owner.post("/groups", &json!({ "name": "Sales" })).await;
    assert_eq!(added.status, 201, "{added:?}");
    let group = added.text("/id").to_owned();
    let (path, place) = (format!("/groups/{group}"), format!("/groups/{group}/members/{member}"));
    let put = async || {
        let request = stage.owner.request(reqwest::Method::PUT, &place);
        crate::support::Answer::to(request).await.status
    };
    assert_eq!((put().await, put().await), (204, 204));
    assert_eq!(stage.owner.patch(&path, &json!({ "name": "Support" })).await.status, 204);
    let listed = agent.get("/groups").await;
    assert_eq!(
        (listed.text("/rows/0/name"), &listed.body["rows"][0]["memberIds"]),
        ("Support", &json!([member]))
    );

    let rows = stage.rows().await;
    let workspace = &stage.workspace;
    rows.change(&format!(
        "INSERT INTO accounts VALUES ('{workspace}', '{group}', 'a', '', now(), NULL, now());
         INSERT INTO channels VALUES
            ('{workspace}', '{group}', 'whatsapp', '{group}', 'n', NULL, false, now(), 0, NULL);
         INSERT INTO contacts (workspace_id, id, source, created_at)
            VALUES ('{workspace}', '{group}', 'messaged', now());
         INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, group_id,
                                    last_message_at, created_at)
            VALUES ('{workspace}', '{group}', '{group}', '{group}', 'whatsapp', 'open', '{group}', now(), now())"
    ))
    .await;
    assert_eq!(stage.owner.delete(&place).await.status, 204);
    stage.owner.delete(&place).await.assert_error(404, "taken out before");
    assert_eq!(put().await, 204);
    assert_eq!(stage.owner.delete(&path).await.status, 204);
    stage.owner.delete(&path).await.assert_error(404, "deleted before");
    assert_eq!(agent.get("/groups").await.body["rows"], json!([]));
    let conversations = rows.texts("SELECT coalesce(group_id::text, 'none') FROM conversations").await;
    assert_eq!(conversations, ["none"]);
    stage.owner.post("/groups", &json!({ "name": "" })).await.assert_error(400, "no name");
}
