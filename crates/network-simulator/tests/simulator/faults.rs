//! Every fault, switched on over the control route.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{ACCOUNT, NUMBER, PERSON, World, config, plain};

fn pairs(tag: &str, statuses: &[&str]) -> Vec<(String, String)> {
    statuses.iter().map(|status| (tag.to_owned(), (*status).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_comes_as_429_or_400_with_or_without_headers() {
    let world = World::start().await;
    world
        .faults(json!([
            { "kind": "throttle", "times": 1, "retryAfter": 5, "regainAccessMinutes": 2 },
            { "kind": "throttle", "times": 1, "variant": "400", "code": 131_056 },
        ]))
        .await;
    let path = format!("v25.0/{NUMBER}/messages");
    let first = world.try_call(Method::POST, &path, Some(&plain("x"))).await.unwrap();
    assert_eq!(first.status(), 429);
    assert_eq!(first.headers()["retry-after"], "5");
    assert!(first.headers()["x-business-use-case-usage"].to_str().unwrap().contains("regain_access\":2"));
    let first: Value = first.json().await.unwrap();
    assert_eq!(first["error"]["code"], 130_429);
    let second = world.try_call(Method::POST, &path, Some(&plain("x"))).await.unwrap();
    assert_eq!(second.status(), 400);
    assert!(second.headers().get("retry-after").is_none());
    let second: Value = second.json().await.unwrap();
    assert_eq!(second["error"]["code"], 131_056);
    assert_eq!(world.send(&plain("x")).await.status, 200, "both are used up");
    assert_eq!(world.simulator.messages().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_error_is_a_page_of_html_and_may_have_sent_nevertheless() {
    let world = World::start().await;
    world
        .faults(json!([
            { "kind": "server_error_html", "times": 1 },
            { "kind": "server_error_html", "times": 1, "status": 503, "accept": true },
        ]))
        .await;
    let path = format!("v25.0/{NUMBER}/messages");
    let first = world.try_call(Method::POST, &path, Some(&plain("lost"))).await.unwrap();
    assert_eq!(first.status(), 500);
    assert_eq!(first.headers()["content-type"], "text/html; charset=utf-8");
    assert!(first.text().await.unwrap().starts_with("<!DOCTYPE html>"));
    let second = world.try_call(Method::POST, &path, Some(&plain("kept"))).await.unwrap();
    assert_eq!(second.status(), 503);
    assert_eq!(world.statuses(1).await, pairs("kept", &["sent"]));
    assert_eq!(world.simulator.messages().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_may_or_may_not_have_sent() {
    let world = World::start().await;
    let path = format!("v25.0/{NUMBER}/messages");
    world
        .faults(json!([
            { "kind": "cut_before_accept", "times": 1 },
            { "kind": "cut_after_accept", "times": 1 },
        ]))
        .await;
    let first = world.try_call(Method::POST, &path, Some(&plain("lost"))).await;
    assert!(first.is_err_and(|error| !error.is_timeout() && !error.is_connect()));
    assert!(world.simulator.messages().is_empty());
    let second = world.try_call(Method::POST, &path, Some(&plain("kept"))).await;
    assert!(second.is_err_and(|error| !error.is_timeout() && !error.is_connect()));
    assert_eq!(world.simulator.messages().len(), 1);
    assert_eq!(world.statuses(3).await, pairs("kept", &["sent", "delivered", "read"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_may_hang_or_be_garbled_after_the_acceptance() {
    let world = World::start().await;
    let path = format!("v25.0/{NUMBER}/messages");
    world
        .faults(json!([
            { "kind": "hang_after_accept", "seconds": 600, "times": 1 },
            { "kind": "garbled_answer", "times": 1 },
        ]))
        .await;
    let message = plain("hung");
    // The statuses come while the answer hangs; then nobody waits for it any more.
    tokio::select! {
        answer = world.try_call(Method::POST, &path, Some(&message)) => panic!("answered: {answer:?}"),
        statuses = world.statuses(3) => assert_eq!(statuses, pairs("hung", &["sent", "delivered", "read"])),
    }
    let garbled = world.try_call(Method::POST, &path, Some(&plain("garbled"))).await.unwrap();
    assert_eq!(garbled.status(), 200);
    assert!(garbled.json::<Value>().await.is_err());
    assert_eq!(world.simulator.messages().len(), 2);
    world.simulator.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_stays_with_the_call_that_met_it_first_however_late_its_answer_is() {
    let world = World::start().await;
    let path = format!("v25.0/{NUMBER}/messages");
    world
        .faults(json!([
            { "kind": "garbled_answer", "times": 1 },
            { "kind": "status_before_response", "waitMs": 600_000, "times": 1 },
            { "kind": "offline", "seconds": 600, "times": 1 },
        ]))
        .await;
    let message = plain("first");
    tokio::select! {
        answer = world.try_call(Method::POST, &path, Some(&message)) => panic!("answered: {answer:?}"),
        statuses = world.statuses(1) => {
            assert_eq!(statuses, pairs("first", &["sent"]));
            world.send_plain("second").await;
        }
    }
    world.simulator.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_ones_choice_comes_at_once_or_later() {
    let world = World::start().await;
    world
        .faults(json!([
            { "kind": "error", "code": 131_026, "times": 1, "details": "Message Undeliverable." },
            { "kind": "error", "code": 190, "subcode": 463, "times": 1 },
            { "kind": "error", "code": 999, "httpStatus": 503, "title": "Odd", "times": 1 },
        ]))
        .await;
    let first = world.send(&plain("x")).await;
    assert_eq!((first.status, first.code()), (400, 131_026));
    assert_eq!(first.body["error"]["error_data"]["details"], "Message Undeliverable.");
    let second = world.send(&plain("x")).await;
    assert_eq!((second.status, second.code()), (401, 190));
    assert_eq!(second.body["error"]["error_subcode"], 463);
    let third = world.send(&plain("x")).await;
    assert_eq!((third.status, third.code()), (503, 999));
    assert_eq!(third.body["error"]["message"], "(#999) Odd");

    world
        .faults(json!([{ "kind": "error", "code": 131_026, "async": true, "times": 1, "details": "Gone." }]))
        .await;
    world.send_plain("later").await;
    let post = world.callback.next().await.value();
    assert!(post["contacts"][0]["user_id"].is_string(), "{post}");
    let failed = &post["statuses"][0];
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["biz_opaque_callback_data"], "later");
    assert_eq!(failed["errors"][0]["title"], "Message undeliverable");
    assert_eq!(failed["errors"][0]["error_data"]["details"], "Gone.");
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_come_twice_backwards_or_not_at_all() {
    let world = World::start().await;
    world.faults(json!([{ "kind": "duplicate_statuses", "times": 1 }])).await;
    world.send_plain("twice").await;
    assert_eq!(
        world.statuses(6).await,
        pairs("twice", &["sent", "sent", "delivered", "delivered", "read", "read"])
    );
    world.faults(json!([{ "kind": "reorder_statuses", "times": 1 }])).await;
    world.send_plain("backwards").await;
    assert_eq!(world.statuses(3).await, pairs("backwards", &["read", "delivered", "sent"]));
    world.faults(json!([{ "kind": "drop_statuses", "statuses": ["delivered"], "times": 1 }])).await;
    world.send_plain("gap").await;
    assert_eq!(world.statuses(2).await, pairs("gap", &["sent", "read"]));
    world.faults(json!([{ "kind": "drop_statuses", "times": 1 }])).await;
    world.send_plain("silent").await;
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await);
    assert_eq!(world.get("control/faults").await.body, json!({ "faults": [] }), "all are used up");
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_of_several_messages_come_in_one_post() {
    let mut only_sent = config();
    only_sent.statuses = vec![network_simulator::Status::Sent];
    let world = World::with(only_sent).await;
    world.faults(json!([{ "kind": "batch_statuses", "size": 3, "lingerMs": 60_000 }])).await;
    for tag in ["a", "b", "c"] {
        world.send_plain(tag).await;
    }
    let mut together = world.statuses(1).await;
    together.sort();
    assert_eq!(together, [pairs("a", &["sent"]), pairs("b", &["sent"]), pairs("c", &["sent"])].concat());
    world.faults(json!([{ "kind": "batch_statuses", "size": 3, "lingerMs": 0 }])).await;
    world.send_plain("alone").await;
    assert_eq!(
        world.statuses(1).await,
        pairs("alone", &["sent"]),
        "an incomplete batch does not wait for ever"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_may_come_before_the_answer() {
    let world = World::start().await;
    world.faults(json!([{ "kind": "status_before_response" }])).await;
    world.send_plain("early").await;
    let posted = world.simulator.webhooks();
    assert_eq!(posted.len(), 3, "all of them were posted before the answer came");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_have_no_number() {
    let world = World::start().await;
    world.faults(json!([{ "kind": "no_phone" }])).await;
    world.send_plain("anon").await;
    let value = world.callback.next().await.value();
    assert!(value["statuses"][0].get("recipient_id").is_none());
    let user_id = value["statuses"][0]["recipient_user_id"].clone();
    assert!(user_id.as_str().unwrap().starts_with("IQ."));
    assert_eq!(value["contacts"], json!([{ "user_id": user_id }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_delivered_within_its_validity_is_dropped_without_a_word() {
    let world = World::start().await;
    let code = json!({
        "messaging_product": "whatsapp", "to": PERSON, "type": "template", "biz_opaque_callback_data": "code",
        "template": { "name": "code", "language": { "code": "ar" }, "components": [
            { "type": "body", "parameters": [{ "type": "text", "text": "1" }] },
            { "type": "button", "sub_type": "url", "index": "0", "parameters": [{ "type": "text", "text": "1" }] }] },
    });
    world.faults(json!([{ "kind": "offline", "seconds": 300 }])).await;
    assert_eq!(world.send(&code).await.status, 200);
    world.simulator.settled().await;
    assert_eq!(world.statuses(1).await, pairs("code", &["sent"]));
    assert!(world.callback.is_quiet().await);
    world.faults(json!([{ "kind": "offline", "seconds": 0 }])).await;
    assert_eq!(world.send(&code).await.status, 200);
    assert_eq!(world.statuses(3).await, pairs("code", &["sent", "delivered", "read"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_may_strike_one_person_or_the_management_calls() {
    let world = World::start().await;
    world
        .faults(json!([
            { "kind": "error", "code": 131_026, "to": "+964 770 999 9999" },
            { "kind": "error", "code": 100, "on": "edits", "times": 1 },
            { "kind": "server_error_html", "on": "reads", "times": 1 },
            { "kind": "latency", "ms": 1, "on": "any" },
        ]))
        .await;
    assert_eq!(world.send(&plain("x")).await.status, 200);
    let mut other = plain("x");
    other["to"] = json!("9647709999999");
    assert_eq!(world.send(&other).await.code(), 131_026);
    let list = format!("v25.0/{ACCOUNT}/message_templates");
    assert_eq!(world.get(&list).await.status, 500);
    let listed = world.get(&list).await;
    assert_eq!(listed.status, 200);
    let id = listed.body["data"][0]["id"].as_str().unwrap().to_owned();
    let edit = json!({ "message_send_ttl_seconds": 300 });
    assert_eq!(world.post(&format!("v25.0/{id}"), &edit).await.code(), 100);
    assert_eq!(world.post(&format!("v25.0/{id}"), &edit).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_are_shown_with_what_is_left_and_nonsense_is_refused() {
    let world = World::start().await;
    world.faults(json!([{ "kind": "throttle", "times": 2 }])).await;
    assert_eq!(world.send(&plain("x")).await.status, 429);
    let shown = world.get("control/faults").await.body;
    assert_eq!(shown["faults"][0]["kind"], "throttle");
    assert_eq!(shown["faults"][0]["remaining"], 1);
    let refused = world.put("control/faults", &json!({ "faults": [{ "kind": "earthquake" }] })).await;
    assert_eq!(refused.status, 400);
    assert!(refused.body["error"].as_str().unwrap().contains("faults[0]: unknown variant `earthquake`"));
    let refused = world.put("control/faults", &json!({ "fault": [] })).await;
    assert_eq!(refused.body["error"], "unknown field `fault`, expected `faults`");
    assert_eq!(world.get("control/faults").await.body, shown, "a refusal changes nothing");
}
