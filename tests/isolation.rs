//! What a workspace can learn of another by its key: nothing, whatever it says to whichever operation.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    Answer, Api, CLINIC, CLINIC_NUMBER, CODES_NUMBER, Contract, NEIGHBOUR_NUMBER, SHOP, SHOP_NUMBER, World,
    untold,
};

const GROUP: &str = "0192f0c1-7a00-7000-8000-0000000000a1";
const SEND: &str = "/v1/messages/template";
/// The shop's ordinary number, by its id at the network.
const SHOP_NUMBER_ID: &str = "106540352242922";
/// One that the neighbour only asks for.
const SOUGHT: &str = "+9647701234501";
/// One that the neighbour adds and writes to, too.
const SHARED: &str = "+9647701234502";

/// A workspace with people, conversations, a group and sends; and another that knows all of its ids.
struct Two {
    world: World,
    ours: Api,
    theirs: Api,
    neighbour: String,
    /// A conversation of the neighbour's own.
    their_conversation: String,
    contact: String,
    conversation: String,
    /// The first send, which had an idempotency key and a reference.
    sent: Value,
    /// What no answer to the neighbour may hold, unless the neighbour said it.
    private: Vec<String>,
}

fn notice(to: &str) -> Value {
    json!({
        "to": to, "template": "order_ready", "language": "ar", "variables": ["Guest", "A-1042"],
        "reference": "order-1042",
    })
}

impl Two {
    async fn new() -> Self {
        let world = World::new().await;
        let (ours, (neighbour, theirs)) = (world.api(), world.neighbour());
        let first = ours.send_once("order-1042", &notice(SHARED)).await;
        let second = ours.send(&notice(SHARED)).await;
        let sought = ours.send(&notice(SOUGHT)).await;
        let own = json!({ "to": "07701234599", "template": "order_ready", "variables": ["Guest", "B-1"] });
        let own = theirs.send(&own).await;
        for sent in [&first, &second, &sought, &own] {
            assert_eq!(sent.status, 201, "{sent:?}");
        }
        for sent in [&first, &sought] {
            let path = format!("/v1/contacts/{}", sent.text("/contactId"));
            let name = ours.request(Method::PATCH, &path).json(&json!({ "name": "Zubaida" }));
            assert_eq!(Answer::to(name).await.status, 200);
        }
        let (conversation, contact) = (sought.text("/conversationId"), sought.text("/contactId"));
        let rows = world.rows().await;
        rows.change(&format!(
            "INSERT INTO groups VALUES ('{}', '{GROUP}', 'Night shift', now());
             UPDATE conversations SET group_id = '{GROUP}' WHERE id = '{conversation}'",
            world.workspace
        ))
        .await;
        let me = ours.get("/v1/me").await;
        let mut private: Vec<String> =
            [me.text("/team/id"), me.text("/team/name"), me.text("/key/id"), "Zubaida", "Night shift"]
                .into_iter()
                .chain([GROUP, SHOP, CLINIC, SHOP_NUMBER, CODES_NUMBER, CLINIC_NUMBER, SOUGHT])
                .chain(["store_hours", "order-1042"])
                .map(str::to_owned)
                .collect();
        for sent in [&first, &second, &sought] {
            for field in ["/id", "/contactId", "/conversationId"] {
                private.push(sent.text(field).to_owned());
            }
        }
        assert!(private.iter().all(|text| !text.is_empty()), "{private:?}");
        Self {
            neighbour,
            their_conversation: own.text("/conversationId").to_owned(),
            contact: contact.to_owned(),
            conversation: conversation.to_owned(),
            sent: first.body.clone(),
            private,
            world,
            ours,
            theirs,
        }
    }

