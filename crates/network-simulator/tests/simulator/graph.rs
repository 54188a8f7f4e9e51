//! Tokens, objects, numbers, and what every error has.

use data_encoding::HEXLOWER;
use reqwest::Method;
use ring::hmac;
use serde_json::json;

use crate::support::{ACCOUNT, Answer, NUMBER, SECRET, TOKEN, World, config, plain};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_needs_a_token_and_sees_only_its_own_accounts() {
    let world = World::start().await;
    let url = |path: &str| world.simulator.url().join(path).unwrap();
    let path = format!("v25.0/{NUMBER}");
    let none = Answer::of(world.client.get(url(&path)).send().await.unwrap()).await;
    assert_eq!((none.status, none.code()), (401, 190));
    let wrong = world.client.get(url(&path)).bearer_auth("wrong").send().await.unwrap();
    assert!(wrong.headers()["www-authenticate"].to_str().unwrap().starts_with("OAuth \"Facebook Platform\""));
    assert_eq!(Answer::of(wrong).await.code(), 190);
    let other = world.client.get(url(&path)).bearer_auth("token-2").send().await.unwrap();
    let other = Answer::of(other).await;
    assert_eq!((other.status, other.code()), (400, 100));
    assert_eq!(other.body["error"]["error_subcode"], 33);
    assert_eq!(other.body["error"]["type"], "GraphMethodException");
    let query = url(&format!("{path}?access_token={TOKEN}"));
    assert_eq!(world.client.get(query).send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_ids_and_paths_are_graph_errors_with_fresh_trace_ids() {
    let world = World::start().await;
    let mut traces = std::collections::BTreeSet::new();
    for (method, path) in [
        (Method::GET, "v25.0/999"),
        (Method::GET, "v99.12/999/phone_numbers"),
        (Method::POST, "v25.0/999/messages"),
        (Method::POST, "v25.0/102290129340398/messages"),
        (Method::GET, "v25.0/106540352242922/message_templates"),
        (Method::DELETE, "v25.0/106540352242922"),
    ] {
        let answer = world.call(method, path, Some(&json!({}))).await;
        assert_eq!((answer.status, answer.code()), (400, 100), "{path} {}", answer.body);
        assert_eq!(answer.body["error"]["error_subcode"], 33, "{path}");
        assert!(answer.body["error"]["message"].as_str().unwrap().contains("does not exist"), "{path}");
        traces.insert(answer.body["error"]["fbtrace_id"].as_str().unwrap().to_owned());
    }
    assert_eq!(traces.len(), 6);
    let outside = world.get("somewhere").await;
    assert_eq!((outside.status, outside.code()), (400, 2500));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proof_of_the_secret_is_checked_when_it_is_required() {
    let mut careful = config();
    careful.require_appsecret_proof = true;
    let world = World::with(careful).await;
    let absent = world.get(&format!("v25.0/{NUMBER}")).await;
    assert_eq!((absent.status, absent.code()), (400, 100));
    assert_eq!(absent.body["error"]["type"], "GraphMethodException");
    let wrong = world.get(&format!("v25.0/{NUMBER}?appsecret_proof=00")).await;
    assert!(wrong.body["error"]["message"].as_str().unwrap().starts_with("Invalid appsecret_proof"));
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    let proof = HEXLOWER.encode(hmac::sign(&key, TOKEN.as_bytes()).as_ref());
    assert_eq!(world.get(&format!("v25.0/{NUMBER}?appsecret_proof={proof}")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_are_listed_and_shown_with_the_fields_asked_for() {
    let world = World::start().await;
    let list =
        world.get(&format!("v25.0/{ACCOUNT}/phone_numbers?fields=id,display_phone_number,status")).await;
    assert_eq!(
        list.body["data"],
        json!([{ "id": NUMBER, "display_phone_number": "+964 770 000 0001", "status": "CONNECTED" }])
    );
    assert!(list.body["paging"]["cursors"]["after"].is_string());
    assert!(list.body["paging"].get("next").is_none());
    let one = world.get(&format!("v25.0/{NUMBER}")).await;
    assert_eq!(one.body["verified_name"], "Shop");
    assert!(one.body.get("status").is_none(), "status has to be asked for");
    let account = world.get(&format!("v25.0/{ACCOUNT}?fields=name")).await;
    assert_eq!(account.body, json!({ "id": ACCOUNT, "name": "Shop" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_deregistered_is_not_connected() {
    let world = World::start().await;
    assert_eq!(world.post(&format!("v25.0/{NUMBER}/deregister"), &json!({})).await.status, 200);
    assert_eq!(world.send(&plain("x")).await.code(), 133_010);
    let short = json!({ "messaging_product": "whatsapp", "pin": "12" });
    assert_eq!(world.post(&format!("v25.0/{NUMBER}/register"), &short).await.code(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_pin_is_the_number_s_and_ten_registrations_are_the_most() {
    let world = World::start().await;
    let register = async |pin: &str| {
        let body = json!({ "messaging_product": "whatsapp", "pin": pin });
        world.post(&format!("v25.0/{NUMBER}/register"), &body).await
    };
    assert_eq!(register("123456").await.status, 200);
    assert_eq!(register("654321").await.code(), 133_005);
    for _ in 0..8 {
        assert_eq!(register("123456").await.status, 200);
    }
    assert_eq!(register("123456").await.code(), 133_016);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_up_leads_back_with_a_code_that_is_exchanged_once_at_its_address() {
    let world = World::start().await;
    let (app, back) = ("634974688087057", "http://127.0.0.1:9/back");
    let dialog = |choice: &str| {
        let path =
            format!("v25.0/dialog/oauth?client_id={app}&config_id=1&redirect_uri={back}&state=s{choice}");
        let client =
            reqwest::Client::builder().no_gzip().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let url = world.simulator.url().join(&path).unwrap();
        async move { client.get(url).send().await.unwrap() }
    };
    let shown = dialog("").await.text().await.unwrap();
    assert!(shown.contains("choice=agree") && shown.contains("choice=deny"), "{shown}");
    let led = |answer: reqwest::Response| answer.headers()["location"].to_str().unwrap().to_owned();
    let denied = led(dialog("&choice=deny").await);
    assert!(denied.starts_with(back) && denied.contains("error=access_denied") && denied.contains("state=s"));
    let agreed = url::Url::parse(&led(dialog("&choice=agree").await)).unwrap();
    let code = agreed.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    let exchange = async |back: &str| {
        let query = format!("client_id={app}&client_secret={SECRET}&redirect_uri={back}&code={code}");
        let url = world.simulator.url().join(&format!("v25.0/oauth/access_token?{query}")).unwrap();
        Answer::of(world.client.get(url).send().await.unwrap()).await
    };
    assert_eq!(exchange(back).await.body["access_token"], TOKEN);
    assert_eq!(exchange(back).await.code(), 100, "a code counts once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_explained_to_the_app() {
    let world = World::start().await;
    let app = format!("634974688087057%7C{SECRET}");
    let debug = |token: &str| {
        let path = format!("v25.0/debug_token?input_token={token}&access_token={app}");
        let request = world.client.get(world.simulator.url().join(&path).unwrap());
        async move { Answer::of(request.send().await.unwrap()).await.body["data"].clone() }
    };
    let valid = debug(TOKEN).await;
    assert_eq!(valid["is_valid"], true);
    assert_eq!(valid["granular_scopes"][0]["target_ids"], json!([ACCOUNT]));
    let invalid = debug("wrong").await;
    assert_eq!(invalid["is_valid"], false);
    assert_eq!(invalid["error"]["code"], 190);
}
