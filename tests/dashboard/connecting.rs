//! Connecting by what a token opens, registering numbers, and marking read, as an owner does it.

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::OWNER;
use crate::support::{Browser, CLINIC, SHOP, World};

const TOKEN: &str = "token-of-the-demo";
const PAGE: &str = "1234567890";
/// The number of the clinic.
const NUMBER: &str = "106540352242944";

async fn owner_of(world: &World) -> Browser {
    Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await
}

fn row<'a>(rows: &'a Value, network_id: &str) -> &'a Value {
    let found = rows.as_array().and_then(|rows| rows.iter().find(|row| row["networkId"] == network_id));
    found.unwrap_or(&Value::Null)
}

#[tokio::test]
async fn an_owner_sees_what_a_token_opens_and_connects_what_is_chosen() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let opened = owner.post("/tokens", &json!({ "token": TOKEN })).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    assert!(!opened.body.to_string().contains(TOKEN));
    assert_eq!(row(&opened.body["accounts"], SHOP)["availability"], "connected");
    assert_eq!(row(&opened.body["accounts"], SHOP)["numbers"][0]["state"], "connected");
    let page = row(&opened.body["pages"], PAGE);
    assert_eq!((&page["availability"], &page["instagramName"]), (&json!("free"), &json!("rafidain.shop")));
    assert_eq!(opened.body["missingPermissions"], json!([]));

    let offer = opened.text("/offer").to_owned();
    let choice = json!({ "offer": offer, "accounts": [SHOP], "pages": [PAGE, "42"] });
    for _ in 0..2 {
        let chosen = owner.post("/tokens/connect", &choice).await;
        assert_eq!(chosen.status, 200, "{chosen:?}");
        let done = |id| row(&chosen.body["rows"], id)["connected"].clone();
        assert_eq!((done(SHOP), done(PAGE), done("42")), (json!(true), json!(true), json!(false)));
    }
    let pages = owner.get("/pages").await;
    let connected = &pages.body["rows"][0];
    assert_eq!((&connected["state"], &connected["problem"]), (&json!("connected"), &Value::Null));
    assert_eq!(connected["health"].as_array().map(Vec::len), Some(2), "{connected}");

    let (neighbour, _) = world.neighbour();
    let other = Browser::joined(world.service.base_url(), &world.secrets, &neighbour, "n@n.example", "owner");
    let other = other.await;
    let theirs = other.post("/tokens", &json!({ "token": TOKEN })).await;
    assert_eq!(row(&theirs.body["accounts"], SHOP)["availability"], "not_available");
    assert!(!theirs.body.to_string().contains(&world.workspace));
    other.post("/tokens/connect", &choice).await.assert_refused(404, "offer_not_valid", &json!({}), "ours");
    owner.post("/tokens/connect", &json!({ "offer": offer })).await.assert_error(400, "nothing chosen");
    let wrong = owner.post("/tokens", &json!({ "token": "another" })).await;
    wrong.assert_refused(422, "network_refused", &json!({}), "a wrong token");
    for body in [json!({}), json!({ "token": "" }), json!({ "token": "a b" }), json!({ "token": 7 })] {
        owner.post("/tokens", &body).await.assert_error(400, &body.to_string());
    }
}

#[tokio::test]
async fn a_number_that_is_not_registered_is_registered_with_its_pin() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let accounts = owner.get("/accounts").await;
    let account = row(&accounts.body["rows"], CLINIC)["id"].as_str().unwrap().to_owned();
    let read = async |status: &str| {
        let body = json!({ "phoneNumberId": NUMBER, "status": status });
        world.control(Method::PUT, "numbers", &body).await;
        assert_eq!(owner.post(&format!("/accounts/{account}/sync"), &json!({})).await.status, 200);
    };
    let path = format!("/accounts/{account}/numbers/{NUMBER}/register");
    let register = async |pin: &str| owner.post(&path, &json!({ "pin": pin })).await;
    register("123456").await.assert_refused(409, "already_registered", &json!({}), "it sends");
    read("PENDING").await;
    register("12345").await.assert_error(400, "five digits");
    assert_eq!(register("123456").await.status, 204);
    let accounts = owner.get("/accounts").await;
    assert_eq!(row(&accounts.body["rows"], CLINIC)["health"][0]["state"], "connected");
    read("DISCONNECTED").await;
    register("654321").await.assert_refused(422, "wrong_pin", &json!({}), "another PIN");
    let log = owner.get("/audit?action=number.registered").await;
    assert_eq!(log.body["rows"].as_array().map(Vec::len), Some(1), "{log:?}");
    assert!(!log.body.to_string().contains("123456"));
}

#[tokio::test]
async fn whether_customers_see_what_was_read_is_the_owners_to_say() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let path = "/workspace/read-receipts";
    assert_eq!(owner.get(path).await.body, json!({ "on": true }));
    assert_eq!(owner.put(path, &json!({ "on": false })).await.status, 204);
    assert_eq!(owner.get(path).await.body, json!({ "on": false }));
    owner.put(path, &json!({ "on": "no" })).await.assert_error(400, "no yes or no");
    let log = owner.get("/audit?action=workspace.changed").await;
    assert_eq!(log.body["rows"][0]["details"], json!({ "marksRead": false }));
}
