//! The document against the routes, the committed file, its own examples, and what the domain writes.

use domain::{
    events::{Customer, Event, EventType},
    ids::{DeliveryId, WorkspaceId},
    messages::{DeliveryStatus, MessageMeta, TemplateRef},
    testing::{
        a_contact, a_message, a_moment, a_network_message_id, a_sent_code, a_sent_message, a_status, an_event,
    },
};
use uuid::Uuid;

use serde_json::Value;

use super::{openapi, tests::contract::Contract};
use crate::{problem::RefusalCode, routes};

#[path = "../../../../tests/support/contract.rs"]
pub(crate) mod contract;

#[test]
fn every_route_is_documented_and_nothing_else() {
    let mut registered = Vec::new();
    for endpoint in routes::v1() {
        for method in endpoint.methods() {
            registered.push((method.to_string(), format!("/v1{}", endpoint.path())));
        }
    }
    let mut documented = Contract::new(openapi()).routes();
    registered.sort();
    documented.sort();
    assert_eq!(registered, documented);
}

#[test]
fn the_committed_document_is_the_one_that_is_served() {
    let committed = include_str!("../../../../docs/openapi.json");
    assert!(committed == openapi(), "docs/openapi.json is stale: `cargo xtask openapi` writes it");
}

#[test]
fn every_example_has_the_shape_it_stands_for() {
    let contract = Contract::new(openapi());
    let mut seen = 0;
    each_example("", &serde_json::from_str(openapi()).unwrap(), &mut |place, schema, example| {
        assert_eq!(contract.mismatches(schema, example), Vec::<String>::new(), "{place}");
        seen += 1;
    });
    assert!(seen > 30, "{seen}");
}

/// Checks every example with the schema it stands for and its place.
fn each_example(place: &str, value: &Value, check: &mut impl FnMut(&str, &Value, &Value)) {
    let Some(object) = value.as_object() else { return };
    if let Some(schema) = object.get("schema") {
        if let Some(example) = object.get("example") {
            check(place, schema, example);
        }
        for (name, example) in object.get("examples").and_then(Value::as_object).into_iter().flatten() {
            check(&format!("{place}/{name}"), schema, &example["value"]);
        }
    }
    for (key, inner) in object {
        each_example(&format!("{place}/{key}"), inner, check);
    }
}

#[test]
fn every_code_is_an_answer_of_some_route() {
    let document: Value = serde_json::from_str(openapi()).unwrap();
    let routes = document["paths"].to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    // What a route names, and what that names in turn.
    let named = schemas.iter().filter(|(name, _)| routes.contains(&format!("/schemas/{name}\"")));
    let answers: String = named.map(|(_, schema)| schema.to_string()).chain([routes.clone()]).collect();
    for code in RefusalCode::ALL {
        assert!(answers.contains(&format!("/schemas/{code:?}Problem\"")), "{code:?}");
    }
}

/// The documents from which clients are generated.
const DOCUMENTS: [(&str, &str); 2] = [
    ("openapi", include_str!("../../../../docs/openapi.json")),
    ("custom-system-openapi", include_str!("../../../../docs/custom-system-openapi.json")),
];

