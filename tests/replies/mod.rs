//! Answering in a conversation.

mod outcomes;
mod refusals;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::idempotency::{is_replay, the_one_that_sent};
use crate::support::{Answer, Api, Delivery, Rows, SHOP_NUMBER, World, eventually, untold};

const TO: &str = "+9647701234567";
/// The same, as the network writes it.
const WA_ID: &str = "9647701234567";
/// The shop's ordinary number, by its id at the network.
const SHOP_NUMBER_ID: &str = "106540352242922";
const UNKNOWN: &str = "0192f0c1-7a00-7000-8000-0000000000ff";
const TEXT: &str = "نعم، متوفر باللون الأزرق";
const PARALLEL: usize = 50;

/// A world with a conversation that a notice made.
struct Inbox {
    world: World,
    api: Api,
    rows: Rows,
    conversation: String,
    contact: String,
    /// Who made the key.
    author: String,
}

impl Inbox {
    /// Creates an inbox in which the customer has not written: the network accepts a text and lets it fail.
    async fn quiet() -> Self {
        let world = World::logging("trace").await;
        world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
        let (api, rows) = (world.api(), world.rows().await);
        let notice = json!({ "to": TO, "template": "store_hours", "from": SHOP_NUMBER, "name": "سارة" });
        let sent = api.send(&notice).await;
        assert_eq!(sent.status, 201, "{:?}", sent.body);
        world.simulator.set_faults(&json!([])).unwrap();
        let (conversation, contact) =
            (sent.text("/conversationId").to_owned(), sent.text("/contactId").to_owned());
        let authors = format!("SELECT id::text FROM members WHERE workspace_id = '{}'", world.workspace);
        let author = rows.texts(&authors).await.remove(0);
        Self { world, api, rows, conversation, contact, author }
    }

    /// Creates an inbox in which the customer has just written.
    async fn new() -> Self {
        let inbox = Self::quiet().await;
        let message = json!({ "type": "text", "text": { "body": "متوفر؟" } });
        let written = json!({ "phoneNumberId": SHOP_NUMBER_ID, "from": TO, "name": "S", "message": message });
        inbox.world.control(Method::POST, "inbound", &written).await;
        eventually("the customer's message", async || (inbox.messages().await.len() == 2).then_some(()))
            .await;
        inbox
    }

    fn saying(&self, text: &str) -> Value {
        json!({ "conversationId": self.conversation, "text": text })
    }

    async fn reply(&self) -> Answer {
        self.api.post("/v1/messages", &self.saying(TEXT)).await
    }

    async fn reply_once(&self, key: &str) -> Answer {
        once(&self.api, key, &self.saying(TEXT)).await
    }

    async fn conversation(&self) -> Value {
        self.api.get(&format!("/v1/conversations/{}", self.conversation)).await.body
    }

    /// The conversation's messages, newest first.
    async fn messages(&self) -> Vec<Value> {
        let page = self.api.get(&format!("/v1/conversations/{}/messages", self.conversation)).await;
        assert_eq!(page.status, 200, "{page:?}");
        page.body["data"].as_array().unwrap().clone()
    }

    /// The next event about this message.
    async fn event_of(&self, id: &str) -> Delivery {
        loop {
            let delivery = self.world.receiver.next().await;
            if [delivery.text("/data/messageId"), delivery.text("/data/message/id")].contains(&id) {
                return delivery;
            }
        }
    }

    /// How many texts the network has taken.
    fn texts(&self) -> usize {
        self.world.simulator.messages().iter().filter(|message| message["body"]["type"] == "text").count()
    }
}

async fn once(api: &Api, key: &str, body: &Value) -> Answer {
    Answer::to(api.request(Method::POST, "/v1/messages").header("Idempotency-Key", key).json(body)).await
}

