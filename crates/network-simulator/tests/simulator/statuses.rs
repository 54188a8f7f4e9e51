//! Webhooks: signature, the ladder, retries, handshake.

use std::time::Duration;

use data_encoding::HEXLOWER;
use network_simulator::Status;
use ring::hmac;
use serde_json::{Value, json};

use crate::support::{ACCOUNT, NUMBER, NUMBER_DIGITS, PERSON, Post, SECRET, World, config, plain};

fn is_signed(post: &Post) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    let expected = format!("sha256={}", HEXLOWER.encode(hmac::sign(&key, &post.body).as_ref()));
    expected == post.signature
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_message_is_sent_delivered_and_read() {
    let world = World::start().await;
    let id = world.send_plain("tag-1").await;
    for name in ["sent", "delivered", "read"] {
        let post = world.callback.next().await;
        assert!(is_signed(&post));
        assert_eq!(post.json()["object"], "whatsapp_business_account");
        assert_eq!(post.json()["entry"][0]["id"], ACCOUNT);
        let value = post.value();
        assert_eq!(
            value["metadata"],
            json!({ "display_phone_number": NUMBER_DIGITS, "phone_number_id": NUMBER })
        );
        assert_eq!(value["contacts"][0]["wa_id"], PERSON);
        let status = &value["statuses"][0];
        assert_eq!(status["id"], id);
        assert_eq!(status["status"], name);
        assert_eq!(status["recipient_id"], PERSON);
        assert_eq!(status["biz_opaque_callback_data"], "tag-1");
        assert!(status["recipient_user_id"].as_str().unwrap().starts_with("IQ."));
        assert!(status["timestamp"].as_str().unwrap().parse::<u64>().is_ok(), "a string of seconds");
        assert_eq!(status.get("pricing").is_some(), name != "read");
    }
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_signature_is_over_the_escaped_bytes() {
    let world = World::start().await;
    world.send_plain("طلب/é👍").await;
    let post = world.callback.next().await;
    let text = std::str::from_utf8(&post.body).unwrap();
    assert!(text.is_ascii());
    assert!(text.contains(r"\u0637\u0644\u0628\/\u00e9\ud83d\udc4d"), "{text}");
    assert!(is_signed(&post));
    let reserialised =
        Post { body: serde_json::to_vec(&post.json()).unwrap().into(), signature: post.signature };
    assert!(!is_signed(&reserialised), "a signature over a re-serialised body does not fit");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ladder_is_configured() {
    let mut only_sent = config();
    only_sent.statuses = vec![Status::Sent];
    let world = World::with(only_sent).await;
    world.send_plain("a").await;
    world.simulator.settled().await;
    assert_eq!(world.statuses(1).await, [("a".to_owned(), "sent".to_owned())]);
    assert!(world.callback.is_quiet().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_not_taken_comes_again_until_it_is_given_up() {
    let mut impatient = config();
    impatient.statuses = vec![Status::Sent];
    let world = World::with(impatient).await;
    world.callback.answers(&[500, 204, 500]);
    world.send_plain("a").await;
    let (first, second, third) =
        (world.callback.next().await, world.callback.next().await, world.callback.next().await);
    assert_eq!(first.body, second.body);
    assert_eq!(second.body, third.body);
    world.send_plain("b").await;
    assert_eq!(world.statuses(1).await, [("b".to_owned(), "sent".to_owned())]);
    world.simulator.settled().await;
    let all_posted = async {
        loop {
            let posted = world.simulator.webhooks();
            if posted.len() == 4 {
                break posted;
            }
            tokio::task::yield_now().await;
        }
    };
    let posted = tokio::time::timeout(Duration::from_secs(20), all_posted).await.unwrap();
    let number = |webhook: &Value, field: &str| webhook[field].as_u64().unwrap();
    let mut seen: Vec<_> =
        posted.iter().map(|post| (number(post, "attempt"), number(post, "status"))).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(1, 200), (1, 500), (2, 204), (3, 500)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_cannot_be_reached_is_shown_as_such() {
    let mut lonely = config();
    lonely.webhook_retries = Vec::new();
    lonely.webhook_timeout = Duration::from_secs(5);
    let world = World::with(lonely).await;
    world.put("control/webhook", &json!({ "url": "http://127.0.0.1:9/hook" })).await;
    world.send_plain("a").await;
    world.simulator.settled().await;
    let posted = world.get("control/webhooks").await.body["data"].clone();
    assert_eq!(posted.as_array().unwrap().len(), 3);
    assert_eq!(posted[0]["url"], "http://127.0.0.1:9/hook");
    assert!(posted[0]["error"].is_string());
    assert!(posted[0].get("status").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_handshake_is_made_with_the_right_or_a_wrong_token() {
    let world = World::start().await;
    let right = world.post("control/handshake", &json!({})).await;
    assert_eq!(right.body, json!({ "verified": true, "status": 200 }));
    let wrong = world.post("control/handshake", &json!({ "verifyToken": "wrong" })).await;
    assert_eq!(wrong.body, json!({ "verified": false, "status": 403 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_not_subscribed_gets_no_webhooks() {
    let world = World::start().await;
    let path = format!("v25.0/{ACCOUNT}/subscribed_apps");
    let apps = world.get(&path).await;
    assert!(apps.body["data"][0]["whatsapp_business_api_data"]["id"].is_string());
    assert_eq!(world.call(reqwest::Method::DELETE, &path, None).await.body, json!({ "success": true }));
    assert_eq!(world.get(&path).await.body, json!({ "data": [] }));
    world.send_plain("a").await;
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await);
    assert_eq!(world.post(&path, &json!({})).await.body, json!({ "success": true }));
    world.send_plain("b").await;
    assert_eq!(world.statuses(1).await[0].0, "b");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_may_have_a_callback_of_its_own_once_it_is_verified() {
    let world = World::start().await;
    let path = format!("v25.0/{ACCOUNT}/subscribed_apps");
    let callback = world.callback.url.clone();
    world.put("control/webhook", &json!({ "url": null })).await;
    let wrong = json!({ "override_callback_uri": callback, "verify_token": "wrong" });
    assert_eq!(world.post(&path, &wrong).await.code(), 2200);
    let right = json!({ "override_callback_uri": callback, "verify_token": "verify-token" });
    assert_eq!(world.post(&path, &right).await.status, 200);
    world.send_plain("own").await;
    assert_eq!(world.statuses(1).await[0].0, "own");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_last_messages_and_webhooks_are_kept() {
    let mut small = config();
    small.keep = 2;
    let world = World::with(small).await;
    for tag in ["a", "b", "c"] {
        world.send_plain(tag).await;
    }
    world.simulator.settled().await;
    let messages: Vec<Value> = world.simulator.messages();
    let tags: Vec<&Value> =
        messages.iter().map(|message| &message["body"]["biz_opaque_callback_data"]).collect();
    assert_eq!(tags, ["b", "c"]);
    assert_eq!(world.simulator.webhooks().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_with_one_seed_hand_out_the_same_ids() {
    let (one, two) = (World::start().await, World::start().await);
    let (first, second) = (one.send(&plain("x")).await, two.send(&plain("x")).await);
    assert_eq!(first.body, second.body);
}
