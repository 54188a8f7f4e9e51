//! What is refused before the network is asked, in which order, and that nothing is left of it.

use reqwest::{Method, header::HeaderValue};
use serde_json::json;

use super::{Inbox, TEXT, TO, UNKNOWN, is_replay, once};
use crate::support::{Answer, SENDS, SHOP_NUMBER};

#[tokio::test]
async fn a_text_has_one_to_4096_characters_and_every_field_its_shape() {
    let inbox = Inbox::quiet().await;
    let before = inbox.rows.counts(&SENDS).await;
    let conversation = &inbox.conversation;
    for (body, field) in [
        (inbox.saying(""), "text"),
        (inbox.saying(" \t\r\n\u{a0}\u{2003}"), "text"),
        (inbox.saying(&"م".repeat(4_097)), "text"),
        (inbox.saying("a\0b"), "text"),
        (json!({ "conversationId": conversation }), "text"),
        (json!({ "conversationId": conversation, "text": null }), "text"),
        (json!({ "conversationId": conversation, "text": 7 }), "text"),
        (json!({ "text": TEXT }), "conversationId"),
        (json!({ "conversationId": "", "text": TEXT }), "conversationId"),
        (json!({ "conversationId": "12", "text": TEXT }), "conversationId"),
        (json!({ "conversationId": format!("{conversation}0"), "text": TEXT }), "conversationId"),
        (json!({ "conversationId": null, "text": TEXT }), "conversationId"),
        (json!({ "conversationId": conversation, "text": TEXT, "reference": "order-7" }), "reference"),
        // The shape comes before the conversation.
        (json!({ "conversationId": UNKNOWN, "text": "" }), "text"),
    ] {
        let answer = once(&inbox.api, "shape", &body).await;
        answer.assert_error(400, &body.to_string());
        assert!(answer.text("/message").contains(&format!("`{field}`")), "{body}: {:?}", answer.body);
    }
    for key in [&b""[..], &[b'k'; 201], b"\xff\xfe"] {
        let request = inbox.api.request(Method::POST, "/v1/messages").json(&inbox.saying(TEXT));
        let request = request.header("Idempotency-Key", HeaderValue::from_bytes(key).unwrap());
        Answer::to(request).await.assert_error(400, "a key that is none");
    }
    // The scope comes before the shape.
    let reader = inbox.world.api_with(&["contacts:read", "contacts:write", "conversations:read"]);
    for body in [json!({ "colour": "red" }), json!([]), inbox.saying(TEXT)] {
        let answer = reader.post("/v1/messages", &body).await;
        answer.assert_error(403, &body.to_string());
        assert!(answer.text("/message").contains("messages:send"), "{:?}", answer.body);
    }
    assert_eq!((inbox.rows.counts(&SENDS).await, inbox.texts()), (before, 0));

    inbox.world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    for text in ["1", " no ", &"م".repeat(4_096)] {
        let answer = inbox.api.post("/v1/messages", &inbox.saying(text)).await;
        assert_eq!((answer.status, answer.text("/message/content")), (201, text), "{:?}", answer.body);
    }
}

#[tokio::test]
async fn a_conversation_that_is_not_the_workspaces_is_unknown() {
    let inbox = Inbox::quiet().await;
    let before = inbox.rows.counts(&SENDS).await;
    once(&inbox.api, "k", &json!({ "conversationId": UNKNOWN, "text": TEXT }))
        .await
        .assert_error(404, "nobody's");
    let (_, neighbour) = inbox.world.neighbour();
    once(&neighbour, "k", &inbox.saying(TEXT)).await.assert_error(404, "the neighbour's");
    assert_eq!((inbox.rows.counts(&SENDS).await, inbox.texts()), (before, 0));
}

#[tokio::test]
async fn an_author_who_left_answers_no_more_and_their_key_still_sends_templates() {
    let inbox = Inbox::quiet().await;
    assert_eq!(inbox.reply_once("before").await.status, 201);
    inbox.rows.change("UPDATE members SET left_at = now()").await;
    let before = inbox.rows.counts(&SENDS).await;
    inbox.reply_once("after").await.assert_refused(409, "author_left", &json!({}), "left");
    // An unknown conversation comes before its author, the author before the channel and the plan.
    let unknown = json!({ "conversationId": UNKNOWN, "text": TEXT });
    inbox.api.post("/v1/messages", &unknown).await.assert_error(404, "nobody's");
    inbox.world.plan(&["--paused"]);
    inbox.rows.change("UPDATE channels SET disconnected_at = now()").await;
    inbox.reply().await.assert_refused(409, "author_left", &json!({}), "left, and more");
    assert_eq!(inbox.rows.counts(&SENDS).await["sends"], before["sends"]);
    assert_eq!(inbox.rows.count("idempotency_keys").await, before["idempotency_keys"]);

    inbox.world.plan(&["--unlimited"]);
    inbox.rows.change("UPDATE channels SET disconnected_at = NULL").await;
    assert!(is_replay(&inbox.reply_once("before").await));
    let notice = json!({ "to": TO, "template": "store_hours", "from": SHOP_NUMBER });
    assert_eq!(inbox.api.send(&notice).await.status, 201);
}