#[tokio::test]
async fn a_reply_is_recorded_as_its_author_s_sent_as_it_is_and_announced_from_leaving_to_reading() {
    let inbox = Inbox::new().await;
    let answer = inbox.reply().await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let (id, created_at) = (answer.text("/message/id").to_owned(), answer.text("/message/createdAt"));
    let message = json!({
        "id": id, "conversationId": inbox.conversation, "role": "team", "senderId": inbox.author, "content": TEXT,
        "attachments": [], "transcription": null, "createdAt": created_at,
    });
    assert_eq!(
        (answer.text("/conversationId"), &answer.message("/message")),
        (&*inbox.conversation, &message)
    );
    let taken = json!({ "status": "sent", "error": null, "at": created_at });
    assert_eq!(answer.body["message"]["delivery"], taken);
    let announced = json!({
        "id": id, "role": "team", "content": TEXT, "attachments": [], "transcription": null,
        "createdAt": created_at,
    });
    let kept = inbox.messages().await;
    assert_eq!(kept.iter().find(|kept| kept["id"] == id.as_str()).map(untold), Some(message));

    let seen = inbox.world.simulator.messages();
    let body = &seen.iter().find(|seen| seen["body"]["type"] == "text").unwrap()["body"];
    let text = json!({ "body": TEXT, "preview_url": false });
    assert_eq!((&body["to"], &body["text"]), (&json!(WA_ID), &text));
    assert_eq!(body["biz_opaque_callback_data"], id.as_str());

    let mut kinds = Vec::new();
    for _ in 0..3 {
        let event = inbox.event_of(&id).await;
        let data = &event.body["data"];
        assert_eq!(data["customer"], json!({ "id": inbox.contact, "name": "سارة", "phone": TO }));
        if event.kind() == "message.sent" {
            assert_eq!((&data["conversationId"], &data["message"]), (&json!(inbox.conversation), &announced));
        } else {
            for field in ["template", "reference"] {
                assert_eq!(data.get(field), Some(&Value::Null), "{field}: {data}");
            }
        }
        kinds.push(event.kind().to_owned());
    }
    kinds.sort();
    assert_eq!(kinds, ["message.delivered", "message.read", "message.sent"]);
    assert!(inbox.world.service.log().iter().all(|line| !line.contains(TEXT) && !line.contains(WA_ID)));
}

#[tokio::test]
async fn a_reply_leaves_the_conversations_status_its_holder_and_its_group_alone() {
    let inbox = Inbox::new().await;
    let group = "0192f0c1-7a00-7000-8000-0000000000a1";
    let insert =
        format!("INSERT INTO groups VALUES ('{}', '{group}', 'المبيعات', now())", inbox.world.workspace);
    inbox.rows.change(&insert).await;
    for change in [
        "status = 'bot', assigned_to = NULL, group_id = NULL".to_owned(),
        format!("status = 'open', assigned_to = '{}', group_id = '{group}'", inbox.author),
        format!("status = 'closed', assigned_to = NULL, group_id = '{group}'"),
    ] {
        inbox.rows.change(&format!("UPDATE conversations SET {change}")).await;
        let mut wanted = inbox.conversation().await;
        let answer = inbox.reply().await;
        assert_eq!(answer.status, 201, "{change}: {:?}", answer.body);
        wanted["lastMessageAt"] = answer.text("/message/createdAt").into();
        assert_eq!(inbox.conversation().await, wanted, "{change}");
    }
}

#[tokio::test]
async fn a_key_answers_a_repeat_and_belongs_to_one_request_of_one_route() {
    let inbox = Inbox::new().await;
    let first = inbox.reply_once("k").await;
    assert!(first.status == 201 && !is_replay(&first), "{first:?}");
    let reused = |answer: Answer, about: &str| {
        answer.assert_refused(422, "idempotency_key_reused", &json!({}), about);
    };
    for written in [
        inbox.saying(TEXT).to_string(),
        format!(" {{ \"text\" : \"{TEXT}\",\n\"conversationId\" : \"{}\" }} ", inbox.conversation),
    ] {
        let request = inbox.api.request(Method::POST, "/v1/messages").header("Idempotency-Key", "k");
        let repeat = Answer::to(request.body(written)).await;
        assert!(repeat.status == 201 && is_replay(&repeat), "{repeat:?}");
        assert_eq!(repeat.body, first.body);
    }
    reused(once(&inbox.api, "k", &inbox.saying("no")).await, "another text");
    let unknown = json!({ "conversationId": UNKNOWN, "text": TEXT });
    reused(once(&inbox.api, "k", &unknown).await, "another conversation");

    let notice = json!({ "to": TO, "template": "store_hours", "from": SHOP_NUMBER });
    reused(inbox.api.send_once("k", &notice).await, "a template");
    assert_eq!(inbox.api.send_once("t", &notice).await.status, 201);
    reused(inbox.reply_once("t").await, "a reply");
    assert_eq!(inbox.texts(), 1);
}

#[tokio::test]
async fn fifty_parallel_replies_with_one_key_are_one_message() {
    let inbox = Inbox::new().await;
    let slow = json!([{ "kind": "latency", "ms": 300 }]);
    for (round, faults) in [json!([]), slow].into_iter().enumerate() {
        inbox.world.simulator.set_faults(&faults).unwrap();
        let key = format!("key {round}");
        let answers = join_all((0..PARALLEL).map(|_| inbox.reply_once(&key))).await;
        let first = the_one_that_sent(&answers);
        assert_eq!(inbox.reply_once(&key).await.body, first.body);
        assert_eq!(inbox.texts(), round + 1);
    }
    assert_eq!(inbox.rows.count("messages WHERE sender_id IS NOT NULL").await, 2);
}
