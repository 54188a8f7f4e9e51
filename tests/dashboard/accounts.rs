//! Business accounts with their numbers and templates, and pages, as an owner has them at the dashboard.

use reqwest::Method;
use serde_json::json;

use super::stage::{OWNER, Stage};
use crate::support::{Answer, Browser, CLINIC, CODES_NUMBER, SHOP, SHOP_NUMBER, World};

const TOKEN: &str = "token-of-the-demo";

async fn owner_of(world: &World) -> Browser {
    Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await
}

/// The account of that id at the network.
async fn account(owner: &Browser, network_id: &str) -> serde_json::Value {
    let listed = owner.get("/accounts").await;
    let rows = listed.body["rows"].as_array().unwrap();
    rows.iter().find(|row| row["networkId"] == network_id).cloned().unwrap_or_default()
}

#[tokio::test]
async fn an_owner_sees_accounts_numbers_and_templates_and_makes_a_number_send_only() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let shop = account(&owner, SHOP).await;
    let numbers = shop["numbers"].as_array().unwrap();
    let number = numbers.iter().find(|number| number["phone"] == SHOP_NUMBER).unwrap();
    assert_eq!((&number["sendOnly"], shop["syncedAt"].is_string()), (&json!(false), true));
    assert!(numbers.iter().any(|number| number["phone"] == CODES_NUMBER && number["sendOnly"] == true));

    let path = format!("/numbers/{}", number["id"].as_str().unwrap());
    assert_eq!(owner.patch(&path, &json!({ "sendOnly": true })).await.status, 204);
    let now = account(&owner, SHOP).await;
    assert!(now["numbers"].as_array().unwrap().iter().all(|number| number["sendOnly"] == true), "{now}");
    owner.patch(&path, &json!({})).await.assert_error(400, "nothing to set");
    owner.patch("/numbers/nothing", &json!({ "sendOnly": true })).await.assert_error(404, "no number");

    let templates = owner.get("/templates").await;
    let rows = templates.body["rows"].as_array().unwrap();
    let ready = rows.iter().find(|row| row["name"] == "order_ready").unwrap();
    assert_eq!((&ready["status"], &ready["accountNetworkId"]), (&json!("approved"), &json!(SHOP)));
    assert_eq!((&ready["accountId"], ready["syncedAt"].is_string()), (&shop["id"], true));

    let sync = format!("/accounts/{}/sync", shop["id"].as_str().unwrap());
    let read = owner.post(&sync, &json!({})).await;
    let own = rows.iter().filter(|row| row["accountNetworkId"] == SHOP).count();
    assert_eq!((read.status, &read.body["templates"]), (200, &json!(own)));
    for (action, subject, rows) in [
        ("account.synced", SHOP, 3),
        ("account.connected", CLINIC, 2),
        ("number.send_only_set", SHOP_NUMBER, 2),
    ] {
        let log = owner.get(&format!("/audit?action={action}")).await;
        let logged = log.body["rows"].as_array().unwrap();
        assert_eq!(logged.len(), rows, "{action}: {log:?}");
        assert!(logged.iter().any(|row| row["subject"] == subject), "{action}: {log:?}");
    }
}

