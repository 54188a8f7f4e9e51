//! The stand-in's samples, as they are and with any part of them spoilt, and anything at all.

use domain::inbound::NetworkUpdate;
use network_simulator::samples;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{element, post, read, read_raw};

const OBJECTS: [(&str, &str); 2] = [("messenger", "page"), ("instagram", "instagram")];

/// Samples about the app, the page or whose conversation it is, and not about what somebody wrote.
const PASSED_OVER: [&str; 7] = [
    "account_linking",
    "app_roles",
    "pass_thread_control",
    "policy_enforcement",
    "request_thread_control",
    "response_feedback",
    "take_thread_control",
];

/// A sample as it comes: with an id where it is a new message.
fn whole(sample: &Value) -> Value {
    let mut sample = sample.clone();
    if let Some(message) = sample.get_mut("message").and_then(Value::as_object_mut) {
        message.entry("mid").or_insert(json!("m_1"));
    }
    // The stand-in puts moments in place of these.
    let text = sample.to_string().replace("\"$now\"", "1763600000000");
    element(&serde_json::from_str(&text).unwrap())
}

#[test]
fn every_sample_is_of_use_or_passed_over_on_purpose() {
    for (network, object) in OBJECTS {
        for (name, sample) in samples(network) {
            let updates = read(&post(object, &json!([whole(&sample)])));
            let [update] = updates.as_slice() else { panic!("{network} {name}: {updates:?}") };
            let passed_over = PASSED_OVER.contains(&name.as_str());
            match update {
                NetworkUpdate::Named { .. } => assert_eq!((network, name.as_str()), ("instagram", "edit")),
                NetworkUpdate::Conversation { .. } => assert!(!passed_over, "{network} {name}"),
                NetworkUpdate::Ignored { .. } => assert!(passed_over, "{network} {name}"),
                other => panic!("{network} {name}: {other:?}"),
            }
        }
    }
}

/// Puts `other` in place of the `at`th value below `value`, depth first.
fn spoil(value: &mut Value, at: &mut usize, other: &Value) {
    if *at == 0 {
        value.clone_from(other);
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, at, other)),
        Value::Object(fields) => fields.values_mut().for_each(|field| spoil(field, at, other)),
        _ => {}
    }
}

/// JSON in which the names that the reader looks for turn up in any place.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "object",
        "entry",
        "id",
        "time",
        "messaging",
        "changes",
        "field",
        "value",
        "sender",
        "recipient",
        "timestamp",
        "message",
        "mid",
        "text",
        "attachments",
        "type",
        "payload",
        "url",
        "is_echo",
        "app_id",
        "read",
        "delivery",
        "watermark",
        "mids",
        "postback",
        "title",
        "reaction",
        "action",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["page", "messages", "image", "react", "1763600001"]).prop_map(Value::from),
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
    for post in include_str!("../../../../tests/corpora/page-posts.jsonl").lines() {
        let _ = read_raw(post.as_bytes());
    }
}

proptest! {
    #[test]
    fn a_spoilt_sample_harms_nobody_else(
        which in any::<prop::sample::Index>(), at in 0_usize..20,
        other in prop::sample::select(vec![json!(null), json!(-1), json!(1e300), json!("\u{0}"), json!(""), json!([]),
                                           json!([[]]), json!({}), json!({ "id": {} }), json!(true)]),
    ) {
        let samples: Vec<Value> = samples("messenger").into_values().collect();
        let (mut spoilt, mut at) = (whole(which.get(&samples)), at);
        spoil(&mut spoilt, &mut at, &other);
        let good = element(&json!({ "message": { "mid": "m_1", "text": "Hello" } }));
        let updates = read(&post("page", &json!([good, spoilt, good])));
        let whole = updates.iter().filter(|update| matches!(update, NetworkUpdate::Conversation { .. })).count();
        prop_assert!(whole >= 2, "{updates:?}");
    }

    #[test]
    fn anything_is_read_or_refused(
        raw in prop::collection::vec(any::<u8>(), 0..256), whole in any_json(), entry in any_json(), part in any_json(),
    ) {
        let _ = read_raw(&raw);
        let _ = read_raw(whole.to_string().as_bytes());
        let _ = read(&json!({ "object": "instagram", "entry": [entry] }));
        let _ = read(&post("page", &json!([part, { "message": part }, element(&json!({ "message": part }))])));
    }
}
