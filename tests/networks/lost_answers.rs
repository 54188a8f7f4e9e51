//! Answers of a network that never came, over a network whose sends carry nothing that comes back.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use server::config::Role;

use super::{ANSWER, Shop, instagram};
use crate::support::{Answer, Api, InProcess, eventually};

#[tokio::test]
async fn an_instagram_reply_whose_answer_was_lost_is_settled_by_its_echo() {
    let mut shop = Shop::new().await;
    let channel = instagram();
    let [created, _] = shop.begin(&channel).await;
    let conversation = created.text("/data/conversation/id");
    shop.world.service.kill();
    // The echo is all that is told of it.
    let faults = json!([{ "kind": "drop_statuses", "statuses": ["read"] }, { "kind": "cut_after_accept", "times": 1 }]);
    shop.world.simulator.set_faults(&faults).unwrap();
    let later = InProcess::over(&shop.world.secrets);
    let serving = later.serve(&[Role::Api, Role::Worker]);
    shop.world.simulator.set_webhook_url(Some(serving.network_webhook())).unwrap();
    let api = Api::new(&serving.base_url, &shop.world.key);
    let reply = async || {
        let body = json!({ "conversationId": conversation, "text": ANSWER });
        Answer::to(api.request(Method::POST, "/v1/messages").header("Idempotency-Key", "k").json(&body)).await
    };
    let open = reply().await;
    open.assert_open("cut off");
    assert_eq!(shop.given(&channel).len(), 1);

    let settled = eventually("the reply is settled", async || {
        later.clock.advance(Duration::from_secs(5));
        let answer = reply().await;
        (answer.status == 201).then_some(answer)
    })
    .await;
    assert_eq!(settled.text("/message/id"), open.text("/details/id"));
    assert_eq!(settled.header("idempotency-replayed"), Some("true"));
    let messages = api.get(&format!("/v1/conversations/{conversation}/messages")).await;
    let contents: Vec<_> = messages.body["data"].as_array().unwrap().iter().map(|m| &m["content"]).collect();
    assert_eq!(contents, [ANSWER, "متوفر؟"]);
    assert_eq!(shop.rows.count("deliveries WHERE event = 'message.sent'").await, 1);
    assert_eq!((shop.given(&channel).len(), shop.rows.count("journal").await), (1, 0));
    serving.stop().await;
}