    /// Makes the neighbour's request, whose answer may contain nothing of ours but what the request says
    /// itself.
    async fn ask(&self, method: Method, path: &str, key: Option<&str>, body: Option<&Value>) -> Answer {
        let mut request = self.theirs.request(method, path);
        let mut said = path.to_owned();
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
            said.push_str(key);
        }
        if let Some(body) = body {
            request = request.json(body);
            said.push_str(&body.to_string());
        }
        let answer = Answer::to(request).await;
        let (shown, headers) = (answer.body.to_string(), format!("{:?}", answer.headers));
        for text in &self.private {
            let leaks = shown.contains(text.as_str()) || headers.contains(text.as_str());
            assert!(!leaks || said.contains(text.as_str()), "{path} shows {text}: {shown} {headers}");
        }
        answer
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, None, None).await
    }

    /// Asserts that what is there for us is not for the neighbour.
    async fn assert_not_found(&self, path: &str) {
        assert_eq!(self.ours.get(path).await.status, 200, "{path}");
        self.get(path).await.assert_error(404, path);
    }

    /// Asserts that a list which shows us something shows the neighbour nothing.
    async fn assert_empty(&self, path: &str, rows: &str) {
        let mine = self.ours.get(path).await;
        assert!(mine.status == 200 && mine.body[rows] != json!([]), "{path}: {mine:?}");
        let answer = self.get(path).await;
        assert_eq!((answer.status, &answer.body[rows]), (200, &json!([])), "{path}: {answer:?}");
        assert_eq!(answer.body["nextCursor"], Value::Null, "{path}");
    }

    /// Asserts that our place in a list is none in the neighbour's; `theirs` is where the neighbour says it.
    async fn assert_foreign_cursor(&self, list: &str, theirs: &str) {
        let page = self.ours.get(&format!("{list}?limit=1")).await;
        let cursor = page.text("/nextCursor");
        let next = self.ours.get(&format!("{list}?limit=1&cursor={cursor}")).await;
        assert_eq!(next.status, 200, "{next:?}");
        let stolen = format!("{theirs}?limit=1&cursor={cursor}");
        self.get(&stolen).await.assert_error(400, &stolen);
    }

    /// All that we see of our own.
    async fn seen(&self) -> Vec<Value> {
        let mut seen = Vec::new();
        for path in ["/v1/contacts", "/v1/conversations", "/v1/templates"] {
            let answer = self.ours.get(path).await;
            assert_eq!(answer.status, 200, "{path}");
            seen.push(answer.body);
        }
        for conversation in [&self.conversation, self.sent["conversationId"].as_str().unwrap()] {
            let messages = self.ours.get(&format!("/v1/conversations/{conversation}/messages")).await;
            seen.extend(messages.body["data"].as_array().unwrap().iter().map(untold));
        }
        seen
    }
}

