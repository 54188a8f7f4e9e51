//! Every field of every answer, whole, wrong and missing.

mod documented;
mod times;

use domain::systems::{SlotQuery, Slots};
use proptest::prelude::*;
use serde_json::{Value, json};
use time::macros::datetime;

use super::read;
use crate::json::Node;

/// Reads slots as [`super::slots`] does, asked for at the beginning of time, and for all of it.
fn slots(node: &Node<'_, '_>) -> Option<Slots> {
    let (from, to) = (datetime!(0000-01-01 0:00 UTC), datetime!(9999-12-31 0:00 UTC));
    super::slots(node, &SlotQuery { from, to, service: None }, from)
}

const KINDS: [&str; 6] = ["null", "bool", "number", "string", "array", "object"];

fn of_kind(kind: &str) -> Value {
    match kind {
        "null" => Value::Null,
        "bool" => json!(true),
        "number" => json!(7),
        "string" => json!("نص"),
        "array" => json!([]),
        _ => json!({}),
    }
}

/// Number of objects that could be used, with what was noted; or the notes alone.
type Made = Result<(usize, Vec<String>), Vec<String>>;

/// One object of an answer, with the fields that the contract gives it.
struct Case {
    /// A whole answer, with two or three of the object where it is one of a list.
    answer: Value,
    /// The tampered object's place, as a JSON pointer and as it is named.
    pointer: &'static str,
    path: &'static str,
    /// Each field with the kinds that it may have, and whether it is required.
    fields: &'static [(&'static str, &'static [&'static str], bool)],
    read: fn(&[u8]) -> Made,
}

fn made<T>(
    body: &[u8],
    reader: impl FnOnce(&Node<'_, '_>) -> Option<T>,
    count: impl FnOnce(&T) -> usize,
) -> Made {
    let words = |unusable: Vec<domain::systems::Unusable>| unusable.iter().map(ToString::to_string).collect();
    read(body, reader).map(|(value, unusable)| (count(&value), words(unusable))).map_err(words)
}

fn a_product(id: u8) -> Value {
    json!({
        "id": id, "title": "حليب", "price": 12.5, "inStock": true, "quantity": 3, "description": "وصف",
        "compareAtPrice": 20, "currency": "USD", "imageUrl": "https://cdn.example/a.jpg",
        "url": "https://shop.example/1", "categories": ["أطفال"], "variants": [], "novelty": { "x": 1 },
    })
}

fn a_variant(id: u8) -> Value {
    json!({ "id": id, "title": "كبير", "price": 3, "inStock": false, "quantity": null, "options": { "الحجم": "L", "رقم": 42 } })
}

fn an_order() -> Value {
    json!({
        "id": 5, "number": "A-5", "status": "shipped", "total": 2500, "customerPhone": "0770", "currency": "IQD",
        "placedAt": "2026-11-21T10:00:00+03:00", "trackingUrl": "https://track.example/1",
        "lines": [{ "title": "حليب", "quantity": 1, "price": 5 }, { "title": "تمر", "quantity": 2, "price": 5 }],
    })
}

fn a_slot(id: u8) -> Value {
    json!({ "id": id, "startsAt": "2026-11-22T09:00:00+03:00", "endsAt": "2026-11-22T09:30:00+0300", "service": "قص" })
}

fn cases() -> Vec<Case> {
    [of_catalogues(), of_orders(), of_people()].into_iter().flatten().collect()
}

fn of_catalogues() -> Vec<Case> {
    let varied = {
        let mut product = a_product(1);
        product["variants"] = json!([a_variant(1), a_variant(2)]);
        product
    };
    vec![
        Case {
            answer: json!({ "name": "متجر", "currency": "IQD", "capabilities": ["catalog"] }),
            pointer: "",
            path: "",
            fields: &[
                ("name", &["string"], true),
                ("currency", &["string"], true),
                ("capabilities", &["null", "array"], true),
            ],
            read: |body| made(body, super::introduction, |_| 1),
        },
        Case {
            answer: json!({ "products": [a_product(1), a_product(2), a_product(3)] }),
            pointer: "/products/1",
            path: "products[1]",
            fields: &[
                ("id", &["string", "number"], true),
                ("title", &["string"], true),
                ("price", &["number"], true),
                ("inStock", &["bool"], true),
                ("quantity", &["null", "number"], false),
                ("description", &["null", "string"], false),
                ("compareAtPrice", &["null", "number"], false),
                ("currency", &["null", "string"], false),
                ("imageUrl", &["null", "string"], false),
                ("url", &["null", "string"], false),
                ("categories", &["null", "array"], false),
                ("variants", &["null", "array"], true),
            ],
            read: |body| made(body, super::products, Vec::len),
        },
        Case {
            answer: varied,
            pointer: "/variants/1",
            path: "variants[1]",
            fields: &[
                ("id", &["string", "number"], true),
                ("title", &["string"], true),
                ("price", &["number"], true),
                ("inStock", &["bool"], true),
                ("quantity", &["null", "number"], false),
                // An empty array is PHP's empty object.
                ("options", &["null", "object", "array"], false),
            ],
            read: |body| made(body, super::product, |product| product.variants.len()),
        },
    ]
}

