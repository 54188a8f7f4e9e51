//! Events on the wire.

use domain::{
    events::{Customer, Event},
    ids::DeliveryId,
    inbound::{SentMessage, StatusUpdate},
    messages::{DeliveryStatus, Message, NetworkError},
    testing::{
        a_contact, a_due_delivery, a_message, a_moment, a_network_message_id, a_sent_code, a_sent_message,
        a_status, a_workspace,
    },
};
use serde_json::{Value, json};
use time::ext::NumericalDuration;
use uuid::Uuid;

const DELIVERY: &str = "00000000-0000-0000-0000-000000007000";

const WORKSPACE: &str = "00000000-0000-0000-0000-000000000001";

pub(crate) fn body_of(event: &Event) -> Value {
    let id = DeliveryId::from(DELIVERY.parse::<Uuid>().unwrap());
    serde_json::from_slice(&event.body(id, a_workspace().id)).unwrap()
}

fn status_event(sent: &SentMessage, status: &StatusUpdate) -> Event {
    Event::message_status(sent, status, &a_network_message_id(), a_moment() + 3.seconds())
}

/// The envelope around `data`.
pub(crate) fn envelope(kind: &str, created_at: &str, data: &Value) -> Value {
    json!({
        "id": DELIVERY,
        "type": kind,
        "createdAt": created_at,
        "team": { "id": WORKSPACE },
        "data": data,
    })
}

#[test]
fn a_sent_notice_is_told_with_its_template_and_reference() {
    let data = json!({
        "conversationId": "00000000-0000-0000-0000-000000005000",
        "message": {
            "id": "00000000-0000-0000-0000-000000003000",
            "role": "team",

            "content": "مرحبا سارة، طلبك A-1042 جاهز",
            "attachments": [],
            "transcription": null,
            "createdAt": "2026-11-21T10:00:00.000Z",
            "meta": {
                "template": { "name": "order_ready", "language": "ar" },
                "reference": "order-1042",
                "via": "api",
            },
        },
        "customer": {
            "id": "00000000-0000-0000-0000-000000004000",
            "name": "سارة",
            "phone": "+9647701234567",
        },
    });
    let event = Event::message_sent(a_message(), Customer::of(&a_contact()));
    assert_eq!(body_of(&event), envelope("message.sent", "2026-11-21T10:00:00.000Z", &data));
}

#[test]
fn a_message_that_no_template_made_has_no_meta() {
    let message = Message { meta: None, ..a_message() };
    let body = body_of(&Event::message_sent(message, Customer::of(&a_contact())));
    assert_eq!(body.pointer("/data/message/meta"), None);
    assert!(body.pointer("/data/message/content").is_some());
}

#[test]
fn a_delivered_notice_is_told_with_its_person_and_the_network_s_time() {
    let data = json!({
        "conversationId": "00000000-0000-0000-0000-000000005000",
        "messageId": "00000000-0000-0000-0000-000000003000",
        "status": "delivered",
        "providerMessageId": "wamid.one",
        "reference": "order-1042",
        "template": { "name": "order_ready", "language": "ar" },
        "error": null,
        "occurredAt": "2026-11-21T10:00:02.000Z",
        "customer": {
            "id": "00000000-0000-0000-0000-000000004000",
            "name": "سارة",
            "phone": "+9647701234567",
        },
    });
    let event = status_event(&a_sent_message(), &a_status(DeliveryStatus::Delivered));
    assert_eq!(body_of(&event), envelope("message.delivered", "2026-11-21T10:00:03.000Z", &data));
}

#[test]
fn a_failed_code_is_told_without_a_person_or_a_conversation() {
    let data = json!({
        "conversationId": null,
        "messageId": "00000000-0000-0000-0000-000000003000",
        "status": "failed",
        "providerMessageId": "wamid.one",
        "reference": "login-7",
        "template": { "name": "login_code", "language": "ar" },
        "error": { "code": 131_026, "message": "Message undeliverable" },
        "occurredAt": "2026-11-21T10:00:02.000Z",
        "customer": null,
    });
    let error = Some(NetworkError { code: Some(131_026), message: "Message undeliverable".to_owned() });
    let failed = StatusUpdate { error, ..a_status(DeliveryStatus::Failed) };
    let event = status_event(&a_sent_code(), &failed);
    assert_eq!(body_of(&event), envelope("message.failed", "2026-11-21T10:00:03.000Z", &data));
}

#[test]
fn only_a_failure_carries_an_error() {
    let words = || Some(NetworkError { code: None, message: "words".to_owned() });
    let with_words = |status| StatusUpdate { error: words(), ..a_status(status) };
    for (status, kind) in
        [(DeliveryStatus::Delivered, "message.delivered"), (DeliveryStatus::Read, "message.read")]
    {
        let body = body_of(&status_event(&a_sent_message(), &with_words(status)));
        assert_eq!(body.get("type"), Some(&json!(kind)));
        assert_eq!(body.pointer("/data/error"), Some(&Value::Null));
    }
}

#[test]
fn an_absent_reference_and_an_unknown_name_are_null() {
    let mut sent = a_sent_message();
    sent.entry.intent.reference = None;
    sent.customer = Some(Customer { name: None, ..Customer::of(&a_contact()) });
    let body = body_of(&status_event(&sent, &a_status(DeliveryStatus::Read)));
    assert_eq!(body.pointer("/data/reference"), Some(&Value::Null));
    assert_eq!(body.pointer("/data/customer/name"), Some(&Value::Null));
}

#[test]
fn the_same_event_has_the_same_bytes() {
    let event = Event::message_sent(a_message(), Customer::of(&a_contact()));
    let id = a_due_delivery().leased.id;
    assert_eq!(event.body(id, a_workspace().id), event.body(id, a_workspace().id));
}

#[test]
fn an_event_does_not_print_what_it_says() {
    let event = Event::message_sent(a_message(), Customer::of(&a_contact()));
    let printed = format!("{event:?}");
    assert!(!printed.contains("A-1042") && !printed.contains("7701234567"), "{printed}");
}
