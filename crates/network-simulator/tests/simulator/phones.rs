//! What people see on their phones.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{INSTAGRAM, NUMBER, NUMBER_DIGITS, PAGE, PAGE_TOKEN, PERSON, World};

/// What a phone shows.
async fn lines(world: &World, channel: &str, from: &str) -> Vec<Value> {
    let chat = world.get(&format!("phones/chat?channelId={channel}&from={from}")).await;
    assert_eq!(chat.status, 200, "{}", chat.body);
    chat.body["lines"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_on_the_phone_filled_and_its_button_answers_when_it_is_tapped() {
    let world = World::start().await;
    let template = json!({ "name": "buttons", "language": { "code": "ar" }, "components": [
        { "type": "button", "sub_type": "quick_reply", "index": "0", "parameters": [{ "type": "payload", "payload": "P-1" }] },
        { "type": "button", "sub_type": "url", "index": 1, "parameters": [{ "type": "text", "text": "A-7" }] }] });
    let body =
        json!({ "messaging_product": "whatsapp", "to": PERSON, "type": "template", "template": template });
    let answer = world.send(&body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    world.statuses(3).await;

    let seen = lines(&world, NUMBER, PERSON).await;
    let shown = seen.first().unwrap();
    assert_eq!(
        (&shown["mine"], &shown["text"], &shown["state"]),
        (&json!(false), &json!("Hello"), &json!("read"))
    );
    assert_eq!(shown["links"][0]["url"], "https://shop.example/t/A-7");
    let choice = &shown["choices"][0];
    let context = json!({ "from": NUMBER_DIGITS, "id": answer.body["messages"][0]["id"] });
    let reply =
        json!({ "type": "button", "button": { "payload": "P-1", "text": "Yes" }, "context": context });
    assert_eq!((&choice["title"], &choice["reply"]), (&json!("Yes"), &reply));

    let tap = json!({ "channelId": NUMBER, "from": PERSON, "name": "Sara", "message": choice["reply"] });
    world.drive("inbound", tap).await;
    let posted = world.callback.next().await.value();
    assert_eq!(posted["messages"][0]["button"]["payload"], "P-1");
    let seen = lines(&world, NUMBER, PERSON).await;
    let (tapped, quoted) = (&seen[1], &seen[0]["id"]);
    assert_eq!(
        (&tapped["text"], &tapped["state"], &tapped["about"]),
        (&json!("Yes"), &json!("taken"), quoted)
    );
    assert!(lines(&world, NUMBER, "9647700000099").await.is_empty(), "nobody else sees it");
}

#[tokio::test(flavor = "multi_thread")]
async fn buttons_and_lists_of_every_network_can_be_tapped() {
    let world = World::start().await;
    let to = |kind: &str, part: Value| json!({ "messaging_product": "whatsapp", "to": PERSON, "type": kind, kind: part });
    let say = |channel: &str| json!({ "channelId": channel, "from": PERSON, "sample": "text" });
    for channel in [NUMBER, PAGE, INSTAGRAM] {
        world.drive("inbound", say(channel)).await;
    }
    let button = json!({ "type": "button", "body": { "text": "Sure?" }, "action": {
        "buttons": [{ "type": "reply", "reply": { "id": "yes", "title": "Yes" } }] } });
    let list = json!({ "type": "list", "body": { "text": "When?" }, "action": { "button": "Times", "sections": [
        { "rows": [{ "id": "s1", "title": "Monday", "description": "10:00" }] }] } });
    for part in [button, list] {
        assert_eq!(world.send(&to("interactive", part)).await.status, 200);
    }
    let quick = json!({ "messaging_type": "RESPONSE", "recipient": { "id": PERSON }, "message": { "text": "Sure?",
        "quick_replies": [{ "content_type": "text", "title": "Yes", "payload": "YES" }] } });
    for channel in [PAGE, INSTAGRAM] {
        let url = world.simulator.url().join(&format!("v25.0/{channel}/messages")).unwrap();
        let sent = world.client.post(url).bearer_auth(PAGE_TOKEN).json(&quick).send().await.unwrap();
        assert_eq!(sent.status(), 200);
    }
    world.simulator.settled().await;

    let seen = lines(&world, NUMBER, PERSON).await;
    let answer = |line: &Value| line["choices"][0]["reply"]["interactive"].clone();
    assert_eq!(answer(&seen[1])["button_reply"], json!({ "id": "yes", "title": "Yes" }));
    assert_eq!(answer(&seen[2])["list_reply"], json!({ "id": "s1", "title": "Monday" }));
    assert_eq!(seen[2]["choices"][0]["detail"], "10:00");
    for channel in [PAGE, INSTAGRAM] {
        let seen = lines(&world, channel, PERSON).await;
        let reply = json!({ "text": "Yes", "quick_reply": { "payload": "YES" } });
        assert_eq!(seen[1]["choices"][0]["reply"], reply, "{channel}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_edited_deleted_or_never_arrives_looks_so() {
    let world = World::start().await;
    let wrote = |sample: &str| json!({ "channelId": NUMBER, "from": PERSON, "sample": sample });
    world.drive("inbound", wrote("image")).await;
    world.drive("inbound", wrote("text")).await;
    world.drive("inbound", wrote("edit")).await;
    world.drive("inbound", wrote("reaction")).await;
    let seen = lines(&world, NUMBER, PERSON).await;
    assert_eq!(seen.len(), 2);
    let file = seen[0]["files"][0]["url"].as_str().unwrap();
    assert!(file.starts_with("/control/files/"), "{file}");
    let kept = world.try_call(Method::GET, file.trim_start_matches('/'), None).await.unwrap();
    assert_eq!(kept.headers()["content-type"], "image/png");
    assert_eq!((&seen[1]["edited"], &seen[1]["reactions"]), (&json!(true), &json!(["👍"])));
    world.drive("inbound", wrote("revoke")).await;
    let seen = lines(&world, NUMBER, PERSON).await;
    assert_eq!((&seen[1]["deleted"], seen[1].get("text")), (&json!(true), None));

    world.faults(json!([{ "kind": "offline", "seconds": 3600 }])).await;
    world.send_plain("tag").await;
    assert_eq!(lines(&world, NUMBER, PERSON).await.len(), 2, "a phone that is off shows nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_loads_nothing_from_elsewhere_and_an_unknown_place_is_refused() {
    let world = World::start().await;
    let page = world.try_call(Method::GET, "phones", None).await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    let html = page.text().await.unwrap();
    for asset in html.split('"').filter(|part| part.starts_with("/phones/assets/")) {
        let answer = world.try_call(Method::GET, asset.trim_start_matches('/'), None).await.unwrap();
        assert_eq!(answer.status(), 200, "{asset}");
    }
    assert!(!html.contains("http"), "{html}");
    assert_eq!(world.get("phones/chat?channelId=1&from=2").await.status, 404);
    let asked = world.try_call(Method::GET, "phones/chat?channelId=1", None).await.unwrap();
    assert_eq!(asked.status(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_message_that_a_phone_offers_has_a_name_in_both_languages() {
    let world = World::start().await;
    let script =
        world.try_call(Method::GET, "phones/assets/kinds.js", None).await.unwrap().text().await.unwrap();
    let samples = world.get("control/samples").await.body;
    let kinds = samples.as_object().unwrap().values().flat_map(|kinds| kinds.as_object().unwrap().keys());
    for kind in kinds {
        let line = script.lines().find(|line| line.starts_with(&format!("  {kind}: [\"")));
        let names = line.map_or(0, |line| line.matches("\", \"").count());
        assert_eq!(names, 1, "{kind}: {line:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ticks_by_hand_show_a_message_before_anybody_says_how_far_it_got() {
    let world = World::start().await;
    let by_hand = json!([{ "kind": "drop_statuses", "statuses": ["delivered", "read"], "to": PERSON, "phoneNumberId": NUMBER }]);
    world.faults(by_hand).await;
    let wrote = json!({ "channelId": NUMBER, "from": PERSON, "sample": "text" });
    world.drive("inbound", wrote).await;
    world.send_plain("tag").await;
    world.simulator.settled().await;
    let seen = lines(&world, NUMBER, PERSON).await;
    assert_eq!((seen.len(), &seen[1]["state"]), (2, &json!("sent")));
    for status in ["delivered", "read", "failed"] {
        world.drive("statuses", json!({ "messageId": seen[1]["id"], "status": status })).await;
        assert_eq!(lines(&world, NUMBER, PERSON).await[1]["state"], status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn phones_know_where_the_team_answers_only_where_somebody_says_so() {
    let world = World::start().await;
    let settings = world.get("phones/settings").await;
    assert_eq!((settings.status, &settings.body), (200, &json!({ "dashboardUrl": null })));
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_is_on_the_phone_of_whoever_wrote_until_a_message_comes() {
    let world = World::start().await;
    let typing = async |channel: &str, from: &str| {
        world.get(&format!("phones/chat?channelId={channel}&from={from}")).await.body["typing"].clone()
    };
    let say = |channel: &str| json!({ "channelId": channel, "from": PERSON, "sample": "text" });
    for channel in [NUMBER, PAGE] {
        world.drive("inbound", say(channel)).await;
    }
    let wrote = lines(&world, NUMBER, PERSON).await[0]["id"].clone();
    let mark = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": wrote });
    assert_eq!(world.send(&mark).await.status, 200);
    assert_eq!(typing(NUMBER, PERSON).await, false, "a mark alone shows none");
    let mut sign = mark.clone();
    sign["typing_indicator"] = json!({ "type": "voice" });
    assert_eq!(world.send(&sign).await.status, 400);
    sign["typing_indicator"] = json!({ "type": "text" });
    assert_eq!(world.send(&sign).await.body, json!({ "success": true }));
    assert_eq!(
        (typing(NUMBER, PERSON).await, typing(NUMBER, "9647700000099").await),
        (json!(true), json!(false))
    );
    let text =
        json!({ "messaging_product": "whatsapp", "to": PERSON, "type": "text", "text": { "body": "Hello" } });
    assert_eq!(world.send(&text).await.status, 200);
    assert_eq!(typing(NUMBER, PERSON).await, false);

    let acts = async |action: &str| {
        let body = json!({ "recipient": { "id": PERSON }, "sender_action": action });
        world.page_call(Method::POST, &format!("v25.0/{PAGE}/messages"), Some(&body)).await
    };
    for (action, shown) in [("typing_on", true), ("mark_seen", true), ("typing_off", false)] {
        assert_eq!(acts(action).await.body, json!({ "recipient_id": PERSON }));
        assert_eq!(typing(PAGE, PERSON).await, shown, "{action}");
    }
}
