use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::say;
use crate::{
    assistant::speech::{Act, Evidence, Phrasebook, Rotation, Speech, Telling, Voice},
    channels::ChannelKind,
    sending::fits,
};

/// Titles as shops have them, each with a number of its own beside what the product is.
fn title() -> impl Strategy<Value = String> {
    ("[\\u{627}-\\u{64a}]{3,8}|[A-Za-z]{3,8}|\\u{6a9}[\\u{6d5}\\u{6ce}]{2}", 100_u32..999)
        .prop_map(|(name, n)| format!("{name} {n}"))
}

fn product(id: usize) -> impl Strategy<Value = Value> {
    let availability = prop::sample::select(vec!["in_stock", "few_left", "out_of_stock"]);
    let variants = prop::collection::vec((title(), 1_u32..900_000, availability.clone()), 0..3);
    (title(), 1_u32..900_000, 0_u32..900_000, availability, variants).prop_map(
        move |(title, price, before, availability, variants)| {
            let variant = |(place, (title, price, availability)): (usize, (String, u32, &str))| {
                json!({"id": format!("p{id}v{place}"), "title": title, "price": price,
                    "availability": availability, "options": {"size": title, "colour": "red"}})
            };
            json!({"id": format!("p{id}"), "title": title, "price": price, "priceBefore": before,
                "availability": availability, "description": format!("About {title}. Weighs 77 kg."),
                "url": format!("https://shop.example/{id}"),
                "imageUrl": format!("https://cdn.shop.example/{id}.jpg"),
                "variants": variants.into_iter().enumerate().map(variant).collect::<Vec<_>>()})
        },
    )
}

fn evidence() -> impl Strategy<Value = Value> {
    let products = (product(0), product(1), product(2)).prop_map(|(a, b, c)| vec![a, b, c]);
    let status = prop::sample::select(vec![
        "pending",
        "confirmed",
        "processing",
        "shipped",
        "delivered",
        "cancelled",
        "refunded",
        "wrapped",
    ]);
    (products, 1_u32..9_999, status, 1_u8..28, 0_u8..23, any::<bool>()).prop_map(
        |(products, number, status, day, hour, is_named)| {
            let starts = |day| format!("2026-03-{day:02}T{hour:02}:15:00+03:00");
            let ends = |day| format!("2026-03-{day:02}T{hour:02}:45:00+03:00");
            let slot = |id: &str, day, service: &str| {
                json!({"id": id, "startsAt": starts(day), "endsAt": ends(day), "service": service})
            };
            json!({
                "products": products,
                "orders": [{"number": number, "status": status, "total": 5,
                    "lines": [{"title": "rope 3", "quantity": 4, "price": 250}], "trackingUrl": "https://shop.example/t"}],
                "slots": [slot("s0", day, "فحص"), slot("s1", day + 1, "cut")],
                "ranges": [{"id": "r0", "from": starts(day), "to": ends(day + 2)}, {"id": "r1"}],
                "record": {"Points": number, "Gold": true},
                "facts": [{"id": "f0", "text": "نوصل بسعر 5000 دينار. الدفع نقداً."}],
                "drafts": [{"id": "d0", "kind": "order", "summary": "Your order:\n• 3 × 4"}],
                "searches": ["chair"],
                "customer": ["12 الف؟ اريد كرسي"],
                "business": is_named.then_some("Palm Store"),
                "assistant": is_named.then_some("سارة"),
            })
        },
    )
}

/// One act of each kind, with references that are there.
fn acts() -> Vec<Value> {
    let mut acts = vec![
        json!({"act": "quote", "product": "p0", "parts": ["price", "availability", {"sentence": 2}, "link", "photo"]}),
        json!({"act": "quote", "product": "p1", "parts": ["availability"]}),
        json!({"act": "quote", "product": "p1", "parts": ["price", "sizes", "options", "before"]}),
        json!({"act": "list", "products": ["p0", "p1", "p2"]}),
        json!({"act": "compare", "products": ["p0", "p2"]}),
        json!({"act": "closest", "products": ["p2"]}),
        json!({"act": "not_found", "query": "chair"}),
        json!({"act": "not_found"}),
        json!({"act": "total", "lines": [{"product": "p0", "quantity": 3}, {"product": "p1", "quantity": 1}]}),
        json!({"act": "multiple", "product": "p2", "quantity": 11}),
        json!({"act": "decline_offer", "amount": 12000, "product": "p0"}),
        json!({"act": "decline_offer", "amount": 12000}),
        json!({"act": "discount", "product": "p0"}),
        json!({"act": "record", "fields": ["Points", "Gold"]}),
        json!({"act": "slots", "slots": ["s0", "s1"]}),
        json!({"act": "slots", "slots": ["s1"]}),
        json!({"act": "no_slots", "range": "r0"}),
        json!({"act": "no_slots", "range": "r1"}),
        json!({"act": "cite", "fact": "f0", "sentences": [1]}),
        json!({"act": "propose_order", "draft": "d0"}),
        json!({"act": "clarify", "a": "p0", "b": "p1"}),
        json!({"act": "confirm_understanding", "product": "p0", "quantity": 2}),
        json!({"act": "who_i_am"}),
        json!({"act": "not_a_person"}),
        json!({"act": "lead", "words": "اريد كرسي"}),
    ];
    for plain in ["greet", "thank", "apologise", "wait", "you_are_welcome", "bye", "how_to_order"] {
        acts.push(json!({"act": plain}));
    }
    for what in [
        "product",
        "size",
        "colour",
        "model",
        "quantity",
        "name",
        "phone",
        "address",
        "city",
        "day",
        "time",
        "service",
        "order_number",
        "anything_else",
    ] {
        acts.push(json!({"act": "ask", "what": what, "options": ["p0", "s0"]}));
    }
    for topic in
        ["discount", "voice", "picture", "payment", "order_change", "medical", "off_topic", "call", "unknown"]
    {
        acts.push(json!({"act": "cannot", "topic": topic}));
    }
    for reason in ["asked", "complaint", "order", "other"] {
        acts.push(json!({"act": "hand_over", "reason": reason}));
    }
    acts
}

