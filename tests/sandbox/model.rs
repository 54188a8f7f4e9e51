//! The assistant of a sandbox, with the stand-in for its model.

use adapter_postgres::testing::TestDatabase;
use reqwest::Method;
use serde_json::{Value, json};

use super::Sandbox;
use crate::support::{Answer, Api, eventually};

#[tokio::test]
async fn the_stand_in_answers_a_sandbox_s_customer_where_that_is_asked_for() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &["--assistant", "on"]).await;
    let mut fields: Vec<&String> = sandbox.ready["model"].as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, ["baseUrl", "controlUrl"]);
    let network = Api::new(sandbox.text("/network/simulatorUrl"), "");
    let message = json!({ "type": "text", "text": { "body": "شكد سعر حفاضات بامبرز؟" } });
    let number = sandbox.text("/numbers/0/phoneNumberId");
    let body =
        json!({ "phoneNumberId": number, "from": "9647701234567", "name": "سارة", "message": message });
    let written = Answer::to(network.request(Method::POST, "/control/inbound").json(&body)).await;
    assert_eq!(written.body["webhook"], json!({ "status": 200 }), "{written:?}");
    let said = eventually("the assistant answers", async || {
        let sent = network.get("/control/messages").await;
        let mut texts = sent.body["data"].as_array().unwrap().iter();
        let text = |message: &Value| message["body"]["image"]["caption"].as_str().map(str::to_owned);
        texts.find_map(text)
    })
    .await;
    assert!(said.contains("14,500"), "{said}");
    let asked = Api::new(sandbox.text("/model/controlUrl"), "").get("/requests").await;
    assert_eq!(asked.body["requests"].as_array().map(Vec::len), Some(2), "a search, then words: {asked:?}");
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}
