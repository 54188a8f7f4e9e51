//! What cannot be read, in part or as a whole.

use adapter_whatsapp::webhook;
use domain::inbound::{Addressee, NetworkUpdate, UpdateKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ACCOUNT, NUMBER, change, message, owners, post, post_of, read, status, unreadable};

const MESSAGE: &str = "a message without an id, a time, a sender, or what its type needs";

#[test]
fn a_bad_part_costs_only_itself() {
    let good = status("read", "1763600001");
    let without = |name: &str| {
        let mut status = good.clone();
        status.as_object_mut().unwrap().remove(name);
        status
    };
    let statuses = json!([
        good, 7, null, without("id"), without("status"), without("timestamp"),
        { "id": 5, "status": "read", "timestamp": "1" }, { "id": "a\u{0}", "status": "read", "timestamp": "1" }, good,
    ]);
    let read_statuses = read(&post(&json!({ "statuses": statuses })));
    assert_eq!(
        read_statuses
            .iter()
            .filter(|update| **update == unreadable("a status without its message's id, a state or a time"))
            .count(),
        7
    );
    assert_eq!(
        read_statuses.iter().filter(|update| matches!(update, NetworkUpdate::Status { .. })).count(),
        2
    );

    let mixed = json!({ "statuses": "none", "messages": [[], { "id": "wamid.B" }, message(&json!({ "type": "text" }))],
                        "errors": {} });
    let updates = read(&post(&mixed));
    let parts = ["`errors` that is no list", "`statuses` that is no list", MESSAGE, MESSAGE].map(unreadable);
    assert_eq!(&updates[..4], parts);
    assert!(matches!(updates[4], NetworkUpdate::Conversation { .. }));

    let lost = |value: Value| post_of(ACCOUNT, &json!([{ "field": "messages", "value": value }]));
    let nameless = json!({ "statuses": [good] });
    assert_eq!(read(&lost(nameless)), [unreadable("a change that does not name its number")]);
    let crooked = json!({ "metadata": { "phone_number_id": "1\u{0}" }, "statuses": [good] });
    assert_eq!(read(&lost(crooked)), [unreadable("a change that does not name its number")]);
    assert_eq!(read(&lost(json!([]))), [unreadable("a change without a field or a value")]);

    let parts = json!({ "object": "whatsapp_business_account", "entry": [
        3,
        { "changes": {} },
        { "changes": [4, { "value": {} }, { "field": "message_template_status_update", "value": {} }] },
        { "id": ACCOUNT, "changes": [change(NUMBER, &json!({ "statuses": [good] }))] },
    ] });
    let updates = read(&parts);
    assert_eq!(
        &updates[..5],
        [
            unreadable("an entry that is no object"),
            unreadable("`changes` that is no list"),
            unreadable("a change without a field or a value"),
            unreadable("a change without a field or a value"),
            unreadable("an entry that does not name its account"),
        ]
    );
    assert!(matches!(updates[5], NetworkUpdate::Status { .. }));
}

#[test]
fn what_cannot_be_read_is_its_number_s_or_else_its_account_s() {
    let number = || Some(Addressee::Channel(NUMBER.to_owned()));
    let account = || Some(Addressee::Account(ACCOUNT.to_owned()));
    let broken = json!({ "statuses": [7], "messages": [7], "errors": {} });
    assert_eq!(owners(&post(&broken)), [number(), number(), number()]);
    let nameless = json!([{ "field": "messages", "value": { "statuses": [7] } }, 4]);
    assert_eq!(owners(&post_of(ACCOUNT, &nameless)), [account(), account()]);
    let nobodys = json!({ "object": "whatsapp_business_account", "entry": [{ "changes": [4] }, 3] });
    assert_eq!(owners(&nobodys), [None, None]);
}

#[test]
fn half_an_emoji_and_a_nul_spoil_nothing() {
    let cut = message(&json!({ "type": "text", "text": { "body": "cut HALF NUL" } }));
    let raw = post(&json!({ "messages": [cut], "statuses": [status("read", "1763600001")] }));
    let raw = raw.to_string().replace("HALF", r"\ud83d").replace("NUL", r"\u0000");
    let updates = webhook::read(raw.as_bytes()).unwrap();
    assert_eq!(updates.len(), 2);
    let NetworkUpdate::Conversation { update, .. } = &updates[1] else { panic!("{updates:?}") };
    let UpdateKind::Wrote(written) = &update.what else { panic!("{update:?}") };
    assert_eq!(written.content, "cut \u{fffd} ");
}

#[test]
fn what_is_no_post_at_all_is_refused_without_quoting_it() {
    let deep = format!(r#"{{"object":{}"#, "[".repeat(200_000));
    for raw in [
        "",
        "{",
        "null",
        "[]",
        "5",
        r#""text""#,
        "{}",
        r#"{"object":5}"#,
        r#"{"object":"whatsapp_business_account"}"#,
        r#"{"object":"whatsapp_business_account","entry":{}}"#,
        r#"{"secret": 9647701234567 oops"#,
        &deep,
    ] {
        let refused = webhook::read(raw.as_bytes()).unwrap_err();
        assert!(!refused.0.contains("secret") && !refused.0.contains("964770"), "{refused}");
    }
    assert!(webhook::read(&[0xff, 0xfe, 0x00]).is_err());
}

/// JSON in which the names that the reader looks for turn up in any place.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "object",
        "entry",
        "id",
        "changes",
        "field",
        "value",
        "metadata",
        "phone_number_id",
        "statuses",
        "status",
        "timestamp",
        "errors",
        "error_data",
        "details",
        "messages",
        "contacts",
        "wa_id",
        "from",
        "recipient_id",
        "message_template_id",
        "type",
        "text",
        "body",
        "context",
        "system",
        "edit",
        "original_message_id",
        "message_echoes",
        "image",
        "interactive",
        "product_items",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "whatsapp_business_account",
            "messages",
            "failed",
            "read",
            "1763600001",
            "text",
            "image",
            "interactive",
            "order",
            "contacts",
            "location",
            "system",
            "edit",
            "revoke",
            "reaction",
            "user_changed_number",
            "9647701234567",
            "IQ.1",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(name.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn every_post_of_the_corpus_is_read_or_refused() {
    for post in include_str!("../../../../tests/corpora/whatsapp-posts.jsonl").lines() {
        let _ = webhook::read(post.as_bytes());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(raw in prop::collection::vec(any::<u8>(), 0..256)) {
        let _ = webhook::read(&raw);
    }

    #[test]
    fn any_json_is_read_or_refused(whole in any_json(), entry in any_json(), value in any_json()) {
        let _ = webhook::read(whole.to_string().as_bytes());
        let _ = read(&json!({ "object": "whatsapp_business_account", "entry": [entry] }));
        let _ = read(&post_of(ACCOUNT, &json!([{ "field": "messages", "value": value }])));
        let _ = read(&post(&json!({ "statuses": [value], "messages": [value], "contacts": [value] })));
        let echoes = json!({ "metadata": { "phone_number_id": "1" }, "message_echoes": [value] });
        let _ = read(&post_of(ACCOUNT, &json!([{ "field": "smb_message_echoes", "value": echoes }])));
    }

    #[test]
    fn a_post_cut_anywhere_is_refused(at in 0_usize..400) {
        let raw = post(&json!({ "statuses": [status("read", "1763600001")] })).to_string();
        let at = at.min(raw.len() - 1);
        prop_assert!(webhook::read(&raw.as_bytes()[..at]).is_err());
    }
}
