//! The stand-in's samples, as they are and with any part of them spoilt.

use network_simulator::samples;
use proptest::prelude::*;
use serde_json::{Value, json};

use domain::inbound::NetworkUpdate;

use super::{message, post, read};

fn all() -> Vec<(String, Value)> {
    samples("whatsapp").into_iter().collect()
}

#[test]
fn every_sample_is_of_use_or_passed_over_on_purpose() {
    for (name, sample) in all() {
        let updates = read(&post(&json!({ "messages": [message(&sample)] })));
        let [update] = updates.as_slice() else { panic!("{name}: {updates:?}") };
        let passed_over = [
            "identity_changed",
            "request_welcome",
            "in_a_group",
            "call_permission_reply",
            "unsupported_edit",
        ]
        .contains(&name.as_str());
        match update {
            NetworkUpdate::Conversation { .. } => assert!(!passed_over, "{name}"),
            NetworkUpdate::Ignored { .. } | NetworkUpdate::Unread { .. } => assert!(passed_over, "{name}"),
            other => panic!("{name}: {other:?}"),
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

proptest! {
    #[test]
    fn a_spoilt_sample_harms_nobody_else(
        which in any::<prop::sample::Index>(), at in 0_usize..30,
        other in prop::sample::select(vec![json!(null), json!(-1), json!(1e300), json!("\u{0}"), json!(""), json!([]),
                                           json!([[]]), json!({}), json!({ "id": {} }), json!(true)]),
    ) {
        let samples = all();
        let mut spoilt = message(&which.get(&samples).1);
        let mut at = at;
        spoil(&mut spoilt, &mut at, &other);
        let good = message(&json!({ "type": "text", "text": { "body": "Hello" } }));
        let updates = read(&post(&json!({ "messages": [good, spoilt, good] })));
        let whole = updates.iter().filter(|update| matches!(update, NetworkUpdate::Conversation { .. })).count();
        prop_assert!(whole >= 2 && updates.len() == 3, "{updates:?}");
    }
}
