//! Asking what became of messages: by their ids, by the caller's own, in lists.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Api, World, earlier, eventually};

const UNKNOWN: &str = "/v1/messages/0192f0c1-7a00-7000-8000-0000000000ff";

/// A world with keys that see different things.
struct Asking {
    world: World,
    /// Key that reads conversations.
    reader: Api,
    /// Key that sends.
    sender: Api,
}

impl Asking {
    async fn new() -> Self {
        let world = World::new().await;
        let (reader, sender) = (world.api_with(&["conversations:read"]), world.api_with(&["messages:send"]));
        Self { world, reader, sender }
    }

    fn faults(&self, faults: &Value) {
        self.world.simulator.set_faults(faults).unwrap();
    }

    async fn notice(&self, reference: &str) -> Answer {
        let notice = json!({
            "to": "0770 123 4567", "template": "order_ready", "variables": ["Sara", "A-1042"],
            "reference": reference,
        });
        self.sender.send(&notice).await
    }

    async fn code(&self, reference: &str) -> Answer {
        let code = json!({ "to": "0770 123 4567", "template": "login_code", "code": "483920", "reference": reference });
        self.sender.send(&code).await
    }

    /// Returns the message, once its delivery has this status.
    async fn once(&self, api: &Api, id: &str, status: &str) -> Answer {
        eventually(status, async || {
            let answer = api.get(&format!("/v1/messages/{id}")).await;
            (answer.text("/delivery/status") == status).then_some(answer)
        })
        .await
    }
}

#[tokio::test]
async fn a_notice_is_followed_by_its_id_from_sent_to_read() {
    let asking = Asking::new().await;
    asking.faults(&json!([{ "kind": "drop_statuses" }]));
    let sent = asking.notice("order-1042").await;
    let id = sent.text("/id").to_owned();
    for (api, sees_words) in [(&asking.reader, true), (&asking.sender, false)] {
        let found = api.get(&format!("/v1/messages/{id}")).await;
        let mut message = sent.body["message"].clone();
        message["delivery"] = found.body["delivery"].clone();
        let wanted = json!({
            "id": id, "conversationId": sent.body["conversationId"], "from": sent.body["from"],
            "template": { "name": "order_ready", "language": "ar" }, "reference": "order-1042",
            "createdAt": found.body["createdAt"],
            "delivery": { "status": "sent", "error": null, "at": found.body["delivery"]["at"] },
            "message": if sees_words { message } else { Value::Null },
        });
        assert_eq!((found.status, found.body), (200, wanted));
    }
    let network_id = asking.world.simulator.messages()[0]["id"].clone();
    for status in ["delivered", "read"] {
        let body = json!({ "messageId": network_id, "status": status });
        asking.world.control(Method::POST, "statuses", &body).await;
        asking.once(&asking.sender, &id, status).await;
    }
    let conversation = format!("/v1/conversations/{}/messages", sent.text("/conversationId"));
    let listed = asking.reader.get(&conversation).await;
    assert_eq!(listed.text("/data/0/delivery/status"), "read", "{listed:?}");
}

#[tokio::test]
async fn what_failed_says_why_with_the_networks_code() {
    let asking = Asking::new().await;
    let words = "Message undeliverable.";
    asking.faults(
        &json!([{ "kind": "error", "code": 131_026, "async": true, "title": words, "details": words }]),
    );
    let (notice, code) = (asking.notice("n").await, asking.code("c").await);
    let error = json!({ "code": 131_026, "message": words });
    let failed = asking.once(&asking.reader, notice.text("/id"), "failed").await;
    assert_eq!(failed.body["delivery"]["error"], error);
    assert_eq!(failed.body["message"]["delivery"], failed.body["delivery"]);
    // Of a code the words are not kept.
    let failed = asking.once(&asking.sender, code.text("/id"), "failed").await;
    assert_eq!(failed.body["delivery"]["error"], json!({ "code": 131_026, "message": null }));
    let told = asking.world.receiver.next_of("message.failed").await;
    assert_eq!(told.body["data"]["error"], error, "{:?}", told.body);
}

#[tokio::test]
async fn a_code_is_found_by_who_may_send_alone_and_without_its_words_and_its_recipient() {
    let asking = Asking::new().await;
    let code = asking.code("login-7").await;
    let path = format!("/v1/messages/{}", code.text("/id"));
    let found = asking.sender.get(&path).await;
    assert_eq!(found.status, 200, "{found:?}");
    let mut fields: Vec<&str> = found.body.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let named = ["conversationId", "createdAt", "delivery", "from", "id", "message", "reference", "template"];
    assert_eq!(fields, named);
    assert!(!found.body.to_string().contains("483920") && !found.body.to_string().contains("7701234567"));
    asking.reader.get(&path).await.assert_error(404, "a code is in no conversation");
    let neither = asking.world.api_with(&["contacts:read"]);
    for path in [&*path, "/v1/messages?reference=login-7"] {
        neither.get(path).await.assert_error(403, path);
    }
    for path in [UNKNOWN, "/v1/messages/nothing"] {
        asking.sender.get(path).await.assert_error(404, path);
    }
}

