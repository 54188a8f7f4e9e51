//! What became of what we sent.

use domain::{
    inbound::{NetworkUpdate, StatusUpdate},
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};
use serde_json::{Value, json};
use time::macros::datetime;

use super::{failed_with, ignored, only_status, post, read, status};

#[test]
fn a_status_keeps_id_tag_state_and_time() {
    let mut delivered = status("delivered", "1763600009");
    delivered["conversation"] =
        json!({ "id": "72b1", "expiration_timestamp": 1_763_686_400, "origin": { "type": "utility" } });
    delivered["pricing"] = json!({ "billable": true, "pricing_model": "PMP", "category": "utility" });
    let contacts = json!([{ "profile": { "name": "سارة" }, "wa_id": "9647701234567" }]);
    assert_eq!(
        only_status(&post(&json!({ "statuses": [delivered], "contacts": contacts }))),
        StatusUpdate {
            network_id: NetworkMessageId::from("wamid.A".to_owned()),
            tag: Some("tag-1".to_owned()),
            status: DeliveryStatus::Delivered,
            at: datetime!(2025-11-20 00:53:29 UTC),
            error: None,
        }
    );
}

#[test]
fn every_state_of_a_message_is_read_or_named() {
    for (name, wanted) in [
        ("sent", Some(DeliveryStatus::Sent)),
        ("delivered", Some(DeliveryStatus::Delivered)),
        ("read", Some(DeliveryStatus::Read)),
        ("played", Some(DeliveryStatus::Read)),
        ("failed", Some(DeliveryStatus::Failed)),
        ("deleted", None),
        ("warning", None),
    ] {
        let updates = read(&post(&json!({ "statuses": [status(name, "1763600001")] })));
        match (updates.as_slice(), wanted) {
            ([NetworkUpdate::Status { status, .. }], Some(wanted)) => {
                assert_eq!(status.status, wanted, "{name}");
            }
            (updates, None) => assert_eq!(updates, [ignored(&format!("status {name}"))]),
            (updates, wanted) => panic!("{name}: {wanted:?} expected, not {updates:?}"),
        }
    }
}

#[test]
fn a_status_may_lack_its_recipient_and_its_tag() {
    let bare = json!({ "id": "wamid.A", "status": "read", "timestamp": "1763600001" });
    assert_eq!(only_status(&post(&json!({ "statuses": [bare] }))).tag, None);

    let mut by_user = status("failed", "1763600001");
    by_user.as_object_mut().unwrap().remove("recipient_id");
    by_user["recipient_user_id"] = json!("IQ.13491208655302741918");
    by_user["errors"] = json!([{ "code": 131_026, "title": "Undeliverable to IQ.13491208655302741918" }]);
    let status = only_status(&post(&json!({ "statuses": [by_user] })));
    let wanted = NetworkError { code: Some(131_026), message: "Undeliverable to …".to_owned() };
    assert_eq!(status.error, Some(wanted));
}

#[test]
fn a_failure_says_why_in_the_best_words_there_are() {
    let details = json!({ "details": "Message Undeliverable." });
    for (errors, wanted) in [
        (
            json!([{ "code": 1, "title": "T", "message": "M", "error_data": details }]),
            Some("Message Undeliverable."),
        ),
        (json!([{ "code": 1, "title": "T", "message": "M" }]), Some("T")),
        (json!([{ "code": 1, "title": " ", "message": "M", "error_data": { "details": "" } }]), Some("M")),
        (json!([{ "code": 1, "title": 5, "message": "M", "error_data": "text" }]), Some("M")),
        (json!([{ "code": 1, "title": "first" }, { "code": 2, "title": "second" }]), Some("first")),
        (json!([{ "code": 1, "title": "to +964 770 123 4567 no" }]), Some("to … no")),
        (json!([{ "code": 1, "title": "a\u{0}b" }]), Some("ab")),
        (json!([]), None),
        (json!("none"), None),
        (Value::Null, None),
    ] {
        let error = only_status(&failed_with(&errors)).error;
        assert_eq!(error.as_ref().map(|error| error.message.as_str()), wanted, "{errors}");
        assert_eq!(error.map(|error| error.code), wanted.map(|_| Some(1)), "{errors}");
    }
}

#[test]
fn a_failure_s_code_is_kept_where_the_network_has_no_words_for_it() {
    let unsaid = "the network did not say why";
    for (errors, code, message) in [
        (json!([{ "code": 131_026 }]), Some(131_026), unsaid),
        (json!([{ "code": 131_050, "title": " " }]), Some(131_050), unsaid),
        (json!([{ "code": 131_026 }, { "code": 2, "title": "second" }]), Some(131_026), unsaid),
        (json!([{}, { "code": 2, "title": "second" }]), Some(2), "second"),
        (json!([{ "title": "words alone" }, { "code": 2 }]), None, "words alone"),
    ] {
        let wanted = NetworkError { code, message: message.to_owned() };
        assert_eq!(only_status(&failed_with(&errors)).error, Some(wanted), "{errors}");
    }
    assert_eq!(only_status(&failed_with(&json!([{}]))).error, None);
}

#[test]
fn nothing_of_a_status_names_its_recipient() {
    let errors = json!([{ "code": 131_030, "title": "x", "error_data": { "details": "9647701234567 +9647701234567" } }]);
    let shown = format!("{:?}", read(&failed_with(&errors)));
    assert!(!shown.contains("7701234567"), "{shown}");
}
