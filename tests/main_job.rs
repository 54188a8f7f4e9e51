//! A template leaves, and its delivery events arrive.

use adapter_webhooks::signature;
use domain::{clock::Clock, webhooks::WebhookSecret};
use serde_json::{Value, json};
use server::system::SystemClock;

use crate::support::{CODES_NUMBER, SHOP_NUMBER, World};

const TO: &str = "٠٧٧٠ ١٢٣ ٤٥٦٧";

#[tokio::test]
async fn a_notice_leaves_and_its_events_arrive_signed() {
    let world = World::new().await;
    let answer = world
        .api()
        .send(&json!({
            "to": TO, "template": "order_ready", "language": "ar", "name": " سارة ",
            "variables": ["سارة", "A-1042"], "reference": "order-1042",
        }))
        .await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    assert_eq!(answer.text("/status"), "sent");
    assert_eq!(answer.text("/to"), "+9647701234567");
    assert_eq!(answer.text("/from"), SHOP_NUMBER);
    assert_eq!(answer.text("/reference"), "order-1042");
    assert_eq!(answer.text("/message/id"), answer.text("/id"));
    assert_eq!(answer.text("/message/meta/via"), "api");

    let mut kinds = Vec::new();
    for _ in 0..3 {
        let delivery = world.receiver.next().await;
        let secret = WebhookSecret::from(world.webhook_secret.clone());
        let header = Some(delivery.header("x-service-signature"));
        assert_eq!(signature::verify(&secret, header, &delivery.raw, SystemClock.now()), Ok(()));
        assert_eq!(delivery.header("x-service-event"), delivery.kind());
        assert_eq!(delivery.header("x-service-delivery"), delivery.text("/id"));
        assert_eq!(delivery.text("/team/id"), world.workspace);
        assert_eq!(delivery.text("/data/customer/phone"), "+9647701234567");
        assert_eq!(delivery.text("/data/customer/name"), "سارة");
        kinds.push(delivery.kind().to_owned());
    }
    kinds.sort();
    assert_eq!(kinds, ["message.delivered", "message.read", "message.sent"]);
}

#[tokio::test]
async fn a_one_time_code_leaves_nothing_but_its_events() {
    let world = World::new().await;
    let code = json!({ "to": TO, "template": "login_code", "code": "483920", "reference": "login-7" });
    let answer = world.api().send(&code).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    for field in ["contactId", "conversationId", "message"] {
        assert_eq!(answer.body.get(field), Some(&Value::Null), "{field}");
    }
    let delivered = world.receiver.next_of("message.delivered").await;
    assert_eq!(delivered.text("/data/messageId"), answer.text("/id"));
    assert_eq!(delivered.text("/data/reference"), "login-7");
    assert_eq!(delivered.body.pointer("/data/customer"), Some(&Value::Null));
}

#[tokio::test]
async fn what_leaves_a_send_only_number_is_kept_nowhere() {
    let world = World::new().await;
    let notice = json!({
        "to": TO, "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"],
        "from": CODES_NUMBER,
    });
    let answer = world.api().send(&notice).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    assert_eq!(answer.text("/from"), CODES_NUMBER);
    assert_eq!(answer.body.get("message"), Some(&Value::Null));
}