fn of_orders() -> Vec<Case> {
    vec![
        Case {
            answer: an_order(),
            pointer: "",
            path: "",
            fields: &[
                ("id", &["string", "number"], true),
                ("number", &["string", "number"], true),
                ("status", &["string"], true),
                ("total", &["number"], true),
                ("customerPhone", &["null", "string", "number"], false),
                ("currency", &["null", "string"], false),
                ("placedAt", &["null", "string"], false),
                ("trackingUrl", &["null", "string"], false),
                ("lines", &["null", "array"], false),
            ],
            read: |body| made(body, super::looked_up, |_| 1),
        },
        Case {
            answer: an_order(),
            pointer: "/lines/1",
            path: "lines[1]",
            fields: &[
                ("title", &["string"], true),
                ("quantity", &["number"], true),
                ("price", &["number"], true),
            ],
            read: |body| made(body, super::order, |order| order.lines.len()),
        },
    ]
}

fn of_people() -> Vec<Case> {
    let mut appointment = a_slot(1);
    appointment["status"] = json!("confirmed");
    vec![
        Case {
            answer: json!({ "customer": { "id": 9, "name": "زينب", "fields": { "الرصيد": 12.50, "ملاحظة": null } } }),
            pointer: "/customer",
            path: "customer",
            fields: &[
                ("id", &["null", "string", "number"], false),
                ("name", &["null", "string"], false),
                ("fields", &["object", "array"], false),
            ],
            read: |body| {
                made(body, super::record, |found| usize::from(matches!(found, super::Lookup::Known(_))))
            },
        },
        Case {
            answer: json!({ "customer": { "id": 9 } }),
            pointer: "/customer",
            path: "customer",
            fields: &[("id", &["string", "number"], true)],
            read: |body| made(body, super::lead, |_| 1),
        },
        Case {
            answer: json!({ "services": ["قص"], "slots": [a_slot(1), a_slot(2)] }),
            pointer: "/slots/1",
            path: "slots[1]",
            fields: &[
                ("id", &["string", "number"], true),
                ("startsAt", &["string"], true),
                ("endsAt", &["string"], true),
                ("service", &["string"], true),
            ],
            read: |body| made(body, slots, |slots| slots.slots.len()),
        },
        Case {
            answer: json!({ "appointment": appointment }),
            pointer: "/appointment",
            path: "appointment",
            fields: &[
                ("id", &["string", "number"], true),
                ("startsAt", &["string"], true),
                ("endsAt", &["string"], true),
                ("service", &["string"], true),
                ("status", &["string"], true),
            ],
            read: |body| made(body, super::appointment, |_| 1),
        },
    ]
}

fn with(case: &Case, field: &str, value: Option<Value>) -> Vec<u8> {
    let mut answer = case.answer.clone();
    let object = answer.pointer_mut(case.pointer).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => object.insert(field.to_owned(), value),
        None => object.remove(field),
    };
    serde_json::to_vec(&answer).unwrap()
}

#[test]
fn a_field_of_another_kind_or_that_is_not_there_makes_only_its_own_unusable_and_is_named() {
    for case in cases() {
        let (whole, named) = (case.read)(&serde_json::to_vec(&case.answer).unwrap()).unwrap();
        assert_eq!(named, Vec::<String>::new(), "{}", case.path);
        for (field, kinds, required) in case.fields {
            let path =
                if case.path.is_empty() { (*field).to_owned() } else { format!("{}.{field}", case.path) };
            let wrong = KINDS.iter().filter(|kind| !kinds.contains(kind));
            for kind in wrong {
                let made = (case.read)(&with(&case, field, Some(of_kind(kind))));
                let why = if *kind == "null" { "missing" } else { "wrong_type" };
                check(made, whole, *required, &format!("{path}: {why}"));
            }
            let may_lack = kinds.contains(&"null") && *field != "customerPhone";
            let made = (case.read)(&with(&case, field, None));
            if may_lack {
                assert_eq!(made, Ok((whole, vec![])), "{path}");
            } else {
                check(made, whole, *required, &format!("{path}: missing"));
            }
        }
    }
}