#[tokio::test]
async fn a_key_of_either_scope_is_told_what_is_wrong_with_its_query() {
    let asking = Asking::new().await;
    let mistyped = ["/v1/messages?referense=order-7".to_owned(), format!("{UNKNOWN}?limit=1")];
    for path in &mistyped {
        for api in [&asking.reader, &asking.sender] {
            api.get(path).await.assert_error(400, path);
        }
        let refused = asking.world.api_with(&["contacts:read"]).get(path).await;
        refused.assert_error(403, path);
        for scope in ["`conversations:read`", "`messages:send`"] {
            assert!(refused.text("/message").contains(scope), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn what_a_customer_wrote_is_found_by_who_reads_conversations_and_was_sent_by_nobody() {
    let asking = Asking::new().await;
    let message = json!({ "type": "text", "text": { "body": "متوفر؟" } });
    let written = json!({ "phoneNumberId": "106540352242922", "from": "9647701234567", "message": message });
    asking.world.control(Method::POST, "inbound", &written).await;
    let received = asking.world.receiver.next_of("message.received").await;
    let path = format!("/v1/messages/{}", received.text("/data/message/id"));
    let found = asking.reader.get(&path).await;
    assert_eq!(found.text("/message/content"), "متوفر؟", "{found:?}");
    assert_eq!((&found.body["delivery"], found.body["message"].get("delivery")), (&Value::Null, None));
    asking.sender.get(&path).await.assert_error(404, "it was not sent");
}

#[tokio::test]
async fn an_open_outcome_is_in_flight_then_unknown_and_then_as_the_network_says() {
    let asking = Asking::new().await;
    asking.faults(&json!([{ "kind": "drop_statuses" }, { "kind": "cut_after_accept", "times": 1 }]));
    let open = asking.notice("order-7").await;
    let id = open.text("/details/id").to_owned();
    for api in [&asking.reader, &asking.sender] {
        let found = api.get("/v1/messages?reference=order-7").await;
        assert_eq!(found.text("/data/0/id"), id, "{found:?}");
        let status = found.text("/data/0/delivery/status");
        assert_eq!((status, found.text("/data/0/createdAt")), ("in_flight", open.text("/details/since")));
        assert_eq!(found.body["data"][0]["message"], Value::Null);
    }
    let rows = asking.world.rows().await;
    rows.change(&format!("UPDATE sends SET created_at = {}", earlier("created_at", "1 minute"))).await;
    asking.once(&asking.sender, &id, "unknown").await;
    let network_id = asking.world.simulator.messages()[0]["id"].clone();
    let status = json!({ "messageId": network_id, "status": "delivered" });
    asking.world.control(Method::POST, "statuses", &status).await;
    let found = asking.once(&asking.reader, &id, "delivered").await;
    assert_eq!(found.text("/message/id"), id);
}

#[tokio::test]
async fn all_that_was_sent_under_a_reference_comes_newest_first_page_by_page() {
    let asking = Asking::new().await;
    let mut sent = Vec::new();
    for _ in 0..2 {
        sent.push(asking.notice("order 7/ق").await.text("/id").to_owned());
        sent.push(asking.code("order 7/ق").await.text("/id").to_owned());
        asking.notice("order 7").await;
    }
    sent.reverse();
    let list = async |api: &Api| {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let query = [("reference", "order 7/ق"), ("limit", "1"), ("cursor", &cursor)];
            let query = &query[..if cursor.is_empty() { 2 } else { 3 }];
            let page = Answer::to(api.request(Method::GET, "/v1/messages").query(query)).await;
            assert_eq!(page.status, 200, "{page:?}");
            ids.push(page.text("/data/0/id").to_owned());
            let Some(next) = page.body["nextCursor"].as_str() else { return ids };
            next.clone_into(&mut cursor);
        }
    };
    assert_eq!(list(&asking.sender).await, sent);
    let notices = [sent[1].clone(), sent[3].clone()];
    assert_eq!(list(&asking.reader).await, notices);
    for wrong in ["", "?reference=", "?limit=5", "?reference=x&limit=0", "?reference=x&cursor=y"] {
        asking.sender.get(&format!("/v1/messages{wrong}")).await.assert_error(400, wrong);
    }
}
