//! Customers' phones in a browser, and links that sign members in once.

use adapter_postgres::testing::TestDatabase;
use reqwest::{Client, StatusCode, redirect::Policy};
use serde_json::{Value, json};

use super::Sandbox;
use crate::support::{Browser, eventually, local_client};

const PERSON: &str = "9647701112233";

/// A member's browser, signed in by the link that the sandbox printed.
pub(super) async fn by_link(sandbox: &Sandbox, client: &Client, member: usize) -> Browser {
    let link = sandbox.text(&format!("/members/{member}/signInUrl")).to_owned();
    let opened = client.get(&link).send().await.unwrap();
    assert_eq!(opened.status(), StatusCode::SEE_OTHER);
    let dashboard = sandbox.text("/dashboardUrl");
    assert_eq!(opened.headers()["location"], format!("{dashboard}/inbox"));
    let cookie = opened.headers()["set-cookie"].to_str().unwrap().split_once(';').unwrap().0.to_owned();
    assert_eq!(client.get(link).send().await.unwrap().status(), StatusCode::GONE, "it opens once");
    let inbox = client.get(format!("{dashboard}/inbox")).header("cookie", &cookie).send().await.unwrap();
    assert_eq!(inbox.status(), StatusCode::OK);
    let mut browser = Browser::new(dashboard.strip_suffix("/dashboard").unwrap());
    browser.cookie = Some(cookie);
    browser
}

#[tokio::test]
async fn what_a_customer_types_on_a_phone_is_in_the_inbox_and_the_answer_is_on_the_phone() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let client = local_client().redirect(Policy::none()).build().unwrap();
    let (owner, agent) = (by_link(&sandbox, &client, 0).await, by_link(&sandbox, &client, 1).await);
    assert_eq!(owner.get("/me").await.text("/member/role"), "owner");
    assert_eq!(agent.get("/me").await.text("/member/role"), "agent");

    let page = client.get(sandbox.text("/network/phonesUrl")).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    let simulator = sandbox.text("/network/simulatorUrl");
    let number = sandbox.text("/numbers/0/phoneNumberId");
    let wrote = json!({ "channelId": number, "from": PERSON, "name": "سارة",
        "message": { "type": "text", "text": { "body": "هل الطلب جاهز؟" } } });
    let posted = client.post(format!("{simulator}/control/inbound")).json(&wrote).send().await.unwrap();
    assert_eq!(posted.json::<Value>().await.unwrap()["webhook"]["status"], 200);

    let conversation = eventually("the message in the inbox", async || {
        let list = agent.get("/conversations").await.body;
        let row =
            list["rows"].as_array()?.iter().find(|row| row.to_string().contains("هل الطلب جاهز؟"))?.clone();
        row["conversation"]["id"].as_str().map(str::to_owned)
    })
    .await;
    let answer = json!({ "text": "نعم، أهلا بك" });
    let sent = agent.post(&format!("/conversations/{conversation}/messages"), &answer).await;
    assert_eq!(sent.status, 201, "{sent:?}");

    let lines = eventually("the answer on the phone, read", async || {
        let chat = format!("{simulator}/phones/chat?channelId={number}&from={PERSON}");
        let lines = client.get(chat).send().await.unwrap().json::<Value>().await.unwrap()["lines"].take();
        (lines[1]["state"] == "read").then_some(lines)
    })
    .await;
    assert_eq!((&lines[0]["mine"], &lines[0]["state"]), (&json!(true), &json!("taken")), "{lines}");
    assert_eq!((&lines[1]["mine"], &lines[1]["text"]), (&json!(false), &json!("نعم، أهلا بك")), "{lines}");
}
