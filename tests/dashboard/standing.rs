//! What networks say of accounts and people beside messages, as the team sees it.

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::OWNER;
use crate::support::{Answer, Browser, SHOP, SHOP_NUMBER, World, eventually};

const NUMBER_ID: &str = "106540352242922";

async fn owner_of(world: &World) -> Browser {
    Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await
}

/// How the shop's account is shown to stand.
async fn shown(owner: &Browser) -> Value {
    let listed = owner.get("/accounts").await;
    let rows = listed.body["rows"].as_array().unwrap();
    rows.iter().find(|row| row["networkId"] == SHOP).unwrap()["standing"].clone()
}

/// The network says how the shop's account stands from now on.
async fn stands(world: &World, owner: &Browser, standing: &str) -> Value {
    let body = json!({ "accountId": SHOP, "standing": standing });
    let told = world.control(Method::PUT, "standing", &body).await;
    assert_eq!(told["webhook"], json!({ "status": 200 }), "{told}");
    let wanted = if standing == "good" { Value::Null } else { json!(standing) };
    eventually("the standing", async || {
        Some(shown(owner).await).filter(|shown| shown.get("state").cloned().unwrap_or_default() == wanted)
    })
    .await
}

async fn write(world: &World, extra: Value) {
    let mut body = json!({ "phoneNumberId": NUMBER_ID, "from": "+9647709876543", "name": "Zahra" });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    let written = world.control(Method::POST, "inbound", &body).await;
    assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
}

#[tokio::test]
async fn an_account_that_the_network_bars_is_shown_and_its_sends_are_refused_with_a_reason() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    assert_eq!(shown(&owner).await, Value::Null);
    write(&world, json!({ "message": { "type": "text", "text": { "body": "Hello" } } })).await;
    let told = world.receiver.next_of("message.received").await;
    let conversation = told.body["data"]["conversationId"].clone();
    let api = world.api();
    let template = json!({ "to": "07701234567", "template": "order_ready", "from": SHOP_NUMBER,
                           "variables": ["سارة", "A-1042"] });
    let reply = json!({ "conversationId": conversation, "text": "Yes" });
    let refused = async |answer: Answer, state: &str| {
        let reason = json!({ "reason": format!("account_{state}") });
        answer.assert_refused(409, "no_whatsapp_channel", &reason, state);
    };

    let restricted = stands(&world, &owner, "restricted").await;
    assert_eq!((&restricted["barsTemplates"], &restricted["barsReplies"]), (&json!(true), &json!(false)));
    assert!(restricted["until"].is_string() && restricted["detail"].is_string(), "{restricted}");
    refused(api.send(&template).await, "restricted").await;
    assert_eq!(api.post("/v1/messages", &reply).await.status, 201);

    stands(&world, &owner, "disabled").await;
    refused(api.send(&template).await, "disabled").await;
    refused(api.post("/v1/messages", &reply).await, "disabled").await;
    assert!(world.service.log().iter().any(|line| line.contains("the network bars an account")));
    stands(&world, &owner, "good").await;
    assert_eq!(api.send(&template).await.status, 201);

    stands(&world, &owner, "deleted").await;
    refused(api.send(&template).await, "deleted").await;
}

#[tokio::test]
async fn what_a_person_told_the_network_without_writing_is_shown_with_them() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    write(&world, json!({ "message": { "type": "text", "text": { "body": "Hello" } } })).await;
    let told = world.receiver.next_of("message.received").await;
    let page = format!("/contacts/{}", told.body["data"]["customer"]["id"].as_str().unwrap());
    assert_eq!(owner.get(&page).await.body["signals"], json!([]));
    write(&world, json!({ "sample": "marketing_stopped" })).await;
    let signal = eventually("the signal", async || {
        owner.get(&page).await.body["signals"].as_array().unwrap().first().cloned()
    })
    .await;
    assert_eq!((&signal["kind"], &signal["stopped"]), (&json!("marketing"), &json!(true)));
    assert_eq!((&signal["channel"], signal["at"].is_string()), (&json!("whatsapp"), true));
    assert_eq!(
        (&signal["title"], &signal["payload"], &signal["referral"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let listed = world.api().get("/v1/contacts").await;
    assert!(!listed.body.to_string().contains("signals"), "it is the team's to know");
}
