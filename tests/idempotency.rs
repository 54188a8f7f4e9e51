//! One `Idempotency-Key`, one message.

use futures_util::future::join_all;
use reqwest::{Method, header::HeaderValue};
use serde_json::{Value, json};

use crate::support::{Answer, Api, World, earlier};

const PARALLEL: usize = 50;

fn notice() -> Value {
    json!({
        "to": "0770 123 4567", "template": "order_ready", "variables": { "1": "Sara", "2": "A-1042" },
        "reference": "order-1042",
    })
}

fn one_time_code() -> Value {
    json!({ "to": "0770 123 4567", "template": "login_code", "code": "483920", "reference": "login-7" })
}

/// Sends a body as it is written.
async fn send_text(api: &Api, key: &str, text: &str) -> Answer {
    let request = api.request(Method::POST, "/v1/messages/template").header("Idempotency-Key", key);
    Answer::to(request.body(text.to_owned())).await
}

pub(crate) fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

/// Of answers to parallel requests with one key, the only one that is no replay. All others repeat it, or
/// say that it is in hand.
pub(crate) fn the_one_that_sent(answers: &[Answer]) -> &Answer {
    let first: Vec<&Answer> =
        answers.iter().filter(|answer| answer.status == 201 && !is_replay(answer)).collect();
    assert_eq!(first.len(), 1, "{answers:?}");
    for answer in answers {
        if answer.status == 201 {
            assert_eq!(answer.body, first[0].body);
        } else {
            answer.assert_refused(409, "request_in_flight", &json!({}), "parallel");
        }
    }
    first[0]
}

#[tokio::test]
async fn fifty_parallel_requests_with_one_key_reach_the_network_once() {
    let world = World::new().await;
    let api = world.api();
    let slow = json!([{ "kind": "latency", "ms": 300 }]);
    let mut expected = 0;
    for (faults, body) in [
        (json!([]), notice()),
        (json!([]), one_time_code()),
        (slow.clone(), notice()),
        (slow, one_time_code()),
    ] {
        world.simulator.set_faults(&faults).unwrap();
        expected += 1;
        let key = format!("key {expected}");
        let answers = join_all((0..PARALLEL).map(|_| api.send_once(&key, &body))).await;

        let first = the_one_that_sent(&answers);
        let later = api.send_once(&key, &body).await;
        assert!(later.status == 201 && is_replay(&later), "{later:?}");
        assert_eq!(later.body, first.body);
        assert_eq!(world.simulator.messages().len(), expected);
    }
    let rows = world.rows().await;
    assert_eq!(rows.count("sends").await, 4);
    assert_eq!(rows.count("messages").await, 2);
    assert_eq!(rows.count("contacts").await, 1);
}

#[tokio::test]
async fn the_same_request_is_the_same_json_value() {
    let world = World::new().await;
    let api = world.api();
    let written = [
        r#"{"to":"07701234567","template":"order_ready","variables":{"1":"é","2":"/"}}"#,
        "\r\n\t{ \"template\" : \"order_ready\",\n\"variables\" : { \"2\" : \"/\", \"1\" : \"é\" }, \"to\" : \"07701234567\" } ",
        r#"{"\u0074o":"0770\u0031234567","variables":{"2":"\/","1":"\u00e9"},"template":"order_ready"}"#,
    ];
    let first = send_text(&api, "notice", written[0]).await;
    assert_eq!(first.status, 201, "{:?}", first.body);
    for text in written {
        let answer = send_text(&api, "notice", text).await;
        assert!(answer.status == 201 && is_replay(&answer), "{text}: {answer:?}");
        assert_eq!(answer.body, first.body);
    }
    // Another spelling of the number, another order of a list, or one more field is another value.
    for text in [
        r#"{"to":"+9647701234567","template":"order_ready","variables":{"1":"é","2":"/"}}"#,
        r#"{"to":"07701234567","template":"order_ready","variables":["é","/"]}"#,
        r#"{"to":"07701234567","template":"order_ready","variables":{"1":"é","2":"/"},"reference":null}"#,
        r#"{"to":"07701234567","template":"order_ready","variables":{"1":"e","2":"/"}}"#,
        r#"{"to":"07701234567","template":"order_ready","variables":{"1":" é","2":"/"}}"#,
        r#"{"to":"07701234568","template":"store_hours"}"#,
    ] {
        let answer = send_text(&api, "notice", text).await;
        answer.assert_refused(422, "idempotency_key_reused", &json!({}), text);
    }
    assert_eq!(world.simulator.messages().len(), 1);

    // What the first answer held is still there for a code, though nobody has kept the number.
    let first = api.send_once("code", &one_time_code()).await;
    assert_eq!(first.text("/to"), "+9647701234567", "{:?}", first.body);
    let replay = api.send_once("code", &one_time_code()).await;
    assert!(is_replay(&replay));
    assert_eq!(replay.body, first.body);
    let kept = "sends WHERE notice_to IS NOT NULL OR notice_content IS NOT NULL";
    assert_eq!(world.rows().await.count(kept).await, 0);

    // Without a key, or with keys of their own, equal requests are two messages.
    for key in ["a", "A", "a b", "مفتاح", "'; DROP TABLE sends; --", &"k".repeat(200), &"م".repeat(200)]
    {
        let (answer, replay) = (api.send_once(key, &notice()).await, api.send_once(key, &notice()).await);
        assert_eq!((answer.status, is_replay(&answer)), (201, false), "{key}: {:?}", answer.body);
        assert_eq!((replay.status, is_replay(&replay)), (201, true), "{key}");
    }
    assert_eq!(api.send(&notice()).await.status, 201);
    assert_eq!(api.send(&notice()).await.status, 201);
    assert_eq!(world.simulator.messages().len(), 11);
}

