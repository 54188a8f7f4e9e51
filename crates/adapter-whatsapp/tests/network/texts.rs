//! A plain text on its way to the network.

use domain::{
    messages::{NetworkMessageId, ReplyButton},
    phone::PhoneNumber,
    sending::{
        Recipient, ReplyWindow, TextMessage,
        ports::{MessagingNetwork, SendFailure},
    },
};
use futures_util::{FutureExt, future::join_all};
use network_simulator::{Config, Simulator, Window, demo_accounts};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    network_at,
    scripted::{Asked, Scripted},
    sending::a_code,
    token,
};

/// The demo's first number, by its id at the network.
const NUMBER: &str = "106540352242922";

fn saying(text: &str) -> TextMessage {
    TextMessage {
        tag: Uuid::from_u128(7).into(),
        to: Recipient::Phone(PhoneNumber::from_e164("+9647701234567").unwrap()),
        text: text.to_owned(),
        buttons: Vec::new(),
        window: ReplyWindow::Within24h,
    }
}

#[tokio::test]
async fn a_text_goes_to_its_number_with_the_token_and_nothing_but_itself() {
    for text in ["نعم، متوفر 👍", " two\nlines\t", "\"quoted\" \\ https://shop.example/?a=1&b=2"] {
        let accepted = json!({ "messages": [{ "id": "wamid.A" }] }).to_string();
        let server = Scripted::start(vec![Some((200, accepted))]).await;
        let sent = network_at(server.url.clone()).send_text("1065", &token(), &saying(text)).await;
        assert_eq!(sent.unwrap().reveal(), "wamid.A");
        let [asked] = server.asked().try_into().unwrap();
        assert_eq!(asked.line, "POST /v25.0/1065/messages HTTP/1.1");
        assert_eq!(asked.header("authorization"), Some("Bearer a-token"));
        let wanted = json!({
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": "9647701234567",
            "type": "text",
            "biz_opaque_callback_data": "00000000-0000-0000-0000-000000000007",
            "text": { "body": text, "preview_url": false },
        });
        assert_eq!(asked.json(), wanted);
    }
}

fn asking(text: &str) -> TextMessage {
    let button = |id: &str, title: &str| ReplyButton { id: id.to_owned(), title: title.to_owned() };
    TextMessage { buttons: vec![button("yes-1", "أؤكد"), button("no-1", "تعديل")], ..saying(text) }
}

#[tokio::test]
async fn buttons_go_under_their_text() {
    let accepted = json!({ "messages": [{ "id": "wamid.A" }] }).to_string();
    let server = Scripted::start(vec![Some((200, accepted))]).await;
    network_at(server.url.clone()).send_text("1065", &token(), &asking("هل تؤكد؟")).await.unwrap();
    let [asked] = server.asked().try_into().unwrap();
    let wanted = json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "9647701234567",
        "type": "interactive",
        "biz_opaque_callback_data": "00000000-0000-0000-0000-000000000007",
        "interactive": {
            "type": "button",
            "body": { "text": "هل تؤكد؟" },
            "action": { "buttons": [
                { "type": "reply", "reply": { "id": "yes-1", "title": "أؤكد" } },
                { "type": "reply", "reply": { "id": "no-1", "title": "تعديل" } },
            ] },
        },
    });
    assert_eq!(asked.json(), wanted);
}

#[tokio::test]
async fn each_answer_to_a_text_means_what_it_means_for_a_template() {
    let error = |code: i64| json!({ "error": { "message": "words", "code": code } }).to_string();
    for (status, body, wanted) in [
        (400, error(131_047), "refused"),
        (429, error(130_429), "not sent"),
        (500, error(131_000), "unknown"),
        (200, "{}".to_owned(), "unknown"),
    ] {
        let server = Scripted::start(vec![Some((status, body.clone()))]).await;
        let sent = network_at(server.url.clone()).send_text("1065", &token(), &saying("no")).await;
        let came_to = match sent.unwrap_err() {
            SendFailure::Refused { .. } => "refused",
            SendFailure::HeldBack { .. } | SendFailure::NotSent { .. } => "not sent",
            SendFailure::Unknown { .. } => "unknown",
        };
        assert_eq!((came_to, server.asked().len()), (wanted, 1), "{status} {body}");
    }
}

#[tokio::test]
async fn the_network_takes_a_text_while_the_window_is_open_and_refuses_it_otherwise() {
    for window in [Window::Refused, Window::Open] {
        let mut config = Config::new("app secret", "agreed");
        config.accounts = demo_accounts(&token()).unwrap();
        config.window = window;
        let simulator = Simulator::start(config).await.unwrap();
        let sent = network_at(simulator.url()).send_text(NUMBER, &token(), &saying("نعم")).await;
        if window == Window::Open {
            let [message]: [Value; 1] = simulator.messages().try_into().unwrap();
            assert_eq!(message["id"], sent.unwrap().reveal());
            assert_eq!(message["body"]["text"]["body"], "نعم");
        } else {
            let refused = sent.unwrap_err();
            assert!(
                matches!(&refused, SendFailure::Refused { code: 131_047, message, .. } if !message.is_empty())
            );
            assert!(simulator.messages().is_empty());
        }
    }
}

#[tokio::test]
async fn to_one_person_a_number_writes_no_more_at_once_than_the_network_takes_templates_and_texts_together() {
    let mut config = Config::new("app secret", "agreed");
    config.accounts = demo_accounts(&token()).unwrap();
    config.window = Window::Open;
    let simulator = Simulator::start(config).await.unwrap();
    let network = network_at(simulator.url());
    let (text, template, token) = (saying("نعم"), a_code(), token());
    let sends = (0..46).map(|turn| {
        if turn % 2 == 0 {
            network.send_text(NUMBER, &token, &text).map(Result::err).boxed()
        } else {
            network.send_template(NUMBER, &token, &template).map(Result::err).boxed()
        }
    });
    let held_back: Vec<SendFailure> = join_all(sends).await.into_iter().flatten().collect();
    let [SendFailure::HeldBack { retry_after: wait }] = held_back.as_slice() else { panic!("{held_back:?}") };
    assert!(*wait > std::time::Duration::from_secs(2), "{wait:?}");
    assert_eq!(simulator.messages().len(), 45);
}

#[tokio::test]
async fn typing_is_shown_beside_the_read_mark_of_what_was_written() {
    let accepted = || Some((200, json!({ "success": true }).to_string()));
    let server = Scripted::start(vec![accepted(), accepted()]).await;
    let (network, message) = (network_at(server.url.clone()), NetworkMessageId::from("wamid.A".to_owned()));
    network.mark_read("1065", &token(), &message).await.unwrap();
    network.show_typing("1065", &token(), &message).await.unwrap();
    let asked = server.asked();
    let mark = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": "wamid.A" });
    let mut typing = mark.clone();
    typing["typing_indicator"] = json!({ "type": "text" });
    assert_eq!(asked.iter().map(Asked::json).collect::<Vec<_>>(), [mark, typing]);
    assert!(asked.iter().all(|asked| asked.line == "POST /v25.0/1065/messages HTTP/1.1"));
}
