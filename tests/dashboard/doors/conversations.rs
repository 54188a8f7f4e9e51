//! What another workspace's owner gets of our conversations, and of who is in them.

use reqwest::Method;
use serde_json::json;

use super::{
    super::stage::{CONVERSATION, GROUP, Stage, conversation},
    SECOND, THEIRS, asking,
};
use crate::support::Browser;

/// Probes all operations; one without a case fails by its name. `member` is ours.
pub(super) async fn probe(stage: &Stage, neighbour: &Browser, member: &str, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    let written = async |body| ask(&path.replace("{id}", CONVERSATION), body).await.assert_error(404, path);
    match (method.as_str(), path) {
        ("GET", "/conversations") => probe_inbox(stage, neighbour, member).await,
        _ if path.starts_with("/messages") => probe_messages(stage, neighbour, method, path).await,
        _ if path.starts_with("/contacts") => probe_contacts(stage, neighbour, method, path).await,
        (
            "GET",
            "/conversations/{id}"
            | "/conversations/{id}/messages"
            | "/conversations/{id}/notes"
            | "/conversations/{id}/presence"
            | "/conversations/{id}/templates"
            | "/conversations/{id}/orders/{reference}"
            | "/conversations/{id}/customer"
            | "/conversations/{id}/slots"
            | "/conversations/{id}/drafts",
        ) => {
            let ours = path.replace("{id}", CONVERSATION).replace("{reference}", "5001");
            ask(&ours, json!({})).await.assert_error(404, path);
        }
        ("GET", "/conversations/{id}/messages/search") => {
            let ours = format!("{}?q=ready", path.replace("{id}", CONVERSATION));
            assert_eq!(stage.owner.get(&ours).await.status, 200);
            ask(&ours, json!({})).await.assert_error(404, path);
        }
        ("POST", "/conversations/{id}/notes") => {
            let own = format!("/conversations/{THEIRS}/notes");
            ask(&path.replace("{id}", CONVERSATION), json!({ "text": "Hello" }))
                .await
                .assert_error(404, path);
            ask(&own, json!({ "text": "Hello", "mentions": [member] })).await.assert_error(404, path);
        }
        ("DELETE", "/conversations/{id}/mentions") | ("POST", "/conversations/{id}/messages") => {
            ask(&path.replace("{id}", CONVERSATION), json!({ "text": "Hello" }))
                .await
                .assert_error(404, path);
        }
        ("POST", "/conversations/{id}/drafts") => {
            let body = json!({ "kind": "cancellation", "reference": "5001", "reason": "late" });
            ask(&path.replace("{id}", CONVERSATION), body).await.assert_error(404, path);
        }
        ("POST", "/conversations/{id}/leads") => written(json!({ "need": "a kettle" })).await,
        ("POST", "/conversations/{id}/products") => written(json!({ "productId": "1001" })).await,
        ("POST", "/conversations/{id}/booking-requests") => written(json!({ "service": "a haircut" })).await,
        ("POST", "/conversations/{id}/template") => written(json!({ "template": "order_ready" })).await,
        ("POST", "/conversations/{id}/moves") => {
            for going in ["take", "close", "return", "handOver", "takeOutOfGroups"] {
                let moved = ask(&path.replace("{id}", CONVERSATION), json!({ "do": going })).await;
                moved.assert_error(404, going);
            }
            let own = path.replace("{id}", THEIRS);
            let (to_us, to_group) = (
                json!({ "do": "assign", "memberId": member }),
                json!({ "do": "sendToGroup", "groupId": GROUP }),
            );
            let of_ours = json!({ "do": "undo", "messageId": CONVERSATION });
            ask(&own, of_ours).await.assert_refused(409, "moved_on", &json!({}), "a line of ours");
            ask(&own, to_us).await.assert_refused(404, "member_not_found", &json!({}), "our member");
            ask(&own, to_group).await.assert_refused(404, "group_not_found", &json!({}), "our group");
        }
        ("PUT", "/conversations/{id}/presence") => {
            ask(&path.replace("{id}", CONVERSATION), json!({ "doing": "looking" }))
                .await
                .assert_error(404, path);
        }
        // It ends nothing but one's own.
        ("DELETE", "/conversations/{id}/presence") => {
            assert_eq!(ask(&path.replace("{id}", CONVERSATION), json!({})).await.status, 204);
        }
        ("PUT", "/conversations/{id}/seen") => {
            let seen = json!({ "messageId": CONVERSATION });
            ask(&path.replace("{id}", CONVERSATION), seen).await.assert_error(404, path);
        }
        ("POST", "/conversations/{id}/tags") => {
            ask(&path.replace("{id}", CONVERSATION), json!({ "tag": "VIP" })).await.assert_error(404, path);
        }
        ("DELETE", "/conversations/{id}/tags") => {
            let path = format!("{}?tag=vip", path.replace("{id}", CONVERSATION));
            ask(&path, json!({})).await.assert_error(404, &path);
        }
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    }
}

