//! Connecting by what a token opens, registering numbers, and marking read, as an owner does it.

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::OWNER;
use crate::support::{Browser, CLINIC, SHOP, Seen, World, field};

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
    let open = async |browser: &Browser, token: &str| {
        browser.visitor().post("/dashboard/settings/channels/open", &[("token", token)]).await
    };
    let choose = async |browser: &Browser, fields: &[(&str, &str)]| {
        browser.visitor().post("/dashboard/settings/channels/choose", fields).await
    };
    let opened = open(&owner, TOKEN).await;
    assert!(opened.status == 200 && !opened.html.contains(TOKEN), "{opened:?}");
    let (shop, page) = (format!("account-{SHOP}"), format!("page-{PAGE}"));
    // What is free is ticked already, what is connected may be connected again.
    for (name, ticked) in [(&shop, ""), (&page, " checked")] {
        assert!(opened.html.contains(&format!("name=\"{name}\" value=\"yes\"{ticked}>")), "{opened:?}");
    }
    assert!(opened.html.contains("rafidain.shop") && !opened.html.contains("<code>"), "{opened:?}");

    let offer = field(&opened.html, "offer").to_owned();
    let choice = [("offer", &*offer), (&*shop, "yes"), (&*page, "yes"), ("page-42", "yes")];
    for _ in 0..2 {
        let chosen = choose(&owner, &choice).await;
        assert!(
            chosen.status == 422 && chosen.html.contains("\u{2068}42\u{2069}"),
            "the one that is not opened: {chosen:?}"
        );
    }
    let pages = owner.get("/pages").await;
    let connected = &pages.body["rows"][0];
    assert_eq!((&connected["state"], &connected["problem"]), (&json!("connected"), &Value::Null));
    assert_eq!(connected["health"].as_array().map(Vec::len), Some(2), "{connected}");

    let (neighbour, _) = world.neighbour();
    let other = Browser::joined(world.service.base_url(), &world.secrets, &neighbour, "n@n.example", "owner");
    let other = other.await;
    let theirs = open(&other, TOKEN).await;
    assert!(theirs.status == 200 && !theirs.html.contains(&format!("name=\"{shop}\"")), "{theirs:?}");
    assert!(!theirs.html.contains(&world.workspace));
    assert_eq!(choose(&other, &choice).await.status, 422, "an offer of ours");
    assert_eq!(choose(&owner, &choice[..1]).await.status, 422, "nothing chosen");
    for wrong in ["another", "", "a b"] {
        assert_eq!(open(&owner, wrong).await.status, 422, "{wrong}");
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
    let path = format!("/dashboard/settings/channels/accounts/{account}/numbers/{NUMBER}");
    let register = async |pin: &str| owner.visitor().post(&path, &[("pin", pin)]).await;
    let why = |refused: Seen| {
        assert_eq!(refused.status, 422, "{refused:?}");
        let (_, why) = refused.html.split_once("id=\"why\"").unwrap();
        why.split("</div>").next().unwrap().to_owned()
    };
    let registered = why(register("123456").await);
    read("PENDING").await;
    let five_digits = why(register("12345").await);
    assert_eq!(register("123456").await.status, 303);
    let accounts = owner.get("/accounts").await;
    assert_eq!(row(&accounts.body["rows"], CLINIC)["health"][0]["state"], "connected");
    read("DISCONNECTED").await;
    let another = why(register("654321").await);
    assert!(registered != five_digits && five_digits != another && another != registered, "{another}");
    let log = owner.get("/audit?action=number.registered").await;
    assert_eq!(log.body["rows"].as_array().map(Vec::len), Some(1), "{log:?}");
    assert!(!log.body.to_string().contains("123456"));
}

#[tokio::test]
async fn whether_customers_see_what_was_read_is_the_owners_to_say() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let mut visitor = owner.visitor();
    let (path, ticked) = ("/dashboard/settings/workspace", "name=\"marks-read\" value=\"on\" checked");
    assert!(visitor.get(path).await.html.contains(ticked));
    assert_eq!(visitor.post(path, &[("do", "receipts")]).await.status, 303);
    assert!(!visitor.get(path).await.html.contains(ticked));
    let log = owner.get("/audit?action=workspace.changed").await;
    assert_eq!(log.body["rows"][0]["details"], json!({ "marksRead": false }));
}
