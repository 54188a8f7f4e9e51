//! Answering in a thread.

use futures_util::future::join_all;
use reqwest::{Method, header::HeaderValue};
use serde_json::{Value, json};

use crate::support::{Answer, Api, Delivery, Rows, SENDS, SHOP_NUMBER, World, eventually};

const TO: &str = "+9647701234567";
/// The same, as the network writes it.
const WA_ID: &str = "9647701234567";
/// The shop's ordinary number, by its id at the network.
const SHOP_NUMBER_ID: &str = "106540352242922";
const UNKNOWN: &str = "0192f0c1-7a00-7000-8000-0000000000ff";
const TEXT: &str = "نعم، متوفر باللون الأزرق";
const PARALLEL: usize = 50;

/// A world with a thread that a notice made.
struct Inbox {
    world: World,
    api: Api,
    rows: Rows,
    thread: String,
    contact: String,
    /// Who made the key.
    author: String,
}

impl Inbox {
    /// The customer has not written: the network takes a text and lets it fail.
    async fn quiet() -> Self {
        let world = World::logging("trace").await;
        world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
        let (api, rows) = (world.api(), world.rows().await);
        let notice = json!({ "to": TO, "template": "store_hours", "from": SHOP_NUMBER, "name": "سارة" });
        let sent = api.send(&notice).await;
        assert_eq!(sent.status, 201, "{:?}", sent.body);
        world.simulator.set_faults(&json!([])).unwrap();
        let (thread, contact) = (sent.text("/conversationId").to_owned(), sent.text("/contactId").to_owned());
        let authors = format!("SELECT id::text FROM members WHERE workspace_id = '{}'", world.workspace);
        let author = rows.texts(&authors).await.remove(0);
        Self { world, api, rows, thread, contact, author }
    }

    /// The customer has just written.
    async fn new() -> Self {
        let inbox = Self::quiet().await;
        let message = json!({ "type": "text", "text": { "body": "متوفر؟" } });
        let written = json!({ "phoneNumberId": SHOP_NUMBER_ID, "from": TO, "name": "S", "message": message });
        inbox.world.control(Method::POST, "inbound", &written).await;
        inbox
    }

    fn saying(&self, text: &str) -> Value {
        json!({ "conversationId": self.thread, "text": text })
    }

    async fn reply(&self) -> Answer {
        self.api.post("/v1/messages", &self.saying(TEXT)).await
    }

    async fn reply_once(&self, key: &str) -> Answer {
        once(&self.api, key, &self.saying(TEXT)).await
    }

    async fn conversation(&self) -> Value {
        self.api.get(&format!("/v1/conversations/{}", self.thread)).await.body
    }

