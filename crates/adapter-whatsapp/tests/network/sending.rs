//! What each answer to a send means.

use std::time::Duration;

use domain::{
    messages::TemplateRef,
    phone::PhoneNumber,
    sending::{
        BodyValue, ButtonValue, TemplateMessage,
        ports::{MessagingNetwork, SendFailure},
    },
};
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use uuid::Uuid;

use super::{network_at, scripted::Scripted, token};

pub(crate) fn a_code() -> TemplateMessage {
    TemplateMessage {
        tag: Uuid::from_u128(7).into(),
        to: PhoneNumber::from_e164("+9647701234567").unwrap(),
        template: TemplateRef { name: "login_code".to_owned(), language: "ar".to_owned() },
        header: None,
        body: vec![BodyValue { label: "1".to_owned(), text: "483920".to_owned() }],
        buttons: vec![ButtonValue { position: 0, text: "483920".to_owned() }],
        priority: domain::sending::Priority::Ordinary,
    }
}

/// What the send of [`a_code`] comes to under this answer, and how often the network was asked.
async fn outcome(status: u16, body: &str) -> (Result<String, SendFailure>, usize) {
    let server = Scripted::start(vec![Some((status, body.to_owned()))]).await;
    let sent = network_at(server.url.clone()).send_template("1065", &token(), &a_code()).await;
    (sent.map(|sent| sent.network_id.reveal().to_owned()), server.asked().len())
}

fn error(code: i64) -> Value {
    json!({ "error": { "message": format!("(#{code}) title"), "type": "OAuthException", "code": code,
            "error_data": { "messaging_product": "whatsapp", "details": "for 9647701234567" }, "fbtrace_id": "A" } })
}

#[tokio::test]
async fn a_send_goes_to_its_number_with_the_token_and_the_payload() {
    let accepted = json!({ "messages": [{ "id": "wamid.A", "message_status": "accepted" }] });
    let server = Scripted::start(vec![Some((200, accepted.to_string()))]).await;
    let sent = network_at(server.url.clone()).send_template("1065", &token(), &a_code()).await.unwrap();
    assert_eq!(sent.network_id.reveal(), "wamid.A");
    let [asked] = server.asked().try_into().unwrap();
    assert_eq!(asked.line, "POST /v25.0/1065/messages HTTP/1.1");
    assert_eq!(asked.header("authorization"), Some("Bearer a-token"));
    assert_eq!(
        asked.json(),
        json!({
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": "9647701234567",
            "type": "template",
            "biz_opaque_callback_data": "00000000-0000-0000-0000-000000000007",
            "template": { "name": "login_code", "language": { "code": "ar" }, "components": [
                { "type": "body", "parameters": [{ "type": "text", "text": "483920" }] },
                { "type": "button", "sub_type": "url", "index": "0",
                  "parameters": [{ "type": "text", "text": "483920" }] },
            ] },
        })
    );
}

#[tokio::test]
async fn refusals_carry_the_network_s_code_and_words() {
    for (status, code) in [
        (400, 131_026),
        (400, 131_047),
        (400, 131_048),
        (404, 132_001),
        (400, 132_001),
        (400, 132_012),
        (401, 190),
        (403, 131_031),
        (500, 131_045),
        (400, 133_010),
        (400, 100),
    ] {
        let refused = SendFailure::Refused { code, subcode: None, message: "for 9647701234567".to_owned() };
        assert_eq!(outcome(status, &error(code).to_string()).await, (Err(refused), 1), "{status} {code}");
    }
}

#[tokio::test]
async fn throttling_is_certainly_not_sent() {
    for (status, code) in [
        (400, 4),
        (429, 4),
        (429, 80_007),
        (400, 130_429),
        (429, 130_429),
        (400, 131_056),
        (500, 131_057),
        (400, 2_494_100),
    ] {
        let (sent, _) = outcome(status, &error(code).to_string()).await;
        assert!(matches!(sent, Err(SendFailure::NotSent { .. })), "{status} {code}: {sent:?}");
    }
    let (sent, _) = outcome(429, "").await;
    assert!(matches!(sent, Err(SendFailure::NotSent { .. })), "{sent:?}");
}

#[tokio::test]
async fn a_fault_of_the_network_or_an_unreadable_answer_leaves_the_outcome_open_and_is_not_tried_again() {
    for (status, body) in [
        (400, error(1).to_string()),
        (503, error(2).to_string()),
        (500, error(131_000).to_string()),
        (500, error(131_016).to_string()),
        (503, error(133_004).to_string()),
        (500, error(999_999).to_string()),
        (500, "<html>Sorry, something went wrong.</html>".to_owned()),
        (502, String::new()),
        (200, String::new()),
        (200, "<html>".to_owned()),
        (200, "{}".to_owned()),
        (200, json!({ "messages": [{ "id": 5 }] }).to_string()),
    ] {
        let (sent, asked) = outcome(status, &body).await;
        assert!(matches!(sent, Err(SendFailure::Unknown { .. })), "{status} {body}: {sent:?}");
        assert_eq!(asked, 1, "{status} {body}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_request_leaves_the_outcome_open() {
    let server = Scripted::start(vec![None]).await;
    let sent = network_at(server.url.clone()).send_template("1065", &token(), &a_code()).await;
    assert!(matches!(sent, Err(SendFailure::Unknown { .. })), "{sent:?}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_network_that_cannot_be_reached_was_not_sent_to() {
    // Bound, so that nobody else gets the port, and not listening, so that nobody answers.
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap()).parse().unwrap();
    let sent = network_at(url).send_template("1065", &token(), &a_code()).await;
    assert!(matches!(sent, Err(SendFailure::NotSent { retry_after: None, .. })), "{sent:?}");
}

#[tokio::test]
async fn neither_a_failure_for_the_log_nor_a_message_shows_code_number_or_token() {
    for (status, body) in [(429, error(4)), (500, error(131_000)), (400, error(2))] {
        let (sent, _) = outcome(status, &body.to_string()).await;
        let shown = format!("{:?} {} {:?}", sent, sent.clone().unwrap_err(), a_code());
        for secret in ["483920", "7701234567", "a-token"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    let (refused, _) = outcome(400, &error(131_030).to_string()).await;
    assert_eq!(refused.unwrap_err().to_string(), "refused with code 131030");
}

#[tokio::test]
async fn the_pause_that_the_network_wants_is_passed_on() {
    let throttled = "HTTP/1.1 429 X\r\nretry-after: 17\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let server = Scripted::raw(throttled).await;
    let sent = network_at(server.url.clone()).send_template("1065", &token(), &a_code()).await;
    assert!(
        matches!(sent, Err(SendFailure::NotSent { retry_after: Some(pause), .. }) if pause == Duration::from_secs(17)),
        "{sent:?}"
    );
}
