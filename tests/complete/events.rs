//! Every event is written, documented, explained to receivers and expected by a test of the whole program.

use std::{fs, path::Path};

use domain::{
    events::EventType,
    ids::{DeliveryId, WorkspaceId},
    testing::an_event,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::contract::Contract;

/// Text in the description of an event that nobody can receive yet.
const NOT_YET: &str = "nothing emits it before";

/// Calls by which the tests of the whole program take a delivery of an event from their receiver. A name
/// alone may be in a list of what an address subscribes to, or of what must not come.
const TAKEN: [&str; 2] = ["next_of", "assert_told"];

/// Where an event has to show.
struct Places<'a> {
    /// The API's document.
    document: &'a Value,
    /// The guide for receivers.
    guide: &'a str,
    /// The tests of the whole program.
    tests: &'a str,
}

/// What is missing of an event. `written` is a body of it, as the domain writes one; `None` where it writes
/// none.
fn faults(event: &str, written: Option<&Value>, places: &Places<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let operation = &places.document["webhooks"][event]["post"];
    if operation.is_null() {
        faults.push(format!("the API's document has no webhook `{event}`"));
    }
    let contract = Contract::new(&places.document.to_string());
    let example = &operation["requestBody"]["content"]["application/json"]["example"];
    if example["type"] != event || !contract.faults(event, example).is_empty() {
        faults.push(format!("the API's document has no example of `{event}` in its own shape"));
    }
    if !places.guide.contains(&format!("| `{event}` |")) {
        faults.push(format!("docs/use/webhooks.md does not list `{event}`"));
    }
    let description = operation["description"].as_str().unwrap_or_default();
    let emitted_by = description.split_once("Emitted by: ").map(|(_, by)| by).unwrap_or_default();
    match written {
        None if !emitted_by.contains(NOT_YET) => {
            faults.push(format!("the domain writes no `{event}`, and its description does not say so"));
        }
        None => {}
        Some(body) => {
            if emitted_by.is_empty() || emitted_by.contains(NOT_YET) {
                faults.push(format!("the description of `{event}` does not say what emits it"));
            }
            if body["type"] != event {
                faults.push(format!("the domain writes `{event}` under the name {}", body["type"]));
            }
            faults
                .extend(contract.faults(event, body).into_iter().map(|fault| format!("`{event}`: {fault}")));
            if !TAKEN.iter().any(|take| places.tests.contains(&format!("{take}(\"{event}\""))) {
                faults.push(format!("no test of the whole program expects `{event}`"));
            }
        }
    }
    faults
}

fn every_event() -> impl Iterator<Item = EventType> {
    EventType::SUBSCRIBABLE.iter().copied().chain([EventType::Ping])
}

/// Returns the body as the domain writes it.
fn body(event: EventType) -> Option<Value> {
    let delivery = DeliveryId::from(Uuid::from_u128(1));
    let body = an_event(event)?.body(delivery, WorkspaceId::from(Uuid::from_u128(2)));
    Some(serde_json::from_slice(&body).unwrap())
}

fn document() -> Value {
    serde_json::from_str(adapter_http::openapi()).unwrap()
}

const GUIDE: &str = include_str!("../../docs/use/webhooks.md");

/// Returns the text of the tests of the whole program, without these.
fn tests() -> String {
    fn read(folder: &Path, all: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("complete") {
                read(&path, all);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                all.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut all = String::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests"), &mut all);
    all
}

#[test]
fn every_event_shows_wherever_one_has_to() {
    let (document, tests) = (document(), tests());
    let places = Places { document: &document, guide: GUIDE, tests: &tests };
    let faults: Vec<_> =
        every_event().flat_map(|event| faults(event.as_str(), body(event).as_ref(), &places)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A document that knows `parcel.lost`, a guide that lists it, and a test that expects it.
fn whole() -> (Value, String, Value, Value) {
    let written = json!({
        "id": "0192f0c1-7a00-7000-8000-000000000009", "type": "parcel.lost", "data": { "parcel": "A-1042" },
    });
    let schema = json!({
        "type": "object", "required": ["id", "type", "data"],
        "properties": { "id": { "type": "string" }, "type": { "type": "string", "enum": ["parcel.lost"] },
                        "data": { "type": "object", "properties": { "parcel": { "type": "string" } } } },
    });
    let operation = json!({ "post": {
        "description": "A parcel was lost.\n\nEmitted by: the carrier's report.",
        "requestBody": { "content": { "application/json": { "schema": schema, "example": written } } },
    } });
    let document = json!({ "components": { "schemas": {} }, "webhooks": { "parcel.lost": operation } });
    (document, "| `parcel.lost` | a parcel is lost |".to_owned(), written, json!("next_of(\"parcel.lost\")"))
}

#[test]
fn an_event_that_is_nowhere_but_in_the_domain_is_missing_everywhere() {
    let (_, _, written, _) = whole();
    let document = document();
    let places = Places { document: &document, guide: GUIDE, tests: "" };
    assert_eq!(
        faults("parcel.lost", Some(&written), &places),
        [
            "the API's document has no webhook `parcel.lost`",
            "the API's document has no example of `parcel.lost` in its own shape",
            "docs/use/webhooks.md does not list `parcel.lost`",
            "the description of `parcel.lost` does not say what emits it",
            "`parcel.lost`: parcel.lost is not documented",
            "no test of the whole program expects `parcel.lost`",
        ]
    );
}

#[test]
fn of_an_event_that_is_half_there_each_missing_half_is_named() {
    type Spoil = fn(&mut Value, &mut String, &mut Option<Value>, &mut String);
    let cases: [(Spoil, &[&str]); 8] = [
        (|_, _, _, _| {}, &[]),
        (
            |document, _, _, _| {
                document["webhooks"]["parcel.lost"]["post"]["requestBody"]["content"]["application/json"]["example"] =
                    Value::Null;
            },
            &["the API's document has no example of `parcel.lost` in its own shape"],
        ),
        (|_, guide, _, _| guide.clear(), &["docs/use/webhooks.md does not list `parcel.lost`"]),
        (
            |_, _, written, _| *written = None,
            &["the domain writes no `parcel.lost`, and its description does not say so"],
        ),
        (
            |document, _, _, _| {
                document["webhooks"]["parcel.lost"]["post"]["description"] =
                    "Emitted by: a carrier, once one is \
                    connected; nothing emits it before."
                        .into();
            },
            &["the description of `parcel.lost` does not say what emits it"],
        ),
        (
            |_, _, written, _| {
                if let Some(written) = written {
                    written["data"]["weight"] = json!(4);
                }
            },
            &["`parcel.lost`: /data"],
        ),
        (|_, _, _, tests| tests.clear(), &["no test of the whole program expects `parcel.lost`"]),
        (
            |_, _, _, tests| *tests = "json!({ \"events\": [\"parcel.lost\"] })".to_owned(),
            &["no test of the whole program expects `parcel.lost`"],
        ),
    ];
    for (spoil, wanted) in cases {
        let (mut document, mut guide, written, tests) = whole();
        let (mut written, mut tests) = (Some(written), tests.as_str().unwrap().to_owned());
        spoil(&mut document, &mut guide, &mut written, &mut tests);
        let places = Places { document: &document, guide: &guide, tests: &tests };
        let faults = faults("parcel.lost", written.as_ref(), &places);
        // What the schema says of a value that does not fit is in its library's words.
        let said: Vec<_> = faults.iter().map(|fault| fault.split(": Additional").next().unwrap()).collect();
        assert_eq!(said, wanted);
    }
}