#[tokio::test]
async fn an_owner_names_a_template_s_variables_and_the_names_outlive_its_next_reading() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let shop = account(&owner, SHOP).await;
    let variables = async || {
        let templates = owner.get("/templates").await;
        let is_ours = |row: &&serde_json::Value| {
            row["name"] == "order_ready" && row["language"] == "ar" && row["accountId"] == shop["id"]
        };
        let rows = templates.body["rows"].as_array().unwrap();
        rows.iter().find(is_ours).unwrap()["variables"].clone()
    };
    let text = |place: &str| json!({ "place": place, "label": place, "kind": "text" });
    assert_eq!(variables().await, json!([text("1"), text("2")]));

    let labels = |variables: serde_json::Value| {
        let (name, language) = ("order_ready", "ar");
        json!({ "accountId": shop["id"], "name": name, "language": language, "variables": variables })
    };
    let customer = json!({ "label": "customer", "kind": "name" });
    let order = json!({ "label": "رقم الطلب", "kind": "text" });
    let labelled = owner.put("/templates/variables", &labels(json!([customer, order]))).await;
    assert_eq!(labelled.status, 204, "{labelled:?}");
    let named = json!([
        { "place": "1", "label": "customer", "kind": "name" }, { "place": "2", "label": "رقم الطلب", "kind": "text" },
    ]);
    assert_eq!(variables().await, named);
    let sync = format!("/accounts/{}/sync", shop["id"].as_str().unwrap());
    assert_eq!(owner.post(&sync, &json!({})).await.status, 200);
    assert_eq!(variables().await, named);
    let log = owner.get("/audit?action=template.labelled").await;
    assert_eq!(log.body["rows"][0]["subject"], "order_ready");
    assert_eq!(
        log.body["rows"][0]["details"],
        json!({ "language": "ar", "labels": ["customer", "رقم الطلب"] })
    );

    // Sends take the names, and what the network calls the places; the listing and a refusal show the names.
    for variables in [json!({ "customer": "سارة", "رقم الطلب": "A-1" }), json!({ "1": "سارة", "2": "A-1" })]
    {
        let notice = json!({ "to": "07701234567", "template": "order_ready", "language": "ar", "variables": variables });
        let sent = world.api().send(&notice).await;
        assert_eq!(sent.status, 201, "{sent:?}");
        assert!(sent.text("/message/content").contains("سارة، طلبك A-1"), "{sent:?}");
    }
    let short =
        json!({ "to": "07701234567", "template": "order_ready", "language": "ar", "variables": ["سارة"] });
    let wanted = json!({ "variables": ["customer", "رقم الطلب"] });
    world.api().send(&short).await.assert_refused(400, "variables_mismatch", &wanted, "one of two");

    for wrong in [
        json!([]),
        json!([customer]),
        json!([customer, customer]),
        json!([{ "label": "2", "kind": "text" }, order]),
        json!([{ "label": "", "kind": "text" }, order]),
        json!([{ "label": "customer", "kind": "person" }, order]),
    ] {
        owner.put("/templates/variables", &labels(wrong.clone())).await.assert_error(400, &wrong.to_string());
    }
    let mut elsewhere = labels(json!([customer, order]));
    elsewhere["language"] = json!("fr");
    owner.put("/templates/variables", &elsewhere).await.assert_error(404, "no such template");
    assert_eq!(variables().await, named);
}

#[tokio::test]
async fn an_owner_disconnects_an_account_which_then_sends_and_receives_nothing_and_connects_it_again() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    // The clinic has the same templates.
    world.operator(&["account", "disconnect", &world.workspace, "--id", CLINIC]);
    let shop = account(&owner, SHOP).await;
    let path = format!("/accounts/{}", shop["id"].as_str().unwrap());
    assert_eq!(owner.delete(&path).await.status, 204);
    owner.delete(&path).await.assert_error(404, "disconnected before");
    owner.post(&format!("{path}/sync"), &json!({})).await.assert_error(404, "of a disconnected account");
    assert!(account(&owner, SHOP).await.is_null());

    let notice = json!({ "to": "07701234567", "template": "order_ready", "variables": ["سارة", "A-1042"] });
    let refused = world.api().send(&notice).await;
    refused.assert_refused(409, "no_whatsapp_channel", &json!({}), "a disconnected account");
    let rows = world.rows().await;
    let written = json!({
        "phoneNumberId": "106540352242922", "from": "+9647701234567", "name": "Sara",
        "message": { "type": "text", "text": { "body": "Hello" } },
    });
    world.control(Method::POST, "inbound", &written).await;
    world.simulator.settled().await;
    assert_eq!((rows.count("messages").await, rows.count("journal").await), (0, 0));
    let kept = rows.texts("SELECT encode(token_sealed, 'escape') FROM accounts ORDER BY id").await;
    assert!(kept.iter().all(|token| !token.contains(TOKEN)), "{kept:?}");

    let again = owner.post("/accounts", &json!({ "networkId": SHOP, "token": TOKEN })).await;
    assert_eq!((again.status, &again.body["id"]), (201, &shop["id"]), "{again:?}");
    assert_eq!(again.body["numbers"].as_array().map(Vec::len), Some(2));
    assert_eq!(world.api().send(&notice).await.status, 201);
    for action in ["account.connected", "account.disconnected"] {
        let log = owner.get(&format!("/audit?action={action}")).await;
        assert!(log.body["rows"][0]["memberId"].is_string(), "{log:?}");
        assert!(!log.body.to_string().contains(TOKEN));
    }
}