/// What the neighbour tries with one operation; one without a case fails by its name.
async fn probe(two: &Two, operation: &str) {
    let contact = format!("/v1/contacts/{}", two.contact);
    let conversation = format!("/v1/conversations/{}", two.conversation);
    let messages = format!("{conversation}/messages");
    match operation {
        "GET /v1/me" => assert_eq!(two.get("/v1/me").await.text("/team/id"), two.neighbour),
        "GET /v1/contacts" => {
            for query in ["phone=07701234501", "search=Zubaida", "search=1234501"] {
                two.assert_empty(&format!("/v1/contacts?{query}"), "rows").await;
                assert_eq!(two.get(&format!("/v1/contacts?{query}")).await.body["total"], 0, "{query}");
            }
            two.assert_foreign_cursor("/v1/contacts", "/v1/contacts").await;
            assert_eq!(two.get("/v1/contacts").await.status, 200);
        }
        "POST /v1/contacts" => {
            let added = two.ask(Method::POST, "/v1/contacts", None, Some(&json!({ "phone": SHARED }))).await;
            assert_eq!((added.status, &added.body["name"]), (200, &Value::Null), "{added:?}");
            assert_ne!(added.text("/id"), two.sent["contactId"]);
        }
        "GET /v1/contacts/{id}" => two.assert_not_found(&contact).await,
        "PATCH /v1/contacts/{id}" => {
            let renamed = two.ask(Method::PATCH, &contact, None, Some(&json!({ "name": "Taken" }))).await;
            renamed.assert_error(404, &contact);
        }
        "GET /v1/conversations" => {
            for query in [format!("contactId={}", two.contact), format!("groupId={GROUP}")] {
                two.assert_empty(&format!("/v1/conversations?{query}"), "data").await;
            }
            two.assert_foreign_cursor("/v1/conversations", "/v1/conversations").await;
            let listed = two.get("/v1/conversations?since=2020-01-01").await;
            assert_eq!(listed.status, 200);
        }
        "GET /v1/conversations/{id}" => two.assert_not_found(&conversation).await,
        "GET /v1/conversations/{id}/messages" => {
            two.assert_not_found(&messages).await;
            let ours = two.sent["conversationId"].as_str().unwrap();
            let list = format!("/v1/conversations/{ours}/messages");
            let their_list = format!("/v1/conversations/{}/messages", two.their_conversation);
            two.assert_foreign_cursor(&list, &their_list).await;
        }
        "GET /v1/messages" => two.assert_empty("/v1/messages?reference=order-1042", "data").await,
        "GET /v1/messages/{id}" => {
            two.assert_not_found(&format!("/v1/messages/{}", two.sent["id"].as_str().unwrap())).await;
        }
        "POST /v1/messages" => {
            let reply = json!({ "conversationId": two.conversation, "text": "Hello" });
            for key in [None, Some("order-1042")] {
                let answer = two.ask(Method::POST, "/v1/messages", key, Some(&reply)).await;
                answer.assert_error(404, "our conversation");
            }
        }
        "POST /v1/messages/template" => template_sends(two).await,
        "GET /v1/templates" => {
            for query in ["", "?status=approved", "?category=AUTHENTICATION"] {
                let listed = two.get(&format!("/v1/templates{query}")).await;
                assert_eq!(listed.status, 200, "{listed:?}");
                let rows = listed.body["data"].as_array().unwrap();
                let own = |row: &Value| row["numbers"] == json!([NEIGHBOUR_NUMBER]);
                assert!(rows.iter().all(own), "{rows:?}");
            }
        }
        _ => panic!("{operation} has no case here: say what another workspace's key gets of it"),
    }
}

async fn template_sends(two: &Two) {
    let hours = json!({ "to": SHARED, "template": "store_hours" });
    let unknown = two.ask(Method::POST, SEND, None, Some(&hours)).await;
    unknown.assert_refused(404, "template_not_found", &json!({}), "our template");
    let connected = json!({ "connected": [NEIGHBOUR_NUMBER] });
    for from in [SHOP_NUMBER, CODES_NUMBER, CLINIC_NUMBER, SHOP_NUMBER_ID] {
        let mut body = notice(SHARED);
        body["from"] = from.into();
        let refused = two.ask(Method::POST, SEND, None, Some(&body)).await;
        refused.assert_refused(400, "unknown_sender", &connected, from);
    }
    // Our key for our very request is new to the neighbour; so it is for another request.
    for (key, body) in [("order-1042", notice(SHARED)), ("visit-7", notice(SHARED))] {
        let sent = two.ask(Method::POST, SEND, Some(key), Some(&body)).await;
        assert_eq!((sent.status, sent.header("idempotency-replayed")), (201, None), "{sent:?}");
        assert_eq!(sent.text("/from"), NEIGHBOUR_NUMBER);
        for field in ["id", "contactId", "conversationId"] {
            assert_ne!(sent.body[field], two.sent[field], "{field}");
        }
        let contact = two.get(&format!("/v1/contacts/{}", sent.text("/contactId"))).await;
        assert_eq!((contact.status, &contact.body["name"]), (200, &Value::Null), "{contact:?}");
    }
}

#[tokio::test]
async fn a_key_opens_nothing_of_another_workspace_by_any_operation() {
    let two = Two::new().await;
    two.world.simulator.settled().await;
    let before = two.seen().await;
    let routes = Contract::new(adapter_http::openapi()).routes();
    assert!(!routes.is_empty());
    for (method, path) in routes {
        probe(&two, &format!("{method} {path}")).await;
    }
    assert_eq!(two.seen().await, before);
}