#[tokio::test]
async fn without_its_channel_a_conversation_cannot_be_answered() {
    let inbox = Inbox::quiet().await;
    let workspace = &inbox.world.workspace;
    let (page, contact) = ("0192f0c1-7a00-7000-8000-0000000000b1", "0192f0c1-7a00-7000-8000-0000000000b2");
    let chat = "0192f0c1-7a00-7000-8000-0000000000b3";
    inbox
        .rows
        .change(&format!(
            "INSERT INTO channels (workspace_id, id, kind, account_id, network_id, connected_at, position)
             SELECT '{workspace}', '{page}', 'messenger', id, 'page-1', now(), 9 FROM accounts LIMIT 1;
             INSERT INTO contacts (workspace_id, id, name, source, created_at)
             VALUES ('{workspace}', '{contact}', 'Ali', 'messaged', now());
             INSERT INTO conversations
                 (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
             VALUES ('{workspace}', '{chat}', '{contact}', '{page}', 'messenger', 'bot', now(), now())"
        ))
        .await;
    let before = inbox.rows.counts(&SENDS).await;
    let body = json!({ "conversationId": chat, "text": TEXT });
    once(&inbox.api, "k", &body).await.assert_refused(409, "no_channel", &json!({}), "messenger");

    // Other numbers are connected: a conversation runs over its own.
    inbox
        .rows
        .change(&format!("UPDATE channels SET disconnected_at = now() WHERE phone = '{SHOP_NUMBER}'"))
        .await;
    inbox.reply_once("k").await.assert_refused(409, "no_whatsapp_channel", &json!({}), "disconnected");
    inbox.world.plan(&["--paused"]);
    inbox.reply_once("k").await.assert_refused(409, "no_whatsapp_channel", &json!({}), "and paused");
    assert_eq!((inbox.rows.counts(&SENDS).await, inbox.texts()), (before, 0));

    inbox.world.plan(&["--unlimited"]);
    inbox.rows.change("UPDATE channels SET disconnected_at = NULL").await;
    assert_eq!(inbox.reply_once("k").await.status, 201);
}

#[tokio::test]
async fn the_plan_stops_a_reply_to_somebody_who_is_not_active_and_a_pause_stops_all() {
    let inbox = Inbox::quiet().await;
    inbox.world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    let reached = json!({ "reason": "active_customer_limit" });
    let paused = json!({ "reason": "subscription_paused" });
    inbox.world.plan(&["--limit", "0"]);
    assert_eq!(inbox.reply().await.status, 201, "active already");

    inbox.rows.change("UPDATE contacts SET active_month = (active_month - interval '1 month')::date").await;
    let before = inbox.rows.counts(&SENDS).await;
    inbox.reply_once("k").await.assert_refused(409, "plan_limit", &reached, "0 of 0");
    inbox.world.plan(&["--limit", "0", "--paused"]);
    inbox.reply_once("k").await.assert_refused(409, "plan_limit", &paused, "both");
    inbox.world.plan(&["--paused"]);
    inbox.reply_once("k").await.assert_refused(409, "plan_limit", &paused, "paused");
    assert_eq!(inbox.rows.counts(&SENDS).await, before);

    // A refusal of the network makes nobody active; its place is free again.
    inbox.world.plan(&["--limit", "1"]);
    inbox.world.simulator.set_faults(&json!([{ "kind": "error", "code": 131_047, "times": 1 }])).unwrap();
    assert_eq!(inbox.reply_once("k").await.status, 422);
    assert_eq!(inbox.rows.count("plan_reservations").await, 0);
    assert_eq!(
        inbox.rows.count("contacts WHERE active_month = date_trunc('month', now() AT TIME ZONE 'UTC')").await,
        0
    );
    assert_eq!(inbox.reply_once("k").await.status, 201);
    let notice = json!({ "to": "+9647701234568", "template": "store_hours", "from": SHOP_NUMBER });
    inbox.api.send(&notice).await.assert_refused(409, "plan_limit", &reached, "1 of 1");
    assert_eq!(inbox.reply().await.status, 201);
}
