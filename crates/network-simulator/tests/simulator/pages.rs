//! Messenger and Instagram: what is sent, echoed, seen and refused.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{INSTAGRAM, PAGE, PAGE_TOKEN, World, config};

const PERSON: &str = "24811234567890123";
const FOLLOWER: &str = "17851234567890123";

async fn write(world: &World, to: &str, from: &str) -> Value {
    let hello = json!({ "channelId": to, "from": from, "name": "Sara K", "message": { "text": "مرحبا" } });
    world.drive("inbound", hello).await;
    world.callback.next().await.json()
}

fn text(to: &str, extra: &Value) -> Value {
    let mut body = json!({ "recipient": { "id": to }, "message": { "text": "Hello", "metadata": "tag-1" } });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    body
}

fn response() -> Value {
    json!({ "messaging_type": "RESPONSE" })
}

async fn send(world: &World, path: &str, body: &Value) -> crate::support::Answer {
    world.page_call(Method::POST, &format!("v25.0/{path}/messages"), Some(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_writes_to_a_page_and_to_an_instagram_account() {
    let world = World::start().await;
    for (object, to, from) in [("page", PAGE, PERSON), ("instagram", INSTAGRAM, FOLLOWER)] {
        let post = write(&world, to, from).await;
        assert_eq!(post["object"], object);
        assert_eq!(post["entry"][0]["id"], to);
        assert!(post["entry"][0]["time"].as_i64().unwrap() > 1_000_000_000_000, "milliseconds");
        let element = &post["entry"][0]["messaging"][0];
        assert_eq!(element["sender"]["id"], from);
        assert_eq!(element["recipient"]["id"], to);
        assert_eq!(element["message"]["text"], "مرحبا");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_sends_is_echoed_delivered_and_read() {
    let world = World::start().await;
    write(&world, PAGE, PERSON).await;
    let answer = send(&world, PAGE, &text(PERSON, &response())).await;
    assert_eq!((answer.status, &answer.body["recipient_id"]), (200, &json!(PERSON)));
    let echo = world.callback.next().await.element();
    assert_eq!(echo["message"]["mid"], answer.body["message_id"]);
    assert_eq!((&echo["sender"]["id"], &echo["recipient"]["id"]), (&json!(PAGE), &json!(PERSON)));
    assert_eq!((&echo["message"]["is_echo"], &echo["message"]["metadata"]), (&json!(true), &json!("tag-1")));
    assert_eq!(echo["message"]["app_id"], 634_974_688_087_057_u64);
    let delivery = world.callback.next().await.element();
    assert_eq!(delivery["delivery"]["mids"], json!([answer.body["message_id"]]));
    let read = world.callback.next().await.element();
    assert!(read["read"]["watermark"].as_i64() >= echo["timestamp"].as_i64());
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await);
    let shown = &world.simulator.messages()[0];
    assert_eq!((&shown["channel"], &shown["pageId"]), (&json!("messenger"), &json!(PAGE)));
}

#[tokio::test(flavor = "multi_thread")]
async fn instagram_has_no_delivery_and_reads_by_message() {
    let world = World::start().await;
    write(&world, INSTAGRAM, FOLLOWER).await;
    let answer = send(&world, "me", &text(FOLLOWER, &json!({}))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let echo = world.callback.next().await.element();
    assert_eq!(echo["message"]["mid"], answer.body["message_id"]);
    assert!(echo["message"].get("metadata").is_none());
    let read = world.callback.next().await.element();
    assert_eq!(read["read"], json!({ "mid": answer.body["message_id"] }));
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await);
    assert_eq!(world.simulator.messages()[0]["instagramId"], INSTAGRAM);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_day_only_a_person_of_the_team_may_answer_and_after_a_week_nobody() {
    let world = World::start().await;
    let human = || json!({ "messaging_type": "MESSAGE_TAG", "tag": "HUMAN_AGENT" });
    for (to, person, subcode) in [(PAGE, PERSON, 2_018_278), (INSTAGRAM, FOLLOWER, 2_534_022)] {
        write(&world, to, person).await;
        for (hours, agent, allowed) in
            [(23, false, true), (25, false, false), (25, true, true), (167, true, true), (169, true, false)]
        {
            let moved = json!({ "channelId": to, "person": person, "hoursAgo": hours });
            assert_eq!(world.put("control/wrote", &moved).await.status, 200);
            let answer = send(&world, "me", &text(person, &if agent { human() } else { response() })).await;
            assert_eq!(answer.status == 200, allowed, "{to} {hours} {agent} {}", answer.body);
            if !allowed {
                assert_eq!((answer.status, answer.code()), (400, 10));
                assert_eq!(answer.body["error"]["error_subcode"], subcode);
                assert!(answer.body["error"].get("error_data").is_none());
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_cannot_send_is_refused() {
    let world = World::start().await;
    write(&world, PAGE, PERSON).await;
    write(&world, INSTAGRAM, FOLLOWER).await;
    let with = |field: &str, value: Value| {
        let mut body = text(PERSON, &response());
        body[field] = value;
        body
    };
    for (body, code, subcode) in [
        (text("1", &response()), 100, Some(2_018_001)),
        (text(PERSON, &json!({})), 100, None),
        (text(PERSON, &json!({ "messaging_type": "MESSAGE_TAG", "tag": "ACCOUNT_UPDATE" })), 100, None),
        (with("message", json!({ "text": "x".repeat(2000) })), 100, None),
        (with("message", json!({ "text": "" })), 100, None),
        (with("message", json!({ "attachment": { "type": "image", "payload": {} } })), 100, Some(2_534_015)),
        (with("sender_action", json!("typing_on")), 100, Some(2_018_014)),
        (
            json!({ "recipient": { "id": FOLLOWER }, "messaging_type": "RESPONSE",
                    "message": { "text": "ب".repeat(501) } }),
            100,
            None,
        ),
    ] {
        let answer = send(&world, PAGE, &body).await;
        assert_eq!((answer.status, answer.code()), (400, code), "{body} {}", answer.body);
        assert_eq!(answer.body["error"]["error_subcode"].as_i64(), subcode, "{body}");
    }
    assert!(world.simulator.messages().is_empty());
    let typing = json!({ "recipient": { "id": PERSON }, "sender_action": "typing_on" });
    assert_eq!(send(&world, PAGE, &typing).await.body, json!({ "recipient_id": PERSON }));
    let unseen = world.post(&format!("v25.0/{PAGE}/messages"), &text(PERSON, &response())).await;
    assert_eq!((unseen.status, unseen.code()), (400, 100), "another token does not see the page");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_is_shown_or_refused() {
    let world = World::start().await;
    write(&world, PAGE, PERSON).await;
    write(&world, INSTAGRAM, FOLLOWER).await;
    let get = async |path: &str| world.page_call(Method::GET, &format!("v25.0/{path}"), None).await;
    let profile = get(&format!("{PERSON}?fields=first_name,last_name,profile_pic")).await.body;
    assert_eq!((&profile["first_name"], &profile["last_name"]), (&json!("Sara"), &json!("K")));
    let picture = world.client.get(profile["profile_pic"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(picture.headers()["content-type"], "image/png");
    assert_eq!(get(FOLLOWER).await.body["name"], "Sara K");
    assert_eq!(get("1").await.body["error"]["error_subcode"], 33);
    let met = json!({ "channelId": INSTAGRAM, "to": "17", "message": { "text": "Hello" } });
    world.drive("echoes", met).await;
    assert_eq!(get("17").await.code(), 230, "somebody who never wrote");
    let fault = json!([{ "kind": "error", "on": "reads", "to": PERSON, "code": 100, "subcode": 2_018_218 }]);
    world.faults(fault).await;
    assert_eq!(get(PERSON).await.body["error"]["error_subcode"], 2_018_218);
    assert_eq!(get(FOLLOWER).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_tells_only_the_fields_that_were_subscribed_to() {
    let mut silent = config();
    silent.pages[0].subscribed = false;
    let world = World::with(silent).await;
    let hello = || json!({ "pageId": PAGE, "from": PERSON, "message": { "text": "Hello" } });
    assert_eq!(world.drive("inbound", hello()).await["webhook"], Value::Null);
    let subscribe = async |fields: &str| {
        let path = format!("v25.0/{PAGE}/subscribed_apps?subscribed_fields={fields}");
        world.page_call(Method::POST, &path, Some(&json!({}))).await
    };
    assert_eq!(subscribe("nonsense").await.status, 400);
    assert_eq!(subscribe("messages,message_reads").await.body, json!({ "success": true }));
    let listed = world.page_call(Method::GET, &format!("v25.0/{PAGE}/subscribed_apps"), None).await.body;
    assert_eq!(listed["data"][0]["subscribed_fields"], json!(["messages", "message_reads"]));
    assert_eq!(world.drive("inbound", hello()).await["webhook"], json!({ "status": 200 }));
    world.callback.next().await;
    send(&world, PAGE, &text(PERSON, &response())).await;
    assert!(world.callback.next().await.element().get("read").is_some());
    world.simulator.settled().await;
    assert!(world.callback.is_quiet().await, "neither echo nor delivery");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_its_account_and_its_token_are_shown() {
    let world = World::start().await;
    let get = async |path: &str| world.page_call(Method::GET, &format!("v25.0/{path}"), None).await.body;
    let page = get("me?fields=id,name,instagram_business_account").await;
    assert_eq!(
        page,
        json!({ "id": PAGE, "name": "Shop", "instagram_business_account": { "id": INSTAGRAM } })
    );
    assert_eq!(get(INSTAGRAM).await, json!({ "id": INSTAGRAM, "username": "shop" }));
    let token = get(&format!("debug_token?input_token={PAGE_TOKEN}")).await;
    assert_eq!(token["data"]["type"], "PAGE");
    assert!(token["data"]["scopes"].as_array().unwrap().contains(&json!("pages_messaging")));
}