/// Checks that what was tampered with is named, and that at most one object is lost.
fn check(made: Made, whole: usize, required: bool, name: &str) {
    match made {
        Ok((usable, named)) => {
            assert_eq!(named, [name]);
            assert_eq!(usable, if required { whole - 1 } else { whole }, "{name}");
        }
        Err(named) => {
            assert_eq!(named, [name]);
            assert!(required && whole == 1, "{name}");
        }
    }
}

#[test]
fn a_list_of_which_nothing_can_be_used_is_no_empty_one() {
    let priced = |price: Value| {
        let mut product = a_product(1);
        product["price"] = price;
        product
    };
    let products =
        |list: Value| made(json!({ "products": list }).to_string().as_bytes(), super::products, Vec::len);
    assert_eq!(products(json!([])), Ok((0, vec![])));
    assert_eq!(
        products(json!([priced(json!("25000"))])),
        Err(vec!["products[0].price: wrong_type".to_owned()])
    );
    assert_eq!(
        products(json!([priced(json!("25000")), priced(json!(25000))])).map(|(usable, _)| usable),
        Ok(1)
    );
    let slots =
        |list: Value| made(json!({ "slots": list }).to_string().as_bytes(), slots, |it| it.slots.len());
    assert_eq!(slots(json!([])), Ok((0, vec![])));
    assert_eq!(slots(json!([7])), Err(vec!["slots[0]: wrong_type".to_owned()]));
}

#[test]
fn a_thing_that_is_no_object_is_named_itself() {
    for case in cases() {
        for kind in KINDS.iter().filter(|kind| !["object", "null"].contains(kind)) {
            let mut answer = case.answer.clone();
            *answer.pointer_mut(case.pointer).unwrap() = of_kind(kind);
            let made = (case.read)(&serde_json::to_vec(&answer).unwrap());
            let named = made.map_or_else(|named| named, |(_, named)| named);
            let path = if case.path.is_empty() { "the answer" } else { case.path };
            assert!(named.contains(&format!("{path}: wrong_type")), "{path} {kind}: {named:?}");
        }
    }
}

/// Any JSON, not too deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e300_f64..1e300).prop_map(Value::from),
        "\\PC{0,12}|.{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["https://a.example/x", "2026-11-21T10:00:00Z", "IQD", "shipped"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-zA-Z]{0,8}", inner), 0..5)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Every place in a JSON value.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{position}"), into);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                places(member, &format!("{at}/{name}"), into);
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn anything_anywhere_in_any_answer_harms_at_most_what_it_is_in(
        case in 0_usize..9,
        place in any::<prop::sample::Index>(),
        value in any_json(),
    ) {
        let case = &cases()[case];
        let mut all = Vec::new();
        places(&case.answer, "", &mut all);
        let pointer = place.get(&all);
        let mut answer = case.answer.clone();
        *answer.pointer_mut(pointer).unwrap() = value;
        let (whole, _) = (case.read)(&serde_json::to_vec(&case.answer).unwrap()).unwrap();
        let made = (case.read)(&serde_json::to_vec(&answer).unwrap());
        // Inside one of several, at most that one is lost.
        let inside = !case.pointer.is_empty() && pointer.len() > case.pointer.len() && pointer.starts_with(case.pointer);
        if inside && whole > 1 {
            prop_assert!(made.as_ref().is_ok_and(|(usable, _)| *usable >= whole - 1), "{} {:?}", pointer, made);
        }
        let named = made.map_or_else(|named| named, |(_, named)| named);
        for name in named {
            let known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.[]_: ";
            prop_assert!(name.chars().all(|c| known.contains(c)), "{}", name);
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "[\\[{}\\]\":,0-9a-z\\\\]{0,30}") {
        for case in cases() {
            let _ = ((case.read)(&bytes), (case.read)(text.as_bytes()));
        }
    }
}
