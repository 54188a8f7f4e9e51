//! The document against the routes, the committed file, its own examples, and what the domain writes.

use domain::{
    ids::{DeliveryId, WorkspaceId},
    messages::{DeliveryStatus, MessageMeta, TemplateRef},
    testing::{
        a_contact, a_message, a_moment, a_network_message_id, a_sent_code, a_sent_message, a_status, an_event,
    },
    webhooks::{Customer, Event, EventType},
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
        for method in endpoint.allowed().split(", ") {
            registered.push((method.to_owned(), format!("/v1{}", endpoint.path())));
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

/// Every example beside the schema it stands for, with where it is.
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
    for code in RefusalCode::ALL {
        assert!(routes.contains(&format!("/schemas/{code:?}Problem")), "{code:?}");
    }
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
