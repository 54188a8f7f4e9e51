//! A workspace's own system, as an owner connects it at the dashboard and as its connection heals.

use std::{sync::Arc, time::Duration};

use adapter_vault::{Keyring, MasterKey};
use data_encoding::HEXLOWER;
use guarded_http::Policy;
use reference_shop::{Config, Fault, ReferenceShop};
use serde_json::{Value, json};
use server::{
    cli::SystemCommand,
    config::StoreConfig,
    operate::replaces,
    system::SystemClock,
    wiring::{Foundation, system_client, systems},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::stage::{OWNER, Stage};
use crate::support::{Answer, Browser, Visitor, World, eventually};

const SECRET: &str = "shop-secret-91c4";

async fn shop() -> ReferenceShop {
    ReferenceShop::start(Config::new(SECRET)).await.unwrap()
}

async fn connect(owner: &Browser, shop: &ReferenceShop) -> Answer {
    let connected = owner.put("/system", &json!({ "baseUrl": shop.base_url(), "secret": SECRET })).await;
    assert_eq!(connected.status, 200, "{connected:?}");
    connected
}

#[tokio::test]
async fn an_owner_connects_a_system_and_sees_at_once_what_it_switches_on() {
    let world = World::new().await;
    let shop = shop().await;
    let owner = Browser::joined(
        world.service.base_url(),
        &world.secrets,
        &world.workspace,
        "amal@palm.example",
        "owner",
    )
    .await;
    owner.get("/system").await.assert_refused(404, "no_system", &json!({}), "no system");

    let connected = connect(&owner, &shop).await;
    assert_eq!(connected.text("/baseUrl"), shop.base_url());
    assert_eq!((connected.text("/currency"), connected.text("/state")), ("IQD", "active"));
    assert_eq!(connected.body["capabilities"], json!(["catalog", "orders", "customers", "appointments"]));
    assert!(connected.body["tools"].to_string().contains("searchProducts"), "{connected:?}");
    let shown = owner.get("/system").await;
    assert_eq!(shown.body, connected.body);
    assert!(!shown.body.to_string().contains(SECRET));
    let asked = shop.requests();
    assert_eq!(asked.len(), 1, "{asked:?}");

    let verified = owner.post("/system/verify", &json!({})).await;
    assert_eq!((verified.status, verified.text("/state")), (200, "active"));
    let calls = owner.get("/system/calls?route=GET%20%2Fverify&result=answered&unusable=false").await;
    let calls = calls.body["rows"].as_array().unwrap().clone();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!((&calls[0]["status"], &calls[0]["message"]), (&json!(200), &Value::Null));
    assert!(owner.get("/system/calls?result=refused").await.body["rows"].as_array().unwrap().is_empty());

    let said = world.operator(&["system", "show", &world.workspace]);
    assert!(said.contains("state     active") && !said.contains(SECRET), "{said}");
    let calls = world.operator(&["system", "calls", &world.workspace]);
    let row: Vec<&str> = calls.lines().nth(1).unwrap().split_whitespace().collect();
    assert!(calls.starts_with("AT ") && row[1..5] == ["GET", "/verify", "answered", "200"], "{calls}");
    let listed: Value = serde_json::from_str(&world.operator(&["system", "list", "--json"])).unwrap();
    let listed = &listed["rows"][0];
    assert_eq!((&listed["workspaceId"], &listed["state"]), (&json!(world.workspace), &json!("active")));
    assert_eq!((&listed["system"], &listed["problem"]), (&json!(shop.base_url()), &Value::Null));
    let listed = world.operator(&["system", "list"]);
    assert!(listed.lines().count() == 2 && listed.starts_with("WORKSPACE ID "), "{listed}");
    assert_eq!(owner.delete("/system").await.status, 204);
    assert_eq!(world.operator(&["system", "list"]).trim(), "");
    assert_eq!((owner.get("/system").await.status, owner.delete("/system").await.status), (404, 404));
    assert!(!world.service.log().join("\n").contains(SECRET));
}

#[tokio::test]
async fn an_operator_is_asked_before_a_system_takes_the_place_of_another() {
    let (stage, shop) = (Stage::new().await, shop().await);
    let config = StoreConfig {
        trust: tls_trust::Trust::default(),
        database_url: stage.secrets.database_url.clone(),
        pool_size: 1,
        keys: Keyring::new(MasterKey::parse(&stage.secrets.master_key).unwrap(), Vec::new()),
    };
    let foundation = Foundation::open(&config, Arc::new(SystemClock)).unwrap();
    let client = system_client(Policy { allowed: Vec::new() }, &foundation.trust).unwrap();
    let systems = systems(&foundation, client);
    let workspace = stage.workspace.parse().unwrap();
    let base = "https://other.example".to_owned();
    let command = SystemCommand::Connect { workspace, base, secret_file: "-".into() };
    assert_eq!(replaces(&command, &systems).await.unwrap(), None);
    connect(&stage.owner, &shop).await;
    let question = format!("Replace the system {} and destroy its secret?", shop.base_url());
    assert_eq!(replaces(&command, &systems).await.unwrap(), Some(question));
    assert_eq!(replaces(&SystemCommand::Verify { workspace }, &systems).await.unwrap(), None);
}

#[tokio::test]
async fn a_system_that_does_not_introduce_itself_leaves_what_was_connected() {
    let (stage, shop) = (Stage::new().await, shop().await);
    let before = connect(&stage.owner, &shop).await;
    let base = shop.base_url();
    for (base, secret, status, code, field) in [
        ("https://10.0.0.1", SECRET, 400, "system_invalid", "baseUrl"),
        ("http://shop.example", SECRET, 400, "system_invalid", "baseUrl"),
        ("https://shop.example/?a=1", SECRET, 400, "system_invalid", "baseUrl"),
        ("https://shop.example/#a", SECRET, 400, "system_invalid", "baseUrl"),
        ("shop.example", SECRET, 400, "system_invalid", "baseUrl"),
        (&base, "a\nb", 400, "system_invalid", "secret"),
        (&base, "", 400, "system_invalid", "secret"),
        (&base, "another", 422, "system_refuses_secret", "secret"),
    ] {
        let refused = stage.owner.put("/system", &json!({ "baseUrl": base, "secret": secret })).await;
        refused.assert_refused(status, code, &json!({ "field": field }), base);
        assert_eq!(stage.owner.get("/system").await.body, before.body, "{base}");
    }
    shop.set_faults(&json!([{ "name": "html_answer", "route": "verify" }])).unwrap();
    let unread = stage.owner.put("/system", &json!({ "baseUrl": base, "secret": SECRET })).await;
    unread.assert_refused(422, "system_unverified", &json!({ "field": "baseUrl" }), "HTML");
}

#[tokio::test]
async fn a_refused_secret_is_told_everywhere_and_the_connection_heals_by_itself() {
    let (stage, shop) = (Stage::new().await, shop().await);
    connect(&stage.owner, &shop).await;
    shop.switch_on(&[Fault::RightSecretRefused]);
    let lost = stage.owner.post("/system/verify", &json!({})).await;
    assert_eq!((lost.status, lost.text("/state")), (200, "needs_reconnection"));
    assert!(lost.body["problem"].is_string() && lost.body["nextVerificationAt"].is_string(), "{lost:?}");
    let calls = stage.owner.get("/system/calls?result=needs_reconnection").await;
    assert_eq!(calls.body["rows"][0]["status"], json!(401));
    let mut visitor = Visitor::signed_in(&stage.base_url, OWNER).await;
    visitor.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    let page = visitor.get("/dashboard/settings/system").await.html;
    let (_, card) = page.split_once("<div id=\"system\" data-live>").unwrap();
    assert!(card.contains("لا يقبل السر") && !card.contains("does not accept"), "{card}");

    shop.switch_on(&[]);
    stage.later(Duration::from_mins(1));
    stage.work();
    let healed = eventually("the connection heals", async || {
        let shown = stage.owner.get("/system").await;
        (shown.text("/state") == "active").then_some(shown)
    })
    .await;
    assert!(healed.body["problem"].is_null() && healed.body["nextVerificationAt"].is_null());
    let log = stage.owner.get("/audit?action=system.changed").await;
    let moves: Vec<_> =
        log.body["rows"].as_array().unwrap().iter().map(|row| &row["details"]["state"]).collect();
    assert_eq!(moves, ["active", "needs_reconnection"]);
    assert!(log.body["rows"][0]["memberId"].is_null() && log.body["rows"][1]["memberId"].is_string());
    let told = stage.rows().await.texts("SELECT kind FROM live_changes WHERE kind = 'system.changed'").await;
    assert_eq!(told.len(), 3, "connected, lost, healed");
}

#[tokio::test]
async fn another_workspace_s_system_and_its_calls_are_as_if_they_did_not_exist() {
    let (stage, shop) = (Stage::new().await, shop().await);
    connect(&stage.owner, &shop).await;
    let neighbour = stage.neighbour().await;
    for refused in [
        neighbour.get("/system").await,
        neighbour.delete("/system").await,
        neighbour.post("/system/verify", &json!({})).await,
    ] {
        refused.assert_refused(404, "no_system", &json!({}), "a neighbour's");
    }
    assert_eq!(neighbour.get("/system/calls").await.body["rows"], json!([]));
    let agent = stage.joined("agent@palm.example", "agent").await;
    assert_eq!(agent.get("/system").await.status, 200);
    let refused = agent.put("/system", &json!({ "baseUrl": shop.base_url(), "secret": SECRET })).await;
    refused.assert_refused(403, "owner_only", &json!({}), "an agent");
    assert_eq!(stage.owner.get("/system").await.text("/state"), "active");
}

#[tokio::test]
async fn no_secret_of_a_system_is_in_clear_in_a_row() {
    let (stage, shop) = (Stage::new().await, shop().await);
    connect(&stage.owner, &shop).await;
    let rows = stage.rows().await;
    for table in ["systems", "system_calls", "audit_log"] {
        let written = rows.texts(&format!("SELECT {table}::text FROM {table}")).await.join("\n");
        assert!(!written.is_empty() && !written.contains(SECRET), "{table}");
        assert!(!written.contains(&HEXLOWER.encode(SECRET.as_bytes())), "{table}");
    }
}

#[tokio::test]
async fn agents_are_shown_no_more_of_a_systems_address_than_its_origin() {
    let (stage, shop) = (Stage::new().await, shop().await);
    connect(&stage.owner, &shop).await;
    let rows = stage.rows().await;
    rows.change("UPDATE systems SET base_url = 'https://shop.example/key-91c4/api'").await;
    let agent = stage.joined("agent@palm.example", "agent").await;
    assert_eq!(stage.owner.get("/system").await.text("/baseUrl"), "https://shop.example/key-91c4/api");
    assert_eq!(agent.get("/system").await.text("/baseUrl"), "https://shop.example");
}

#[tokio::test]
async fn an_owner_who_is_removed_while_a_system_of_theirs_introduces_itself_connects_nothing() {
    let stage = Stage::new().await;
    let removed = stage.joined("other@palm.example", "owner").await;
    let path = format!("/members/{}", removed.member_id().await);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let system = json!({ "baseUrl": format!("http://{}", listener.local_addr().unwrap()), "secret": SECRET });
    let introduces_itself = async {
        let (mut asked, _) = listener.accept().await.unwrap();
        let mut question = [0; 4096];
        assert!(asked.read(&mut question).await.unwrap() > 0);
        assert_eq!(stage.owner.delete(&path).await.status, 204);
        let body = json!({ "name": "Shop", "currency": "IQD" }).to_string();
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        asked.write_all(answer.as_bytes()).await.unwrap();
        asked.shutdown().await.unwrap();
    };
    let (refused, ()) = tokio::join!(removed.put("/system", &system), introduces_itself);
    refused.assert_refused(401, "not_signed_in", &json!({}), "removed meanwhile");
    stage.owner.get("/system").await.assert_refused(404, "no_system", &json!({}), "no system");
}
