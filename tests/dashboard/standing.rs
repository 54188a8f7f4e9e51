//! What networks say of accounts and people beside messages, as the team sees it.

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::OWNER;
use crate::support::{Answer, Browser, Mailbox, SHOP, SHOP_NUMBER, Service, World, eventually};

const NUMBER_ID: &str = "106540352242922";

async fn owner_of(world: &World) -> Browser {
    Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await
}

/// Returns how the standing of the shop's account is shown.
async fn shown(owner: &Browser) -> Value {
    let listed = owner.get("/accounts").await;
    let rows = listed.body["rows"].as_array().unwrap();
    rows.iter().find(|row| row["networkId"] == SHOP).unwrap()["standing"].clone()
}

/// Has the network report the standing of the shop's account.
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

/// The shop's account as its owner sees it.
async fn account(owner: &Browser) -> Value {
    let listed = owner.get("/accounts").await;
    let rows = listed.body["rows"].as_array().unwrap();
    rows.iter().find(|row| row["networkId"] == SHOP).unwrap().clone()
}

#[tokio::test]
async fn owners_see_and_are_mailed_how_a_number_stands_and_that_a_token_has_expired() {
    let world = World::new().await;
    let mailbox = Mailbox::open().await;
    let mail = [("MESSAGING_SMTP_URL", mailbox.url()), ("MESSAGING_MAIL_FROM", "no-reply@messages.example")];
    let mailing = Service::start_with(&world.secrets, &mail).await;
    let owner = owner_of(&world).await;
    let known = account(&owner).await;
    let sync = format!("/accounts/{}/sync", known["id"].as_str().unwrap());
    assert_eq!(owner.post(&sync, &json!({})).await.status, 200);
    let number = async || {
        let account = account(&owner).await;
        let numbers = account["health"].as_array().unwrap();
        numbers.iter().find(|number| number["networkId"] == NUMBER_ID).unwrap().clone()
    };
    let well = number().await;
    assert_eq!(
        (&well["state"], &well["quality"], &well["messagingLimit"], &well["nameState"]),
        (&json!("connected"), &json!("green"), &json!("TIER_UNLIMITED"), &json!("APPROVED"))
    );
    assert!(well["id"].is_string() && well["name"].is_string() && well["lastError"].is_null(), "{well}");

    // The network tells of it by its webhook.
    let bad =
        json!({ "phoneNumberId": NUMBER_ID, "quality": "RED", "messagingLimit": "TIER_250", "tell": true });
    let told = world.control(Method::PUT, "numbers", &bad).await;
    assert_eq!(told["webhook"], json!({ "status": 200 }), "{told}");
    eventually("the number's quality", async || {
        let number = number().await;
        (number["quality"] == "red" && number["messagingLimit"] == "TIER_250").then_some(())
    })
    .await;
    let mails = async |most: usize| {
        eventually("mail", async || (mailbox.mails().len() >= most).then_some(())).await;
        // What they say is held by the tests of mails: in Arabic it is encoded for the way.
        assert_eq!(mailbox.mails().len(), most);
    };
    mails(1).await;

    // A number that is banned is still shown, and cannot be sent from.
    world.control(Method::PUT, "numbers", &json!({ "phoneNumberId": NUMBER_ID, "status": "BANNED" })).await;
    assert_eq!(owner.post(&sync, &json!({})).await.status, 200);
    let banned = number().await;
    assert_eq!((&banned["state"], &banned["id"]), (&json!("banned"), &Value::Null));
    mails(2).await;

    let expired = json!({ "faults": [{ "kind": "error", "code": 190, "on": "reads" }] });
    world.control(Method::PUT, "faults", &expired).await;
    for _ in 0..2 {
        owner.post(&sync, &json!({})).await.assert_error(422, "an expired token");
    }
    let problem = account(&owner).await["problem"].clone();
    assert!(problem["code"] == 190 && problem["at"].is_string(), "{problem}");
    mails(3).await;
    let mut visitor = owner.visitor();
    let page = visitor.get("/dashboard/settings/channels").await.html;
    assert!(page.contains("opens nothing any more") && page.contains("Banned by the network"), "{page}");

    world.control(Method::PUT, "faults", &json!({ "faults": [] })).await;
    assert_eq!(owner.post(&sync, &json!({})).await.status, 200);
    assert_eq!(account(&owner).await["problem"], Value::Null);
    assert_eq!(mailbox.mails().len(), 3, "that it is well again is no alert");
    drop(mailing);
}

#[tokio::test]
async fn the_last_refusal_of_a_number_is_shown_with_its_time() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let known = account(&owner).await;
    let sync = format!("/accounts/{}/sync", known["id"].as_str().unwrap());
    assert_eq!(owner.post(&sync, &json!({})).await.status, 200);
    let template = json!({ "to": "07701234567", "template": "store_hours", "from": SHOP_NUMBER });
    for (code, shown) in [(131_026, Value::Null), (131_042, json!(131_042))] {
        let fault = json!({ "faults": [{ "kind": "error", "code": code, "times": 1, "async": true }] });
        world.control(Method::PUT, "faults", &fault).await;
        assert_eq!(world.api().send(&template).await.status, 201, "{code}");
        world.receiver.next_of("message.failed").await;
        let health = account(&owner).await["health"].clone();
        let numbers = health.as_array().unwrap();
        let number = numbers.iter().find(|one| one["networkId"] == NUMBER_ID).unwrap();
        assert_eq!(number["lastError"]["code"], shown, "{number}");
    }
}