    /// The thread's messages, newest first.
    async fn messages(&self) -> Vec<Value> {
        let page = self.api.get(&format!("/v1/conversations/{}/messages", self.thread)).await;
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

fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

#[tokio::test]
async fn a_reply_is_recorded_as_its_author_s_sent_as_it_is_and_announced_from_leaving_to_reading() {
    let inbox = Inbox::new().await;
    let answer = inbox.reply().await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let (id, created_at) = (answer.text("/message/id").to_owned(), answer.text("/message/createdAt"));
    let message = json!({
        "id": id, "conversationId": inbox.thread, "role": "team", "senderId": inbox.author, "content": TEXT,
        "attachments": [], "transcription": null, "createdAt": created_at,
    });
    assert_eq!(answer.body, json!({ "conversationId": inbox.thread, "message": message }));
    let announced = json!({
        "id": id, "role": "team", "content": TEXT, "attachments": [], "transcription": null,
        "createdAt": created_at,
    });
    assert_eq!(inbox.messages().await.iter().find(|kept| kept["id"] == id.as_str()), Some(&message));

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
            assert_eq!((&data["conversationId"], &data["message"]), (&json!(inbox.thread), &announced));
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
async fn a_reply_leaves_the_threads_status_its_holder_and_its_group_alone() {
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
async fn a_text_has_one_to_4096_characters_and_every_field_its_shape() {
    let inbox = Inbox::quiet().await;
    let before = inbox.rows.counts(&SENDS).await;
    let thread = &inbox.thread;
    for (body, field) in [
        (inbox.saying(""), "text"),
        (inbox.saying(" \t\r\n\u{a0}\u{2003}"), "text"),
        (inbox.saying(&"م".repeat(4_097)), "text"),
        (inbox.saying("a\0b"), "text"),
        (json!({ "conversationId": thread }), "text"),
        (json!({ "conversationId": thread, "text": null }), "text"),
        (json!({ "conversationId": thread, "text": 7 }), "text"),
        (json!({ "text": TEXT }), "conversationId"),
        (json!({ "conversationId": "", "text": TEXT }), "conversationId"),
        (json!({ "conversationId": "12", "text": TEXT }), "conversationId"),
        (json!({ "conversationId": format!("{thread}0"), "text": TEXT }), "conversationId"),
        (json!({ "conversationId": null, "text": TEXT }), "conversationId"),
        (json!({ "conversationId": thread, "text": TEXT, "reference": "order-7" }), "reference"),
        // The shape comes before the thread.
        (json!({ "conversationId": UNKNOWN, "text": "" }), "text"),
    ] {
        let answer = once(&inbox.api, "shape", &body).await;
        answer.assert_error(400, &body.to_string());
        assert!(answer.text("/message").contains(&format!("`{field}`")), "{body}: {:?}", answer.body);
    }
    for key in [&b""[..], &[b'k'; 201], b"\xff\xfe"] {
        let request = inbox.api.request(Method::POST, "/v1/messages").json(&inbox.saying(TEXT));
        let request = request.header("Idempotency-Key", HeaderValue::from_bytes(key).unwrap());
        Answer::to(request).await.assert_error(400, "a key that is none");
    }
    // The scope comes before the shape.
    let reader = inbox.world.api_with(&["contacts:read", "contacts:write", "conversations:read"]);
    for body in [json!({ "colour": "red" }), json!([]), inbox.saying(TEXT)] {
        let answer = reader.post("/v1/messages", &body).await;
        answer.assert_error(403, &body.to_string());
        assert!(answer.text("/message").contains("messages:send"), "{:?}", answer.body);
    }
    assert_eq!((inbox.rows.counts(&SENDS).await, inbox.texts()), (before, 0));

    inbox.world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    for text in ["1", " no ", &"م".repeat(4_096)] {
        let answer = inbox.api.post("/v1/messages", &inbox.saying(text)).await;
        assert_eq!((answer.status, answer.text("/message/content")), (201, text), "{:?}", answer.body);
    }
}

#[tokio::test]
async fn a_thread_that_is_not_the_workspaces_is_unknown() {
    let inbox = Inbox::quiet().await;
    let before = inbox.rows.counts(&SENDS).await;
    once(&inbox.api, "k", &json!({ "conversationId": UNKNOWN, "text": TEXT }))
        .await
        .assert_error(404, "nobody's");
    let (_, neighbour) = inbox.world.neighbour();
    once(&neighbour, "k", &inbox.saying(TEXT)).await.assert_error(404, "the neighbour's");
    assert_eq!((inbox.rows.counts(&SENDS).await, inbox.texts()), (before, 0));
}

#[tokio::test]
async fn an_author_who_left_answers_no_more_and_their_key_still_sends_templates() {
    let inbox = Inbox::quiet().await;
    assert_eq!(inbox.reply_once("before").await.status, 201);
    inbox.rows.change("UPDATE members SET left_at = now()").await;
    let before = inbox.rows.counts(&SENDS).await;
    inbox.reply_once("after").await.assert_refused(409, "author_left", &json!({}), "left");
    // An unknown thread comes before its author, the author before the channel and the plan.
    let unknown = json!({ "conversationId": UNKNOWN, "text": TEXT });
    inbox.api.post("/v1/messages", &unknown).await.assert_error(404, "nobody's");
    inbox.world.plan(&["--paused"]);
    inbox.rows.change("UPDATE channels SET disconnected_at = now()").await;
    inbox.reply().await.assert_refused(409, "author_left", &json!({}), "left, and more");
    assert_eq!(inbox.rows.counts(&SENDS).await["sends"], before["sends"]);
    assert_eq!(inbox.rows.count("idempotency_keys").await, before["idempotency_keys"]);

    inbox.world.plan(&[]);
    inbox.rows.change("UPDATE channels SET disconnected_at = NULL").await;
    assert!(is_replay(&inbox.reply_once("before").await));
    let notice = json!({ "to": TO, "template": "store_hours", "from": SHOP_NUMBER });
    assert_eq!(inbox.api.send(&notice).await.status, 201);
}

#[tokio::test]
async fn without_its_channel_a_thread_cannot_be_answered() {
    let inbox = Inbox::quiet().await;
    let workspace = &inbox.world.workspace;
    let (page, contact) = ("0192f0c1-7a00-7000-8000-0000000000b1", "0192f0c1-7a00-7000-8000-0000000000b2");
    let chat = "0192f0c1-7a00-7000-8000-0000000000b3";
    inbox
        .rows
        .change(&format!(
            "INSERT INTO channels (workspace_id, id, kind, account_id, network_id, connected_at, position)
             SELECT '{workspace}', '{page}', 'messenger', id, 'page-1', now(), 9 FROM accounts LIMIT 1;
             INSERT INTO contacts (workspace_id, id, name, source, created_at)
             VALUES ('{workspace}', '{contact}', 'Ali', 'messaged', now());
             INSERT INTO conversations
                 (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
             VALUES ('{workspace}', '{chat}', '{contact}', '{page}', 'messenger', 'bot', now(), now())"
        ))
        .await;
    let before = inbox.rows.counts(&SENDS).await;
    let body = json!({ "conversationId": chat, "text": TEXT });
    once(&inbox.api, "k", &body).await.assert_refused(409, "no_channel", &json!({}), "messenger");

    // Other numbers are connected: a thread runs over its own.
    inbox
        .rows
        .change(&format!("UPDATE channels SET disconnected_at = now() WHERE phone = '{SHOP_NUMBER}'"))
        .await;
    inbox.reply_once("k").await.assert_refused(409, "no_whatsapp_channel", &json!({}), "disconnected");
    inbox.world.plan(&["--paused"]);
    inbox.reply_once("k").await.assert_refused(409, "no_whatsapp_channel", &json!({}), "and paused");
    assert_eq!((inbox.rows.counts(&SENDS).await, inbox.texts()), (before, 0));

    inbox.world.plan(&[]);
    inbox.rows.change("UPDATE channels SET disconnected_at = NULL").await;
    assert_eq!(inbox.reply_once("k").await.status, 201);
}

#[tokio::test]
async fn the_plan_stops_a_reply_to_somebody_who_is_not_active_and_a_pause_stops_all() {
    let inbox = Inbox::quiet().await;
    inbox.world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    let reached = json!({ "reason": "active_customer_limit" });
    let paused = json!({ "reason": "subscription_paused" });
    inbox.world.plan(&["--limit", "0"]);
    assert_eq!(inbox.reply().await.status, 201, "active already");

    inbox.rows.change("UPDATE contacts SET active_month = (active_month - interval '1 month')::date").await;
    let before = inbox.rows.counts(&SENDS).await;
    inbox.reply_once("k").await.assert_refused(409, "plan_limit", &reached, "0 of 0");
    inbox.world.plan(&["--limit", "0", "--paused"]);
    inbox.reply_once("k").await.assert_refused(409, "plan_limit", &paused, "both");
    inbox.world.plan(&["--paused"]);
    inbox.reply_once("k").await.assert_refused(409, "plan_limit", &paused, "paused");
    assert_eq!(inbox.rows.counts(&SENDS).await, before);

    // A refusal of the network makes nobody active; its place is free again.
    inbox.world.plan(&["--limit", "1"]);
    inbox.world.simulator.set_faults(&json!([{ "kind": "error", "code": 131_047, "times": 1 }])).unwrap();
    assert_eq!(inbox.reply_once("k").await.status, 422);
    assert_eq!(inbox.rows.count("plan_reservations").await, 0);
    assert_eq!(
        inbox.rows.count("contacts WHERE active_month = date_trunc('month', now() AT TIME ZONE 'UTC')").await,
        0
    );
    assert_eq!(inbox.reply_once("k").await.status, 201);
    let notice = json!({ "to": "+9647701234568", "template": "store_hours", "from": SHOP_NUMBER });
    inbox.api.send(&notice).await.assert_refused(409, "plan_limit", &reached, "1 of 1");
    assert_eq!(inbox.reply().await.status, 201);
}

#[tokio::test]
async fn what_the_network_refuses_stays_in_the_thread_and_is_announced_nowhere() {
    let inbox = Inbox::new().await;
    for (code, words) in [(131_047, "more than 24 hours have passed"), (131_026, "undeliverable")] {
        let fault = json!([{ "kind": "error", "code": code, "details": words, "times": 1 }]);
        inbox.world.simulator.set_faults(&fault).unwrap();
        let (messages, before) = (inbox.messages().await, inbox.conversation().await);
        let answer = inbox.reply_once("again").await;
        answer.assert_refused(422, "whatsapp_rejected", &json!({ "whatsappCode": code }), words);
        assert!(answer.text("/message").contains(words), "{:?}", answer.body);

        let kept = inbox.messages().await;
        assert_eq!(kept.len(), messages.len() + 1);
        let message = kept.iter().find(|kept| !messages.contains(kept)).unwrap();
        let wanted = json!({
            "id": message["id"], "conversationId": inbox.thread, "role": "team", "senderId": inbox.author,
            "content": TEXT, "attachments": [], "transcription": null, "createdAt": message["createdAt"],
        });
        assert_eq!(message, &wanted);
        let after = inbox.conversation().await;
        assert_eq!((&after["status"], &after["lastMessageAt"]), (&before["status"], &message["createdAt"]));
        let id = message["id"].as_str().unwrap();
        let failed = format!("sends WHERE id = '{id}' AND state = 'refused' AND status = 'failed'");
        assert_eq!(inbox.rows.count(&failed).await, 1);
    }
    assert_eq!((inbox.texts(), inbox.rows.count("idempotency_keys").await), (0, 0));

    // Its key is free, and the next event is that of the one that left.
    let sent = inbox.reply_once("again").await;
    assert!(sent.status == 201 && !is_replay(&sent), "{sent:?}");
    let refused = inbox.rows.texts("SELECT id::text FROM sends WHERE state = 'refused'").await;
    let mut kind = String::new();
    while kind != "message.read" {
        let event = inbox.world.receiver.next().await;
        for id in [event.text("/data/messageId"), event.text("/data/message/id")] {
            assert!(!refused.iter().any(|refused| refused == id), "{:?}", event.body);
        }
        kind = event.kind().to_owned();
    }
}

#[tokio::test]
async fn what_the_network_takes_and_lets_fail_is_announced_as_failed() {
    let inbox = Inbox::quiet().await;
    let answer = inbox.reply().await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let (one, other) =
        (inbox.event_of(answer.text("/message/id")).await, inbox.event_of(answer.text("/message/id")).await);
    let failed = if one.kind() == "message.failed" { one } else { other };
    assert_eq!((failed.kind(), failed.text("/data/status")), ("message.failed", "failed"));
    assert!(!failed.text("/data/error/message").is_empty(), "{:?}", failed.body);
}

#[tokio::test]
async fn what_was_certainly_not_sent_leaves_nothing_in_the_thread() {
    let inbox = Inbox::quiet().await;
    let before = (inbox.rows.counts(&SENDS).await, inbox.conversation().await, inbox.messages().await);
    inbox.world.simulator.set_faults(&json!([{ "kind": "throttle", "retryAfter": 7 }])).unwrap();
    let answer = inbox.reply_once("again").await;
    answer.assert_refused(503, "network_unavailable", &json!({}), "throttled");
    assert_eq!(answer.header("retry-after"), Some("7"));
    let after = (inbox.rows.counts(&SENDS).await, inbox.conversation().await, inbox.messages().await);
    assert_eq!(after, before);
    inbox.world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(inbox.reply_once("again").await.status, 201);
}

#[tokio::test]
async fn an_open_outcome_is_settled_by_its_status() {
    let inbox = Inbox::quiet().await;
    let messages = inbox.messages().await;
    let faults = json!([{ "kind": "drop_statuses" }, { "kind": "cut_after_accept", "times": 1 }]);
    inbox.world.simulator.set_faults(&faults).unwrap();
    let open = inbox.reply_once("open").await;
    let id = open.text("/details/id").to_owned();
    open.assert_refused(504, "outcome_unknown", &json!({ "id": id }), "cut off");
    inbox.reply_once("open").await.assert_refused(409, "request_in_flight", &json!({}), "a repeat");
    assert_eq!((inbox.messages().await, inbox.texts()), (messages, 1));

    let seen = inbox.world.simulator.messages();
    let network_id = &seen.last().unwrap()["id"];
    let status = json!({ "messageId": network_id, "status": "delivered" });
    inbox.world.control(Method::POST, "statuses", &status).await;
    let replay = eventually("the reply is settled", async || {
        let answer = inbox.reply_once("open").await;
        (answer.status == 201).then_some(answer)
    });
    let replay = replay.await;
    assert!(is_replay(&replay));
    assert_eq!((replay.text("/message/id"), replay.text("/message/senderId")), (&*id, &*inbox.author));
    assert_eq!(inbox.messages().await.first(), Some(&replay.body["message"]));
    let mut kinds =
        [inbox.event_of(&id).await, inbox.event_of(&id).await].map(|event| event.kind().to_owned());
    kinds.sort();
    assert_eq!(kinds, ["message.delivered", "message.sent"]);
    assert_eq!(inbox.texts(), 1);
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
        format!(" {{ \"text\" : \"{TEXT}\",\n\"conversationId\" : \"{}\" }} ", inbox.thread),
    ] {
        let request = inbox.api.request(Method::POST, "/v1/messages").header("Idempotency-Key", "k");
        let repeat = Answer::to(request.body(written)).await;
        assert!(repeat.status == 201 && is_replay(&repeat), "{repeat:?}");
        assert_eq!(repeat.body, first.body);
    }
    reused(once(&inbox.api, "k", &inbox.saying("no")).await, "another text");
    let unknown = json!({ "conversationId": UNKNOWN, "text": TEXT });
    reused(once(&inbox.api, "k", &unknown).await, "another thread");

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
        let first: Vec<&Answer> =
            answers.iter().filter(|answer| answer.status == 201 && !is_replay(answer)).collect();
        assert_eq!(first.len(), 1, "{answers:?}");
        for answer in &answers {
            if answer.status == 201 {
                assert_eq!(answer.body, first[0].body);
            } else {
                answer.assert_refused(409, "request_in_flight", &json!({}), "parallel");
            }
        }
        assert_eq!(inbox.reply_once(&key).await.body, first[0].body);
        assert_eq!(inbox.texts(), round + 1);
    }
    assert_eq!(inbox.rows.count("messages WHERE sender_id IS NOT NULL").await, 2);
}
