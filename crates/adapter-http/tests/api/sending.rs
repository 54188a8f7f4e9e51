//! `POST /v1/messages/template`, from the body to the answer.

#![expect(clippy::unwrap_used, reason = "test support")]

use std::{
    io::Write,
    net::TcpStream,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use domain::{
    messages::Progress,
    sending::{
        Intent, KeyClaim, KeyHolder, LedgerEntry, SendResult, SendState,
        ports::{MockMessagingNetwork, MockSendLedger, Recorded, ReserveOutcome, SendFailure},
    },
    templates::Authentication,
    testing::{a_number, a_template, catalogue_of},
};
use secrecy::SecretString;
use serde_json::{Value, json};
use time::macros::datetime;

use crate::{
    service::{KEY, Ports},
    wire::answer,
};

const PATH: &str = "/v1/messages/template";

/// A ledger that knows one number, a notice `order_ready` and a code `login_code`, and lets every send begin.
fn open_ledger() -> MockSendLedger {
    let mut ledger = MockSendLedger::new();
    ledger.expect_catalogue().returning(|_, name| {
        let mut template = a_template(name);
        if name == "login_code" {
            "{{1}}".clone_into(&mut template.content.body);
            template.content.authentication =
                Some(Authentication { add_security_recommendation: false, code_expiration_minutes: None });
        }
        Ok(catalogue_of(vec![a_number(0, 0)], vec![template]))
    });
    ledger.expect_token().returning(|_, _| Ok(Some(SecretString::from("token").into())));
    ledger.expect_conversation().returning(|_, _, _| Ok(domain::sending::ConversationParts::default()));
    ledger
}

pub(crate) fn ledger() -> MockSendLedger {
    let mut ledger = open_ledger();
    ledger.expect_holder().returning(|_, _| Ok(None));
    ledger.expect_begin().returning(|_, _| Ok(ReserveOutcome::Started));
    ledger.expect_record().returning(|_, _| Ok(Recorded::Now));
    ledger.expect_release().returning(|_, sends| Ok(sends.to_vec()));
    ledger
}

pub(crate) fn network(answer: Result<&'static str, SendFailure>) -> MockMessagingNetwork {
    let mut network = MockMessagingNetwork::new();
    network.expect_send_template().returning(move |_, _, _| answer.clone().map(|id| id.to_owned().into()));
    network
}

fn notice() -> Value {
    json!({ "to": "٠٧٧٠ ١٢٣ ٤٥٦٧", "template": "order_ready", "variables": ["Zaynab", "17"], "reference": "r-1" })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_answers_201_with_the_whole_result() {
    let service = Ports { ledger: ledger(), network: network(Ok("wamid.1")), ..Ports::new() }.start();
    let mut body = notice();
    for absent in ["name", "language", "from", "code", "header", "buttonVariables"] {
        body[absent] = Value::Null;
    }
    let answer = answer(service.call("POST", PATH).json(&body)).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(answer.header("idempotency-replayed"), None);
    let got = answer.body;
    let wanted = json!({
        "id": got["id"],
        "status": "sent",
        "to": "+9647701234567",
        "from": "+9647700000000",
        "contactId": got["contactId"],
        "conversationId": got["conversationId"],
        "reference": "r-1",
        "message": {
            "id": got["id"],
            "conversationId": got["conversationId"],
            "role": "team",
            "senderId": null,
            "content": "مرحبا Zaynab، طلبك 17 جاهز",
            "attachments": [],
            "transcription": null,
            "createdAt": "2026-11-21T10:00:45.000Z",
            "meta": {
                "template": { "name": "order_ready", "language": "ar" }, "reference": "r-1", "via": "api"
            },
            "delivery": { "status": "sent", "error": null, "at": "2026-11-21T10:00:45.000Z" }
        }
    });
    assert_eq!(got, wanted);
    for id in ["id", "contactId", "conversationId"] {
        assert!(got[id].is_string(), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_answers_201_with_nothing_that_is_kept() {
    let service = Ports { ledger: ledger(), network: network(Ok("wamid.1")), ..Ports::new() }.start();
    let body = json!({ "to": "07701234567", "template": "login_code", "code": "493-021" });
    let answer = answer(service.call("POST", PATH).json(&body)).await;
    let wanted = json!({
        "id": answer.body["id"], "status": "sent", "to": "+9647701234567", "from": "+9647700000000",
        "contactId": null, "conversationId": null, "reference": null, "message": null
    });
    assert_eq!((answer.status, &answer.body), (201, &wanted));
    assert!(answer.body["id"].is_string());
}

/// A ledger that remembers the first key and its request, and answers a second use with a finished send.
fn remembering_ledger() -> MockSendLedger {
    let mut ledger = open_ledger();
    let first: Arc<Mutex<Option<(KeyClaim, Intent)>>> = Arc::default();
    ledger.expect_begin().returning(move |_, reservation| {
        let mut first = first.lock().unwrap();
        let Some((claim, intent)) = first.clone() else {
            *first = Some((reservation.key.unwrap(), reservation.intent.clone()));
            return Ok(ReserveOutcome::Started);
        };
        assert_eq!(reservation.key.map(|again| again.key_hash), Some(claim.key_hash));
        Ok(ReserveOutcome::KeyTaken(Box::new(KeyHolder {
            request_hash: claim.request_hash,
            claimed_at: datetime!(2026-11-21 10:00 UTC),
            entry: LedgerEntry {
                state: SendState::Sent(Box::new(SendResult {
                    id: intent.id,
                    from: intent.from.clone(),
                    contact: None,
                    conversation: None,
                    reference: intent.reference.clone(),
                    message: None,
                })),
                intent,
                progress: Progress::SENT,
            },
        })))
    });
    ledger.expect_record().times(1).returning(|_, _| Ok(Recorded::Now));
    ledger
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_answers_as_the_first_time_and_another_request_is_refused() {
    let service =
        Ports { ledger: remembering_ledger(), network: network(Ok("wamid.1")), ..Ports::new() }.start();
    let send = |body: String| service.call("POST", PATH).header("Idempotency-Key", "k-1").body(body);

    let first = answer(send(r#"{"to":"07701234567","template":"login_code","code":"1"}"#.to_owned())).await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));

    let respelled = "{ \"code\": \"\\u0031\",\n \"template\": \"login_code\", \"to\": \"07701234567\" }";
    let repeat = answer(send(respelled.to_owned())).await;
    assert_eq!((repeat.status, repeat.header("idempotency-replayed")), (201, Some("true")));
    assert_eq!(repeat.body, first.body);

    for other in [
        r#"{"to":"07701234567","template":"login_code","code":"2"}"#,
        r#"{"to":"+9647701234567","template":"login_code","code":"1"}"#,
        r#"{"to":"07701234567","template":"login_code","code":"1","name":null}"#,
    ] {
        let refused = answer(send(other.to_owned())).await;
        refused.assert_error(422, "Unprocessable Entity");
        assert_eq!(refused.body["code"], "idempotency_key_reused");
        assert_eq!(refused.body["details"], json!({}));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_network_says_is_told_apart() {
    let cut = SendFailure::Unknown { reason: "cut after writing".to_owned() };
    let refused =
        SendFailure::Refused { code: 131_026, subcode: None, message: "Message undeliverable".to_owned() };
    let down = SendFailure::NotSent {
        reason: "connection refused".to_owned(),
        retry_after: Some(Duration::from_secs(7)),
    };
    for (failure, status, phrase, code, retry_after) in [
        (refused, 422, "Unprocessable Entity", "whatsapp_rejected", None),
        (down, 503, "Service Unavailable", "network_unavailable", Some("7")),
        (cut, 504, "Gateway Timeout", "outcome_unknown", None),
    ] {
        let service = Ports { ledger: ledger(), network: network(Err(failure)), ..Ports::new() }.start();
        let answer = answer(service.call("POST", PATH).json(&notice())).await;
        answer.assert_error(status, phrase);
        assert_eq!(answer.body["code"], code);
        assert_eq!(answer.header("retry-after"), retry_after);
        let details = &answer.body["details"];
        match status {
            422 => {
                assert_eq!(*details, json!({ "whatsappCode": 131_026 }));
                assert!(answer.message().contains("Message undeliverable"));
            }
            504 => assert!(details["id"].is_string(), "{details}"),
            _ => assert_eq!(*details, json!({})),
        }
        assert!(!answer.body.to_string().contains("connection refused"));
        assert!(!answer.body.to_string().contains("cut after"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_runs_to_its_end_though_its_client_went_away() {
    let (asked, was_asked) = mpsc::channel();
    let (answer_now, may_answer) = mpsc::channel::<()>();
    let (recorded, was_recorded) = mpsc::channel();
    let may_answer = Mutex::new(may_answer);
    let mut network = MockMessagingNetwork::new();
    network.expect_send_template().returning(move |_, _, _| {
        asked.send(()).unwrap();
        may_answer.lock().unwrap().recv().unwrap();
        Ok("wamid.1".to_owned().into())
    });
    let mut ledger = open_ledger();
    ledger.expect_begin().returning(|_, _| Ok(ReserveOutcome::Started));
    ledger.expect_record().returning(move |_, _| {
        recorded.send(()).unwrap();
        Ok(Recorded::Now)
    });
    let service = Ports { ledger, network, ..Ports::new() }.start();

    let body = notice().to_string();
    let mut client = TcpStream::connect(service.address).unwrap();
    write!(
        client,
        "POST {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    was_asked.recv().unwrap();
    drop(client);
    // The one worker has seen the closed connection by the time it answers another.
    answer(service.bare("GET", "/v1/me")).await.assert_error(401, "Unauthorized");
    answer_now.send(()).unwrap();
    was_recorded.recv().unwrap();
    service.app.tasks.close();
    service.app.tasks.wait().await;
}
