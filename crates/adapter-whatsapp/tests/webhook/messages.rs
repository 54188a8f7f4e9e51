//! What customers wrote.

use domain::inbound::NetworkUpdate;
use serde_json::{Value, json};

use crate::{NUMBER, metadata, post, read, written};

#[test]
fn a_message_is_kept_as_it_came_with_the_one_who_wrote_it() {
    let message = json!({ "from": "9647701234567", "id": "wamid.B", "timestamp": "1763600001", "type": "text",
                          "text": { "body": "مرحبا 😀" }, "something_new": [1, { "deep": null }] });
    let contact = json!({ "profile": { "name": "سارة" }, "wa_id": "9647701234567" });
    let updates = read(&post(&json!({ "contacts": [contact], "messages": [message] })));
    let [NetworkUpdate::Message { number_network_id, .. }] = updates.as_slice() else {
        panic!("one message expected, not {updates:?}");
    };
    assert_eq!(number_network_id, NUMBER);
    assert_eq!(
        written(&updates[0]),
        json!({ "message": message, "contact": contact, "metadata": metadata(NUMBER) })
    );
    assert_eq!(format!("{:?}", updates[0]).matches("مرحبا").count(), 0);
}

#[test]
fn every_type_of_message_is_kept_also_one_that_nobody_knows() {
    let base =
        |kind: &str| json!({ "from": "9647701234567", "id": "wamid.B", "timestamp": "1", "type": kind });
    for kind in [
        "text",
        "image",
        "video",
        "audio",
        "document",
        "sticker",
        "location",
        "contacts",
        "interactive",
        "button",
        "reaction",
        "order",
        "system",
        "edit",
        "revoke",
        "unsupported",
        "unknown",
        "request_welcome",
        "not yet known",
    ] {
        let updates = read(&post(&json!({ "messages": [base(kind)] })));
        assert_eq!(written(&updates[0])["message"], base(kind));
        assert_eq!(written(&updates[0])["contact"], Value::Null);
    }
}

#[test]
fn each_message_finds_its_own_contact() {
    let named = |name: &str, ids: Value| {
        let mut contact = json!({ "profile": { "name": name } });
        contact.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
        contact
    };
    let contacts = json!([
        named("number", json!({ "wa_id": "9647700000001" })),
        named("user", json!({ "user_id": "IQ.2" })),
        named("both", json!({ "wa_id": "9647700000003", "user_id": "IQ.3" })),
    ]);
    let messages = json!([
        { "id": "1", "from": "+9647700000001" },
        { "id": "2", "from_user_id": "IQ.2" },
        { "id": "3", "from": "9647700000003", "from_user_id": "IQ.3" },
        { "id": "4", "from_user_id": "IQ.3" },
        { "id": "5", "from": "9647700000005" },
        { "id": "6" },
        { "id": "7", "from": 7 },
    ]);
    let updates = read(&post(&json!({ "contacts": contacts, "messages": messages })));
    let found: Vec<Value> =
        updates.iter().map(|one| written(one)["contact"]["profile"]["name"].clone()).collect();
    assert_eq!(
        found,
        [json!("number"), json!("user"), json!("both"), json!("both"), json!(null), json!(null), json!(null)]
    );

    let alone = read(&post(&json!({
        "contacts": [named("only", json!({ "wa_id": "5215512345678" }))],
        "messages": [{ "id": "1", "from": "525512345678" }],
    })));
    assert_eq!(written(&alone[0])["contact"]["profile"]["name"], "only");
}
