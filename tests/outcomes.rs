//! Sends that the network refuses, does not take now, or does not answer.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Api, SENDS, Service, World, eventually};

const TO: &str = "0770 123 4567";

fn order_ready() -> Value {
    json!({ "to": TO, "template": "order_ready", "variables": ["Sara", "A-1042"] })
}

fn one_time_code() -> Value {
    json!({ "to": TO, "template": "login_code", "code": "483920" })
}

#[tokio::test]
async fn what_the_network_refuses_is_told_in_its_words_and_leaves_nothing_behind() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    let before = rows.counts(&SENDS).await;
    let codes = [131_047, 131_026, 131_048, 130_472, 132_001, 132_015, 133_010, 131_031, 190, 368, 999_999];
    for code in codes {
        let words = format!("words about {code}");
        let fault = json!([{ "kind": "error", "code": code, "httpStatus": 400, "details": words }]);
        world.simulator.set_faults(&fault).unwrap();
        for body in [order_ready(), one_time_code()] {
            let answer = api.send_once("again", &body).await;
            answer.assert_refused(422, "whatsapp_rejected", &json!({ "whatsappCode": code }), &words);
            assert!(answer.text("/message").contains(&words), "{:?}", answer.body);
        }
    }

    // The network's own refusals: a template that it has changed meanwhile, a part this API cannot fill.
    world.simulator.set_faults(&json!([])).unwrap();
    let coupon = json!({ "to": TO, "template": "coupon", "variables": ["Sara"] });
    let whatsapp = json!({ "whatsappCode": 131_008 });
    api.send(&coupon).await.assert_refused(422, "whatsapp_rejected", &whatsapp, "coupon");

    // Its words may hold the recipient's number: the caller knows it, the log must not.
    let fault = json!([{ "kind": "error", "code": 131_026, "details": "not delivered to 9647701234567" }]);
    world.simulator.set_faults(&fault).unwrap();
    let answer = api.send_once("again", &one_time_code()).await;
    answer.assert_refused(422, "whatsapp_rejected", &json!({ "whatsappCode": 131_026 }), "number");
    assert!(world.service.log().iter().all(|line| !line.contains("7701234567")));

    assert_eq!(rows.counts(&SENDS).await, before);
    assert_eq!(world.simulator.messages().len(), 0);
    world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(api.send_once("again", &order_ready()).await.status, 201);
}

#[tokio::test]
async fn what_certainly_was_not_sent_may_be_tried_again_with_the_same_key() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    let before = rows.counts(&SENDS).await;

    // The network asks for more patience than a caller has.
    for fault in [
        json!({ "kind": "throttle", "retryAfter": 7 }),
        json!({ "kind": "throttle", "variant": "400", "retryAfter": 7 }),
        json!({ "kind": "throttle", "code": 131_056, "retryAfter": 7 }),
    ] {
        world.simulator.set_faults(&json!([fault])).unwrap();
        let answer = api.send_once("again", &order_ready()).await;
        answer.assert_refused(503, "network_unavailable", &json!({}), &fault.to_string());
        assert_eq!(answer.header("retry-after"), Some("7"));
    }
    world.simulator.set_faults(&json!([{ "kind": "throttle", "regainAccessMinutes": 3 }])).unwrap();
    let answer = api.send_once("again", &order_ready()).await;
    answer.assert_refused(503, "network_unavailable", &json!({}), "minutes");
    assert_eq!(answer.header("retry-after"), Some("180"));

    // Nobody listens there.
    let mut secrets = world.secrets.clone();
    secrets.graph_url = "http://127.0.0.1:1/".to_owned();
    let cut_off = Service::start(&secrets).await;
    let cut_off_api = Api::new(cut_off.base_url(), &world.key);
    let answer = cut_off_api.send_once("again", &order_ready()).await;
    answer.assert_refused(503, "network_unavailable", &json!({}), "no connection");
    assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);

    assert_eq!(rows.counts(&SENDS).await, before);
    // A throttle that passes is got over without the caller.
    world.simulator.set_faults(&json!([{ "kind": "throttle", "times": 2 }])).unwrap();
    assert_eq!(api.send_once("again", &order_ready()).await.status, 201);
    assert_eq!(world.simulator.messages().len(), 1);
}

#[tokio::test]
async fn an_open_outcome_names_the_send_and_is_settled_by_its_status() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    let spoilt = [
        (json!({ "kind": "server_error_html", "accept": false }), false),
        (json!({ "kind": "server_error_html", "status": 503, "accept": true }), true),
        (json!({ "kind": "cut_before_accept" }), false),
        (json!({ "kind": "cut_after_accept" }), true),
        (json!({ "kind": "garbled_answer" }), true),
        (json!({ "kind": "error", "code": 131_016 }), false),
        (json!({ "kind": "error", "code": 131_000 }), false),
        (json!({ "kind": "error", "code": 999_999, "httpStatus": 500 }), false),
    ];
    for (index, (fault, accepted)) in spoilt.into_iter().enumerate() {
        for (kind, body) in [("notice", order_ready()), ("code", one_time_code())] {
            let about = format!("{kind}: {fault}");
            let (sends, messages) = (rows.count("sends").await, world.simulator.messages().len());
            world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }, fault])).unwrap();
            let key = format!("{kind}-{index}");
            let answer = api.send_once(&key, &body).await;
            let id = answer.text("/details/id").to_owned();
            answer.assert_open(&about);
            assert_eq!(rows.count(&format!("sends WHERE id = '{id}' AND state = 'in_flight'")).await, 1);
            assert_eq!(rows.count("sends").await, sends + 1, "{about}");

            // The network is well again: nothing is sent a second time nevertheless.
            world.simulator.set_faults(&json!([])).unwrap();
            let repeat = api.send_once(&key, &body).await;
            repeat.assert_refused(409, "request_in_flight", &json!({}), &about);
            assert_eq!(repeat.header("retry-after"), Some("2"), "{about}");
            let seen = world.simulator.messages();
            assert_eq!(seen.len(), messages + usize::from(accepted), "{about}");
            let Some(message) = seen.last().filter(|_| accepted) else { continue };

            let status = json!({ "messageId": message["id"], "status": "delivered" });
            world.control(Method::POST, "statuses", &status).await;
            let replay = eventually("the send is settled", async || {
                let answer = api.send_once(&key, &body).await;
                (answer.status == 201).then_some(answer)
            });
            let replay = replay.await;
            assert_eq!(replay.header("idempotency-replayed"), Some("true"), "{about}");
            assert_eq!(replay.text("/id"), id, "{about}");
            assert_eq!(replay.text("/to"), "+9647701234567", "{about}");
            assert_eq!(replay.body["message"].is_null(), kind == "code", "{about}");
        }
    }
    assert_eq!(rows.count("contacts").await, 1);
    assert_eq!(rows.count("messages").await, 3);
}