fn numbers(text: &str) -> Vec<String> {
    let digits = |c: char| !(c.is_ascii_digit() || c == ',');
    text.split(digits).map(|run| run.replace(',', "")).filter(|run| !run.is_empty()).collect()
}

/// Every number that the evidence allows: those in its text, dates and times, sums, differences.
fn allowed(evidence: &Value, acts: &[Value]) -> HashSet<String> {
    let mut allowed: HashSet<String> = numbers(&evidence.to_string()).into_iter().collect();
    allowed.extend(allowed.clone().iter().map(|number| number.trim_start_matches('0').to_owned()));
    // What was asked for, and the twelve hours of a clock.
    allowed.extend(numbers(&json!(acts).to_string()));
    allowed.extend((1..=12).map(|hour: u32| hour.to_string()));
    allowed.insert((4 * 250).to_string());
    let products: Vec<_> = evidence["products"].as_array().unwrap().iter().collect();
    let price = |product: &Value| product["price"].as_u64().unwrap();
    let prices = |product: &Value| {
        let variants = product["variants"].as_array().unwrap().iter().map(price);
        std::iter::once(price(product)).chain(variants).collect::<Vec<_>>()
    };
    for product in &products {
        for price in prices(product) {
            allowed.extend(
                [price * 3, price * 11, product["priceBefore"].as_u64().unwrap().abs_diff(price)]
                    .map(|sum| sum.to_string()),
            );
            for other in products.iter().flat_map(|other| prices(other)) {
                allowed.extend([price * 3 + other, price.abs_diff(other)].map(|sum| sum.to_string()));
            }
        }
    }
    allowed
}

fn worded(book: &Phrasebook, act: &Act, evidence: &Evidence, turn: u64) -> Option<Speech> {
    let telling = Telling { evidence, book, rotation: Rotation::of(b"a chat", turn) };
    telling.say(std::slice::from_ref(act)).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_the_evidence_is_a_text_holds_no_more_than_it(evidence in evidence(), turn in 0_u64..5) {
        let read: Evidence = evidence.to_string().parse().unwrap();
        let mut all = acts();
        all.push(json!({"act": "order_status", "order": evidence["orders"][0]["number"],
            "parts": ["lines", "total"]}));
        let allowed = allowed(&evidence, &all);
        let mut worded_acts = 0;
        for voice in Voice::ALL {
            let book = Phrasebook::shipped(voice).unwrap();
            for act in &all {
                let read_act: Act = serde_json::from_value(act.clone()).unwrap();
                let Some(speech) = worded(&book, &read_act, &read, turn) else { continue };
                worded_acts += 1;
                for channel in ChannelKind::ALL {
                    let messages = speech.messages(channel);
                    prop_assert!(!messages.is_empty());
                    for text in messages.iter().filter_map(|message| message.text()) {
                        prop_assert!(!text.trim().is_empty() && fits(channel, text, false), "{act}: {text}");
                        let has_place = text.contains(['{', '}']);
                        prop_assert!(!has_place, "{act}: {text}");
                        for number in numbers(text) {
                            prop_assert!(allowed.contains(&number), "{voice:?} {act}: {number} in {text}");
                        }
                    }
                }
                let title = |product: &Value| product["title"].as_str().unwrap().to_owned();
                let named = act.to_string();
                for product in evidence["products"].as_array().unwrap() {
                    let id = product["id"].to_string();
                    let others = evidence["products"].as_array().unwrap();
                    // A title that is a part of another's is there with it.
                    let is_part = others.iter().any(|other| other["id"] != product["id"]
                        && other.to_string().contains(&title(product)));
                    if speech.text().contains(&title(product)) && !is_part {
                        prop_assert!(named.contains(&id), "{act}: {}", speech.text());
                    }
                }
            }
        }
        prop_assert!(worded_acts > 150, "{worded_acts}");
    }

    #[test]
    fn no_file_panics(acts in ".{0,60}", evidence in ".{0,60}") {
        let is_object = evidence.trim().starts_with('{');
        prop_assert!(evidence.parse::<Evidence>().is_err() || is_object);
        prop_assert!(say(Voice::English, &acts, &Evidence::default()).is_err());
    }

    #[test]
    fn an_act_is_written_as_it_is_read(place in 0..50_usize) {
        if let Some(act) = acts().get(place) {
            let read: Act = serde_json::from_value(act.clone()).unwrap();
            let written = serde_json::to_value(&read).unwrap();
            prop_assert_eq!(&serde_json::from_value::<Act>(written.clone()).unwrap(), &read);
            prop_assert_eq!(&written["act"], &act["act"]);
            prop_assert_eq!(read.name(), act["act"].as_str().unwrap());
        }
    }
}
