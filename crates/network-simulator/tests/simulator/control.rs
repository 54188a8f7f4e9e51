//! The control routes.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{ACCOUNT, NUMBER, PERSON, TOKEN, World, plain};
use network_simulator::{Config, Simulator, demo_accounts};

#[tokio::test(flavor = "multi_thread")]
async fn accepted_messages_are_shown_oldest_first_and_byte_for_byte() {
    let world = World::start().await;
    let first = world.send_plain("a").await;
    let raw = format!(
        "{{ \"type\":\"template\",  \"to\" : \"{PERSON}\", \"messaging_product\":\"whatsapp\",\
                       \"template\":{{\"name\":\"plain\",\"language\":{{\"code\":\"ar\"}}}} }}"
    );
    let url = world.simulator.url().join(&format!("v25.0/{NUMBER}/messages")).unwrap();
    let request = world.client.post(url).bearer_auth(TOKEN).header("content-type", "application/json");
    assert_eq!(request.body(raw.clone()).send().await.unwrap().status(), 200);
    let shown = world.try_call(Method::GET, "control/messages", None).await.unwrap().text().await.unwrap();
    assert!(shown.contains(&raw), "{shown}");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["data"].as_array().unwrap().len(), 2);
    assert_eq!(shown["data"][0]["id"], first);
    assert_eq!(shown["data"][0]["phoneNumberId"], NUMBER);
    assert_eq!(shown["data"][0]["accountId"], ACCOUNT);
    assert!(shown["data"][0]["acceptedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(shown["data"][0]["body"], plain("a"));
    assert_eq!(json!(world.simulator.messages()), shown["data"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_writes_with_or_without_a_number() {
    let world = World::start().await;
    let message = json!({ "type": "text", "text": { "body": "مرحبا" } });
    let wrote =
        json!({ "phoneNumberId": NUMBER, "from": "+964 770 123 4567", "name": "سارة", "message": message });
    let answer = world.post("control/inbound", &wrote).await;
    assert_eq!(answer.body["webhook"], json!({ "status": 200 }));
    let value = world.callback.next().await.value();
    let got = &value["messages"][0];
    assert_eq!((&got["from"], &got["id"]), (&json!(PERSON), &answer.body["id"]));
    assert_eq!(got["text"]["body"], "مرحبا");
    assert!(got["timestamp"].is_string());
    assert_eq!(value["contacts"][0]["profile"]["name"], "سارة");
    assert_eq!(value["contacts"][0]["user_id"], got["from_user_id"]);

    let nameless = json!({ "phoneNumberId": NUMBER, "userId": "IQ.7", "message": { "id": "wamid.own",
        "timestamp": "1763600001", "type": "text", "text": { "body": "Hi" } } });
    assert_eq!(world.post("control/inbound", &nameless).await.body["id"], "wamid.own");
    let value = world.callback.next().await.value();
    assert!(value["messages"][0].get("from").is_none());
    assert_eq!(value["messages"][0]["timestamp"], "1763600001");
    assert_eq!(value["contacts"], json!([{ "user_id": "IQ.7" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_of_ones_choice_is_posted_for_known_and_foreign_messages() {
    let world = World::start().await;
    let id = world.send_plain("tag").await;
    world.statuses(3).await;
    let known = json!({ "messageId": id, "status": "failed", "timestamp": 1_763_600_100,
        "errors": [{ "code": 131_026, "title": "Message undeliverable" }], "withTag": false,
        "fields": { "recipient_user_id": null, "extra": 1 } });
    assert_eq!(world.post("control/statuses", &known).await.body["webhook"]["status"], 200);
    let status = world.callback.next_statuses().await.remove(0);
    assert_eq!(
        status,
        json!({ "id": id, "status": "failed", "timestamp": "1763600100", "recipient_id": PERSON, "extra": 1,
            "errors": [{ "code": 131_026, "title": "Message undeliverable" }] })
    );
    let foreign = json!({ "messageId": "wamid.foreign", "status": "read" });
    assert_eq!(world.post("control/statuses", &foreign).await.status, 400);
    let foreign = json!({ "messageId": "wamid.foreign", "status": "read", "phoneNumberId": NUMBER });
    assert_eq!(world.post("control/statuses", &foreign).await.status, 200);
    assert_eq!(world.callback.next_statuses().await[0]["id"], "wamid.foreign");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_body_at_all_is_posted_and_shown_as_it_left() {
    let world = World::start().await;
    let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": ACCOUNT, "changes": [
        { "field": "account_alerts", "value": { "text": "é/" } }] }] });
    let posted = world.post("control/webhooks", &json!({ "accountId": ACCOUNT, "body": body })).await;
    assert_eq!(posted.body, json!({ "webhook": { "status": 200 } }));
    let got = world.callback.next().await;
    assert_eq!(got.json(), body);
    let shown = world.try_call(Method::GET, "control/webhooks", None).await.unwrap().text().await.unwrap();
    assert!(shown.contains(std::str::from_utf8(&got.body).unwrap()), "the very bytes are shown");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["data"][0]["status"], 200);
    assert_eq!(shown["data"][0]["attempt"], 1);
    assert_eq!(shown["data"][0]["url"], world.callback.url.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_are_put_and_the_callback_hears_of_it() {
    let world = World::start().await;
    let path = format!("v25.0/{ACCOUNT}/message_templates?name=plain");
    let before = world.get(&path).await.body["data"][0]["id"].clone();
    let put = json!({ "accountId": ACCOUNT, "notify": true, "templates": [{ "name": "plain", "language": "ar",
        "status": "REJECTED", "rejected_reason": "INVALID_FORMAT" }] });
    let answer = world.put("control/templates", &put).await;
    assert_eq!(answer.body["data"][0]["id"], before, "a row without an id keeps the one it has");
    assert_eq!(answer.body["webhooks"], json!([{ "status": 200 }]));
    let post = world.callback.next().await;
    assert!(post.json()["entry"][0]["time"].is_i64());
    assert_eq!(post.json()["entry"][0]["changes"][0]["field"], "message_template_status_update");
    let value = post.value();
    assert_eq!((&value["event"], &value["reason"]), (&json!("REJECTED"), &json!("INVALID_FORMAT")));
    assert_eq!(value["message_template_id"].to_string(), before.as_str().unwrap(), "a number here");
    assert_eq!(world.send(&plain("x")).await.code(), 132_001);

    let replace =
        json!({ "accountId": ACCOUNT, "replace": true, "templates": [{ "name": "only", "language": "ar" }] });
    assert_eq!(world.put("control/templates", &replace).await.status, 200);
    let all = world.get(&format!("v25.0/{ACCOUNT}/message_templates")).await.body;
    assert_eq!(all["data"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_refused_with_a_reason() {
    let world = World::start().await;
    for (method, path, body, status, reason) in [
        (
            Method::POST,
            "control/inbound",
            json!({ "phoneNumberId": NUMBER }),
            400,
            "`message`, `event` and `sample`",
        ),
        (Method::POST, "control/inbound", json!({ "phoneNumberId": NUMBER, "message": {} }), 400, "`userId`"),
        (
            Method::POST,
            "control/inbound",
            json!({ "phoneNumberId": "1", "from": "2", "message": {} }),
            404,
            "no number, page or Instagram account 1",
        ),
        (
            Method::POST,
            "control/statuses",
            json!({ "messageId": "1", "status": "lost" }),
            400,
            "unknown variant `lost`",
        ),
        (Method::PUT, "control/templates", json!({ "accountId": "1", "templates": [] }), 404, "no account 1"),
        (
            Method::PUT,
            "control/templates",
            json!({ "accountId": ACCOUNT, "templates": [{ "name": "a" }] }),
            400,
            "`language`",
        ),
        (Method::PUT, "control/webhook", json!({ "url": "https://callback.example/" }), 400, "http URL"),
        (Method::PUT, "control/webhook", json!({ "uri": null }), 400, "unknown field `uri`"),
        (
            Method::PUT,
            "control/numbers",
            json!({ "phoneNumberId": "1", "status": "BANNED" }),
            404,
            "no number 1",
        ),
        (Method::POST, "control/webhooks", json!({ "accountId": "1", "body": {} }), 404, "no account 1"),
    ] {
        let answer = world.call(method, path, Some(&body)).await;
        assert_eq!(answer.status, status, "{path} {body}");
        assert!(answer.body["error"].as_str().unwrap().contains(reason), "{path} {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_brings_back_the_start() {
    let world = World::start().await;
    world.send_plain("a").await;
    world.post("control/settle", &json!({})).await;
    world.faults(json!([{ "kind": "throttle" }])).await;
    world.put("control/templates", &json!({ "accountId": ACCOUNT, "templates": [], "replace": true })).await;
    let reset = world.try_call(Method::DELETE, "control/state", None).await.unwrap();
    assert_eq!(reset.status(), 204);
    assert!(world.simulator.messages().is_empty());
    assert!(world.simulator.webhooks().is_empty());
    world.send_plain("b").await;
    assert_eq!(world.statuses(4).await[3], ("b".to_owned(), "sent".to_owned()), "the callback stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_runs_and_two_simulators_do_not_collide() {
    let start = || async {
        let mut config = Config::new("secret", "verify");
        config.accounts = demo_accounts(&TOKEN.into()).unwrap();
        Simulator::start(config).await.unwrap()
    };
    let (one, two) = (start().await, start().await);
    assert_ne!(one.url(), two.url());
    let world = World::start().await;
    let accounts: Value = world
        .client
        .get(one.url().join("control/accounts").unwrap())
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let numbers = |at: usize| accounts["data"][at]["numbers"].as_array().unwrap().len();
    assert_eq!(numbers(0) + numbers(1), 3);
    assert!(!accounts.to_string().contains(TOKEN));
    one.stop().await;
    assert!(world.client.get(two.url().join("control/faults").unwrap()).send().await.is_ok());
    two.stop().await;
}

#[tokio::test]
async fn it_runs_inside_a_runtime_of_one_thread_and_frees_its_port_when_stopped() {
    let simulator = Simulator::start(Config::new("secret", "verify")).await.unwrap();
    let url = simulator.url();
    simulator.stop().await;
    let mut config = Config::new("secret", "verify");
    config.listen = format!("127.0.0.1:{}", url.port().unwrap()).parse().unwrap();
    let again = Simulator::start(config.clone()).await.unwrap();
    let taken = Simulator::start(config).await.err().unwrap();
    assert!(taken.to_string().starts_with("cannot listen on 127.0.0.1:"));
    again.stop().await;
}