#[tokio::test]
async fn an_owner_connects_a_page_with_its_instagram_account_and_lets_go_of_both() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let connected = owner.post("/pages", &json!({ "token": TOKEN })).await;
    assert_eq!(connected.status, 201, "{connected:?}");
    let listed = owner.get("/pages").await;
    assert_eq!(listed.text("/rows/0/networkId"), connected.text("/networkId"));
    assert_eq!(listed.text("/rows/0/instagramNetworkId"), connected.text("/instagramNetworkId"));
    assert!(!listed.body.to_string().contains(TOKEN));
    let id = listed.text("/rows/0/id");
    owner.delete(&format!("/accounts/{id}")).await.assert_error(404, "a page is no business account");
    let page = format!("/dashboard/settings/channels/pages/{id}");
    assert_eq!(owner.visitor().post(&page, &[("do", "disconnect")]).await.status, 303);
    assert_eq!(owner.get("/pages").await.body["rows"], json!([]));
    let rows = world.rows().await;
    let open = "SELECT kind FROM channels WHERE kind <> 'whatsapp' AND disconnected_at IS NULL";
    assert!(rows.texts(open).await.is_empty());
}

#[tokio::test]
async fn what_the_network_or_another_workspace_says_to_a_connection_is_told() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    let connect = async |body| owner.post("/accounts", &body).await;
    let wrong = connect(json!({ "networkId": SHOP, "token": "another" })).await;
    wrong.assert_refused(422, "network_refused", &json!({}), "a wrong token");
    owner.post("/pages", &json!({ "token": "another" })).await.assert_error(422, "a wrong token");
    for body in [
        json!({ "networkId": "me/accounts", "token": TOKEN }),
        json!({ "networkId": "", "token": TOKEN }),
        json!({ "networkId": SHOP, "token": "" }),
        json!({ "networkId": SHOP, "token": "a\r\nb" }),
        json!({ "networkId": SHOP }),
        json!({ "networkId": 7, "token": TOKEN }),
    ] {
        let refused = connect(body.clone()).await;
        refused.assert_error(400, &body.to_string());
        assert!(!refused.body.to_string().contains(TOKEN));
    }
    let (neighbour, _) = world.neighbour();
    let other = Browser::joined(world.service.base_url(), &world.secrets, &neighbour, "n@n.example", "owner");
    let taken = other.await.post("/accounts", &json!({ "networkId": CLINIC, "token": TOKEN })).await;
    taken.assert_refused(409, "connected_elsewhere", &json!({}), "the clinic is ours");
}

#[tokio::test]
async fn a_network_that_cannot_be_reached_is_said_to_be_away() {
    let stage = Stage::new().await;
    let away = stage.owner.post("/accounts", &json!({ "networkId": SHOP, "token": TOKEN })).await;
    away.assert_refused(503, "network_unavailable", &json!({}), "nobody listens there");
    assert_eq!(away.header("retry-after"), Some("5"));
    let answer = Answer::to(stage.owner.request(Method::GET, "/accounts")).await;
    assert_eq!(answer.body["rows"], json!([]));
}

#[tokio::test]
async fn what_an_operator_does_to_a_workspace_is_in_its_log() {
    let stage = Stage::new().await;
    stage.operator(&["workspace", "plan", &stage.workspace, "--limit", "500"]);
    let log = stage.owner.get("/audit?action=workspace.plan_set").await;
    let row = &log.body["rows"][0];
    assert_eq!(row["details"], json!({ "activeCustomerLimit": 500, "paused": false }));
    assert!(row["memberId"].is_null() && row["address"].is_null(), "{row}");
    let made = stage.owner.get("/audit?action=workspace.created").await;
    assert_eq!(made.body["rows"][0]["details"]["name"], json!("Palm Store"));
}