#[test]
fn every_body_has_a_name_of_its_own_in_whatever_language_a_client_is_generated() {
    for (name, text) in DOCUMENTS {
        let document: Value = serde_json::from_str(text).unwrap();
        assert_eq!(unnamed_bodies(&document), Vec::<String>::new(), "{name}");
        assert_eq!(colliding_names(&document), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_body_without_a_name_and_names_that_collide_are_seen() {
    let body = |schema: Value| serde_json::json!({ "content": { "application/json": { "schema": schema } } });
    let object = serde_json::json!({ "type": "object", "properties": { "kind": { "enum": ["a"] } } });
    let of = |names: &[&str]| {
        let schemas = names.iter().map(|name| ((*name).to_owned(), object.clone()));
        let schemas: serde_json::Map<String, Value> = schemas.collect();
        let post = serde_json::json!({ "operationId": "sendReply", "requestBody": body(object.clone()) });
        serde_json::json!({ "paths": { "/a": { "post": post } }, "components": { "schemas": schemas } })
    };
    assert_eq!(unnamed_bodies(&of(&["Reply"])), ["/paths/~1a/post/requestBody"]);
    assert_eq!(colliding_names(&of(&["Reply", "ReplyForm"])), Vec::<String>::new());
    for collide in [
        &["Reply", "NewReply"][..],
        &["Reply", "REPLY"],
        &["Reply", "ReplyRequest"],
        &["Reply", "ReplyResponse"],
        &["Reply", "ReplyKind"],
        &["SendReplyRequest"],
        &["ApiSendReplyRequest"],
    ] {
        assert_eq!(colliding_names(&of(collide)).len(), 1, "{collide:?}");
    }
}

/// Lists where a JSON body is described in place, so that a generator has to invent a name for it.
fn unnamed_bodies(document: &Value) -> Vec<String> {
    fn look(place: &str, value: &Value, unnamed: &mut Vec<String>) {
        let Some(fields) = value.as_object() else { return };
        let schema = &value["content"]["application/json"]["schema"];
        if !schema.is_null() && schema["$ref"].is_null() {
            unnamed.push(place.to_owned());
        }
        for (name, inner) in fields {
            look(&format!("{place}/{}", name.replace('/', "~1")), inner, unnamed);
        }
    }
    let mut unnamed = Vec::new();
    for part in ["paths", "webhooks", "components"] {
        look(&format!("/{part}"), &document[part], &mut unnamed);
    }
    unnamed
}

/// Names of schemas that a generator also gives to something else: a constructor (`New…` in Go), what is
/// described within another schema, a call's request or answer, or, where capitals do not count, another
/// schema.
fn colliding_names(document: &Value) -> Vec<String> {
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut given: Vec<String> = Vec::new();
    for (name, schema) in schemas {
        given.extend([
            name.clone(),
            format!("New{name}"),
            format!("Nullable{name}"),
            format!("{name}Request"),
            format!("{name}Response"),
        ]);
        let properties = schema["properties"].as_object().into_iter().flatten();
        let within = properties.filter(|(_, it)| !it["enum"].is_null() || !it["properties"].is_null());
        given.extend(within.map(|(property, _)| format!("{name}{property}")));
    }
    let operations = ["paths", "webhooks"].iter().filter_map(|part| document[part].as_object()).flatten();
    for operation in operations.flat_map(|(_, item)| item.as_object().into_iter().flatten()) {
        let id = operation.1["operationId"].as_str().unwrap_or_default().replace('_', "");
        given.extend([format!("{id}Request"), format!("{id}Response"), format!("Api{id}Request")]);
    }
    let taken = |name: &str| given.iter().filter(|given| given.eq_ignore_ascii_case(name)).count() > 1;
    let mut colliding: Vec<String> = schemas.keys().filter(|name| taken(name)).cloned().collect();
    colliding.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
    colliding
}

#[test]
fn every_event_names_what_emits_it_and_needs_no_security() {
    let document: Value = serde_json::from_str(openapi()).unwrap();
    for event in EventType::SUBSCRIBABLE.iter().chain([&EventType::Ping]) {
        let operation = &document["webhooks"][event.as_str()]["post"];
        let description = operation["description"].as_str().unwrap();
        let by = description.split_once("Emitted by: ").map(|(_, by)| by).unwrap_or_default();
        assert!(by.len() > 20 && by.ends_with('.'), "{event}: {description}");
        assert_eq!(operation["security"], serde_json::json!([]), "{event}");
    }
}

#[test]
fn the_error_without_a_code_is_the_last_of_each_choice() {
    let document: Value = serde_json::from_str(openapi()).unwrap();
    let mut choices = 0;
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            for response in operation["responses"].as_object().unwrap().values() {
                let schema = &response["content"]["application/json"]["schema"];
                let named = schema["$ref"].as_str().unwrap_or_default().trim_start_matches('#');
                let schema = document.pointer(named).unwrap_or(schema);
                let Some(choice) = schema["oneOf"].as_array() else { continue };
                let plain = choice.iter().position(|one| one["$ref"] == "#/components/schemas/Problem");
                assert!(plain.is_none_or(|place| place == choice.len() - 1), "{choice:?}");
                choices += 1;
            }
        }
    }
    assert!(choices > 4, "{choices}");
}

#[test]
fn every_event_that_the_domain_writes_is_documented() {
    let contract = Contract::new(openapi());
    let mut message = a_message();
    let sent = |message| Event::message_sent(message, Customer::of(&a_contact()));
    let mut events = vec![sent(message.clone())];
    let template = TemplateRef { name: "order_ready".to_owned(), language: "ar".to_owned() };
    message.meta = Some(MessageMeta { template, reference: None });
    events.push(sent(message.clone()));
    message.meta = None;
    message.context = serde_json::from_value(serde_json::json!({
        "replyTo": Uuid::from_u128(7), "replyToUnknown": true, "forwarded": true, "product": { "id": "SKU-7", "catalogId": "1" },
        "story": { "url": "https://lookaside.example/s" },
        "referral": { "source": "ad", "id": "120", "title": "Summer", "text": "All must go",
                      "url": "https://fb.me/1", "ref": "summer", "clickId": "AfCb-7" },
        "reply": { "id": "confirm:A-1042", "title": "Confirm" }, "unavailable": ["image"],
    }))
    .unwrap();
    events.push(sent(message));
    for send in [a_sent_message(), a_sent_code()] {
        for status in [DeliveryStatus::Delivered, DeliveryStatus::Read, DeliveryStatus::Failed] {
            let update = a_status(status);
            events.push(Event::message_status(&send, &update, &a_network_message_id(), a_moment()));
        }
    }
    let every = EventType::SUBSCRIBABLE.iter().copied().chain([EventType::Ping]);
    events.extend(every.filter_map(an_event));
    for event in events {
        let delivery = DeliveryId::from(Uuid::from_u128(1));
        let body = event.body(delivery, WorkspaceId::from(Uuid::from_u128(2)));
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(contract.faults(event.kind.as_str(), &body), Vec::<String>::new(), "{body}");
    }
}
