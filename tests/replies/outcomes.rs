//! What the network makes of a reply.

use reqwest::Method;
use serde_json::json;

use super::{Inbox, TEXT, is_replay};
use crate::support::{SENDS, eventually, untold};

#[tokio::test]
async fn what_the_network_refuses_stays_in_the_conversation_and_is_announced_nowhere() {
    let inbox = Inbox::new().await;
    for (code, words) in [(131_047, "more than 24 hours have passed"), (131_026, "undeliverable")] {
        let fault = json!([{ "kind": "error", "code": code, "details": words, "times": 1 }]);
        inbox.world.simulator.set_faults(&fault).unwrap();
        let (messages, before) = (inbox.messages().await, inbox.conversation().await);
        let answer = inbox.reply_once("again").await;
        answer.assert_refused(422, "whatsapp_rejected", &json!({ "whatsappCode": code }), words);
        assert!(answer.text("/message").contains(words), "{:?}", answer.body);

        let kept = inbox.messages().await;
        assert_eq!(kept.len(), messages.len() + 1);
        let message = kept.iter().find(|kept| !messages.contains(kept)).unwrap();
        let wanted = json!({
            "id": message["id"], "conversationId": inbox.conversation, "role": "team", "senderId": inbox.author,
            "content": TEXT, "attachments": [], "transcription": null, "createdAt": message["createdAt"],
        });
        assert_eq!(untold(message), wanted);
        let error = json!({ "code": code, "message": message["delivery"]["error"]["message"] });
        let failed = json!({ "status": "failed", "error": error, "at": message["createdAt"] });
        assert_eq!(message["delivery"], failed);
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
        let after = inbox.conversation().await;
        assert_eq!((&after["status"], &after["lastMessageAt"]), (&before["status"], &message["createdAt"]));
        let id = message["id"].as_str().unwrap();
        let failed = format!("sends WHERE id = '{id}' AND state = 'refused' AND status = 'failed'");
        assert_eq!(inbox.rows.count(&failed).await, 1);
    }
    assert_eq!((inbox.texts(), inbox.rows.count("idempotency_keys").await), (0, 0));

    // Its key is free, and the next event is that of the one that left.
    let sent = inbox.reply_once("again").await;
    assert!(sent.status == 201 && !is_replay(&sent), "{sent:?}");
    let refused = inbox.rows.texts("SELECT id::text FROM sends WHERE state = 'refused'").await;
    let mut kind = String::new();
    while kind != "message.read" {
        let event = inbox.world.receiver.next().await;
        for id in [event.text("/data/messageId"), event.text("/data/message/id")] {
            assert!(!refused.iter().any(|refused| refused == id), "{:?}", event.body);
        }
        kind = event.kind().to_owned();
    }
}

#[tokio::test]
async fn what_the_network_takes_and_lets_fail_is_announced_as_failed() {
    let inbox = Inbox::quiet().await;
    let answer = inbox.reply().await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let (one, other) =
        (inbox.event_of(answer.text("/message/id")).await, inbox.event_of(answer.text("/message/id")).await);
    let failed = if one.kind() == "message.failed" { one } else { other };
    assert_eq!((failed.kind(), failed.text("/data/status")), ("message.failed", "failed"));
    assert!(!failed.text("/data/error/message").is_empty(), "{:?}", failed.body);
    assert!(failed.body["data"]["error"]["code"].is_i64(), "{:?}", failed.body);
}

#[tokio::test]
async fn what_was_certainly_not_sent_leaves_nothing_in_the_conversation() {
    let inbox = Inbox::quiet().await;
    let before = (inbox.rows.counts(&SENDS).await, inbox.conversation().await, inbox.messages().await);
    inbox.world.simulator.set_faults(&json!([{ "kind": "throttle", "retryAfter": 7 }])).unwrap();
    let answer = inbox.reply_once("again").await;
    answer.assert_refused(503, "network_unavailable", &json!({}), "throttled");
    assert_eq!(answer.header("retry-after"), Some("7"));
    let after = (inbox.rows.counts(&SENDS).await, inbox.conversation().await, inbox.messages().await);
    assert_eq!(after, before);
    inbox.world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(inbox.reply_once("again").await.status, 201);
}

#[tokio::test]
async fn an_open_outcome_is_settled_by_its_status() {
    let inbox = Inbox::quiet().await;
    let messages = inbox.messages().await;
    let faults = json!([{ "kind": "drop_statuses" }, { "kind": "cut_after_accept", "times": 1 }]);
    inbox.world.simulator.set_faults(&faults).unwrap();
    let open = inbox.reply_once("open").await;
    let id = open.text("/details/id").to_owned();
    open.assert_open("cut off");
    inbox.reply_once("open").await.assert_refused(409, "request_in_flight", &json!({}), "a repeat");
    assert_eq!((inbox.messages().await, inbox.texts()), (messages, 1));

    let seen = inbox.world.simulator.messages();
    let network_id = &seen.last().unwrap()["id"];
    let status = json!({ "messageId": network_id, "status": "delivered" });
    inbox.world.control(Method::POST, "statuses", &status).await;
    let replay = eventually("the reply is settled", async || {
        let answer = inbox.reply_once("open").await;
        (answer.status == 201).then_some(answer)
    });
    let replay = replay.await;
    assert!(is_replay(&replay));
    assert_eq!((replay.text("/message/id"), replay.text("/message/senderId")), (&*id, &*inbox.author));
    assert_eq!(inbox.messages().await.first().map(untold), Some(replay.message("/message")));
    let mut kinds =
        [inbox.event_of(&id).await, inbox.event_of(&id).await].map(|event| event.kind().to_owned());
    kinds.sort();
    assert_eq!(kinds, ["message.delivered", "message.sent"]);
    assert_eq!(inbox.texts(), 1);
}