#[tokio::test]
async fn a_key_is_used_up_by_a_send_only_and_belongs_to_its_workspace_for_a_day() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    for key in [&b""[..], &[b'k'; 201], "م".repeat(201).as_bytes(), b"\xff\xfe"] {
        let request = api.request(Method::POST, "/v1/messages/template").json(&notice());
        let request = request.header("Idempotency-Key", HeaderValue::from_bytes(key).unwrap());
        let answer = Answer::to(request).await;
        answer.assert_error(400, "a key that is none");
        assert!(answer.text("/message").contains("Idempotency-Key"), "{:?}", answer.body);
    }
    let twice = api.request(Method::POST, "/v1/messages/template").json(&notice());
    let twice = Answer::to(twice.header("Idempotency-Key", "a").header("Idempotency-Key", "b")).await;
    twice.assert_error(400, "two keys");

    // Refused for every kind of reason, with bodies of every kind, then sent.
    for (body, status) in [
        (json!({ "to": "12", "template": "order_ready" }), 400),
        (json!({ "colour": "red" }), 400),
        (json!({ "to": "07701234567", "template": "order_ready" }), 400),
        (json!({ "to": "07701234567", "template": "nothing" }), 404),
        (json!({ "to": "07701234567", "template": "flash_sale" }), 409),
    ] {
        assert_eq!(api.send_once("day", &body).await.status, status, "{body}");
    }
    let first = api.send_once("day", &notice()).await;
    assert_eq!(first.status, 201, "{:?}", first.body);

    // The neighbour's key of the same name is another key.
    let (_, neighbour) = world.neighbour();
    let theirs = neighbour.send_once("day", &notice()).await;
    assert!(theirs.status == 201 && !is_replay(&theirs), "{theirs:?}");
    assert_ne!(theirs.text("/id"), first.text("/id"));
    assert_eq!(world.simulator.messages().len(), 2);

    // Another key of the same workspace's API is the same caller.
    let colleague = world.api_with(&["messages:send"]);
    assert_eq!(colleague.send_once("day", &notice()).await.body, first.body);

    // Within a day it answers the first result; then it is as if it had never been.
    let other = json!({ "to": "07701234567", "template": "store_hours" });
    let pass = async |span: &str| {
        let [claimed, settled] = ["claimed_at", "settled_at"].map(|column| earlier(column, span));
        let keys = format!("UPDATE idempotency_keys SET claimed_at = {claimed}");
        rows.change(&format!("{keys}; UPDATE sends SET settled_at = {settled}")).await;
    };
    pass("23 hours 50 minutes").await;
    assert!(is_replay(&api.send_once("day", &notice()).await));
    assert_eq!(api.send_once("day", &other).await.status, 422);
    pass("10 minutes").await;
    let anew = api.send_once("day", &other).await;
    assert!(anew.status == 201 && !is_replay(&anew), "{anew:?}");
    assert_eq!(api.send_once("day", &notice()).await.status, 422);
    assert_eq!(world.simulator.messages().len(), 3);

    // A send whose outcome stays open says so after a minute, and its key never expires.
    let faults = json!([{ "kind": "drop_statuses" }, { "kind": "cut_after_accept", "times": 1 }]);
    world.simulator.set_faults(&faults).unwrap();
    let open = api.send_once("open", &one_time_code()).await;
    open.assert_open("at once");
    let details = open.body["details"].clone();
    for (passes, status, code) in [
        ("0 seconds", 409, "request_in_flight"),
        ("1 minute", 504, "outcome_unknown"),
        ("48 hours", 504, "outcome_unknown"),
    ] {
        let open = "SELECT workspace_id, id FROM sends WHERE state = 'in_flight'";
        let claimed = earlier("claimed_at", passes);
        rows.change(&format!(
            "UPDATE idempotency_keys SET claimed_at = {claimed} WHERE (workspace_id, send_id) IN ({open})"
        ))
        .await;
        let details = if status == 504 { details.clone() } else { json!({}) };
        api.send_once("open", &one_time_code()).await.assert_refused(status, code, &details, passes);
    }
    api.send_once("open", &notice()).await.assert_refused(422, "idempotency_key_reused", &json!({}), "open");
    assert_eq!(world.simulator.messages().len(), 4);
}