/// Checks that no list shows anything of ours.
async fn probe_inbox(stage: &Stage, neighbour: &Browser, member: &str) {
    for query in [
        "",
        "?view=mine",
        "?view=unassigned",
        &format!("?view=group&groupId={GROUP}"),
        "?tag=VIP",
        "?search=a",
    ] {
        let shown = neighbour.get(&format!("/conversations{query}")).await;
        assert_eq!(shown.status, 200, "{shown:?}");
        let shown = shown.body.to_string();
        assert!(!shown.contains(CONVERSATION) && !shown.contains(member), "{query}: {shown}");
    }
    let rows = stage.rows().await;
    conversation(&rows, &stage.workspace, SECOND, "NULL").await;
    let ours = stage.owner.get("/conversations?limit=1").await;
    let stolen = format!("/conversations?cursor={}", ours.text("/nextCursor"));
    neighbour.get(&stolen).await.assert_error(400, "our cursor");
}

/// Checks that nobody of ours is found, named or written to.
async fn probe_contacts(stage: &Stage, neighbour: &Browser, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    match (method.as_str(), path) {
        // It is added to the workspace of whoever asks.
        ("POST", "/contacts") => {}
        ("GET", "/contacts") => {
            let ours = stage.owner.get(path).await;
            assert!(ours.body.to_string().contains(CONVERSATION), "{ours:?}");
            let shown = ask(path, json!({})).await;
            assert_eq!(shown.status, 200, "{shown:?}");
            assert!(!shown.body.to_string().contains(CONVERSATION), "{shown:?}");
        }
        ("GET", "/contacts/export") => {
            let file = neighbour.request(method.clone(), path).send().await.unwrap();
            let (status, file) = (file.status(), file.text().await.unwrap());
            assert!(status == 200 && file.lines().count() <= 2, "{file}");
        }
        ("GET" | "POST", "/contacts/{id}/templates" | "/contacts/{id}/template") => {
            let template = json!({ "template": "order_ready" });
            ask(&path.replace("{id}", CONVERSATION), template).await.assert_error(404, path);
        }
        ("GET" | "PUT", "/contacts/{id}/marketing") => {
            let ours = path.replace("{id}", CONVERSATION);
            ask(&ours, json!({ "stopped": true })).await.assert_error(404, path);
        }
        ("GET" | "PATCH", "/contacts/{id}") => {
            ask(&path.replace("{id}", CONVERSATION), json!({ "name": "Taken" }))
                .await
                .assert_error(404, path);
        }
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    }
}

/// Checks that no message of ours is found or explained.
async fn probe_messages(stage: &Stage, neighbour: &Browser, method: &Method, path: &str) {
    match (method.as_str(), path) {
        ("GET", "/messages") => {
            let found = neighbour.get("/messages?reference=order-1042").await;
            assert_eq!((found.status, &found.body["data"]), (200, &json!([])), "{found:?}");
            // The tests of messages find these by both.
            for clue in ["phone=%2B9647701234567", "networkId=wamid.x"] {
                let found = neighbour.get(&format!("/messages?{clue}")).await;
                assert_eq!((found.status, &found.body["data"]), (200, &json!([])), "{found:?}");
            }
        }
        ("GET", "/messages/search") => {
            let query = "/messages/search?q=ready";
            assert!(!stage.owner.get(query).await.body["rows"].as_array().unwrap().is_empty());
            let found = neighbour.get(query).await;
            assert_eq!((found.status, &found.body["rows"]), (200, &json!([])), "{found:?}");
        }
        ("GET", "/messages/{id}") => {
            let ours = path.replace("{id}", SECOND);
            assert_eq!(stage.owner.get(&ours).await.status, 200);
            neighbour.get(&ours).await.assert_error(404, path);
        }
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    }
}
