//! The judge of a model's own wording, held to sentences by somebody who had not seen it.

use data_encoding::HEXLOWER;
use domain::assistant::speech::{Act, Evidence, Phrasebook, Rotation, Telling, Voice, judge};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A set: its name, its open two thirds, its locked third, and that third's checksum.
type Set = (&'static str, &'static str, &'static str, &'static str);

const SETS: [Set; 3] = [
    (
        "promises",
        include_str!("../../../tests/corpora/said/promises.tsv"),
        include_str!("../../../tests/corpora/said/locked/promises.tsv"),
        "6a2bd4563f06bd6db3ee96362aae613d1ed33d2e3872e39738fe37f4ac0676cb",
    ),
    (
        "untold",
        include_str!("../../../tests/corpora/said/untold.tsv"),
        include_str!("../../../tests/corpora/said/locked/untold.tsv"),
        "adc39f048e589f40b9690230529d7d888fe5ec43a5fd488a92153b1cdfade432",
    ),
    (
        "prices",
        include_str!("../../../tests/corpora/said/prices.tsv"),
        include_str!("../../../tests/corpora/said/locked/prices.tsv"),
        "8142278ee92d3552a4baa98f5d7e567f7d2318b639ddb5ba1b81c31f02383a02",
    ),
];

#[test]
fn no_wording_that_the_evidence_does_not_bear_out_passes_beside_any_answer_of_its_turn() {
    for (name, open, locked, _) in SETS {
        let passed: Vec<&str> = open.lines().skip(1).filter(|row| passes(row)).collect();
        assert!(passed.is_empty(), "{name}: {passed:#?}");
        // A count alone: nobody who mends the judge shall know these.
        let passed = locked.lines().skip(1).filter(|row| passes(row)).count();
        assert_eq!(passed, 0, "locked {name}");
    }
}

#[test]
fn the_locked_third_is_as_it_was_written() {
    for (name, _, locked, checksum) in SETS {
        assert_eq!(HEXLOWER.encode(&Sha256::digest(locked)), checksum, "{name}");
    }
}

/// Returns whether the text of a row (id, language, kind, evidence, text) goes out beside any answer.
#[expect(clippy::panic, clippy::unwrap_used, reason = "test support")]
fn passes(row: &str) -> bool {
    let [_, language, _, evidence, text] = row.split('\t').collect::<Vec<_>>()[..] else {
        panic!("{row}");
    };
    let told: Value = serde_json::from_str(evidence).unwrap();
    let evidence: Evidence = evidence.parse().unwrap();
    let voice = match language {
        "en" => Voice::English,
        "ckb" => Voice::Sorani,
        "ar" => Voice::FormalArabic,
        _ => Voice::IraqiArabic,
    };
    let book = Phrasebook::shipped(voice).unwrap();
    let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::default() };
    answers(&told).into_iter().any(|acts| {
        let acts: Vec<Act> = serde_json::from_value(acts).unwrap();
        telling.say(&acts).is_ok_and(|speech| judge(&book, &speech, text).is_ok())
    })
}

/// Returns answers that a turn with this evidence may have.
#[expect(clippy::indexing_slicing, reason = "test support: what JSON lacks is null")]
fn answers(told: &Value) -> Vec<Value> {
    let each = |name: &str| told[name].as_array().cloned().unwrap_or_default();
    let mut answers = Vec::new();
    for product in each("products") {
        let id = &product["id"];
        let quote = json!({"act": "quote", "product": id, "parts": ["price", "availability"]});
        answers.push(json!([{"act": "quote", "product": id, "parts": ["price", "availability", "sizes"]}]));
        answers.push(json!([quote, {"act": "ask", "what": "quantity"}]));
        answers.push(json!([{"act": "discount", "product": id}]));
        answers.push(json!([{"act": "multiple", "product": id, "quantity": 2}]));
        for variant in product["variants"].as_array().into_iter().flatten() {
            let mut one = quote.clone();
            one["variant"] = variant["id"].clone();
            answers.push(json!([one]));
        }
        answers.push(json!([quote]));
    }
    for order in each("orders") {
        let number = &order["number"];
        answers.push(json!([{"act": "order_status", "order": number}]));
        answers.push(json!([{"act": "order_status", "order": number, "parts": ["lines", "total"]}]));
    }
    for fact in each("facts") {
        answers.push(json!([{"act": "cite", "fact": fact["id"]}]));
    }
    let slots: Vec<_> = each("slots").iter().map(|slot| slot["id"].clone()).collect();
    answers.push(json!([{"act": "slots", "slots": slots}]));
    if let Some(record) = told["record"].as_object() {
        answers.push(json!([{"act": "record", "fields": record.keys().collect::<Vec<_>>()}]));
    }
    let plain = ["greet", "not_found", "apologise", "thank", "you_are_welcome", "bye", "who_i_am", "wait"];
    answers.extend(plain.map(|act| json!([{"act": act}])));
    answers.extend(["order", "other"].map(|reason| json!([{"act": "hand_over", "reason": reason}])));
    answers.extend(["unknown", "order_change"].map(|topic| json!([{"act": "cannot", "topic": topic}])));
    answers.extend(["address", "size"].map(|what| json!([{"act": "ask", "what": what}])));
    answers
}
