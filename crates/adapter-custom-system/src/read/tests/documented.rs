//! What is required of an answer, and of which kinds it may be, is what the contract's document says.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Case, cases};

const DOCUMENT: &str = include_str!("../../../../../docs/custom-system-openapi.json");

/// The schema of each of [`cases`].
const SCHEMAS: [&str; 9] = [
    "Introduction",
    "Product",
    "Variant",
    "LookedUpOrder",
    "OrderLine",
    "CustomerRecord",
    "CustomerReference",
    "Slot",
    "Appointment",
];

/// A schema with all that it is made of: its properties, and which of them are required.
fn described(document: &Value, schema: &Value) -> (serde_json::Map<String, Value>, BTreeSet<String>) {
    let (mut properties, mut required) = (serde_json::Map::new(), BTreeSet::new());
    let schema = resolved(document, schema);
    let parts = schema["allOf"].as_array().into_iter().flatten().map(|part| described(document, part));
    for (named, needed) in parts {
        properties.extend(named);
        required.extend(needed);
    }
    properties.extend(schema["properties"].as_object().cloned().unwrap_or_default());
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required.extend(names.map(str::to_owned));
    (properties, required)
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(pointer) => document.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// The kinds of JSON that a schema allows, as [`super::KINDS`] calls them.
fn kinds(schema: &Value) -> BTreeSet<&str> {
    let one = schema["type"].as_str();
    let several = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let told = several.chain(one).map(|kind| match kind {
        "boolean" => "bool",
        "integer" => "number",
        kind => kind,
    });
    told.collect()
}

/// Returns whether an answer may lack the field: any that may be null, except an order's phone.
fn may_lack(field: &str, kinds: &[&str]) -> bool {
    kinds.contains(&"null") && field != "customerPhone"
}

#[test]
fn what_is_required_and_of_which_kind_is_what_the_document_says() {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    assert_eq!(cases().len(), SCHEMAS.len());
    for (Case { fields, answer, .. }, name) in cases().iter().zip(SCHEMAS) {
        let schema = &document["components"]["schemas"][name];
        let (properties, required) = described(&document, schema);
        let read: BTreeSet<&str> = fields.iter().map(|(field, ..)| *field).collect();
        let described: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
        assert_eq!(described, read, "{name}: {answer}");
        let needed: BTreeSet<String> = fields
            .iter()
            .filter(|(field, kinds, _)| !may_lack(field, kinds))
            .map(|(field, ..)| (*field).to_owned())
            .collect();
        assert_eq!(required, needed, "{name}");
        for (field, read, _) in *fields {
            let documented = kinds(resolved(&document, &properties[*field]));
            assert!(!documented.is_empty(), "{name}.{field}");
            assert!(
                documented.iter().all(|kind| read.contains(kind)),
                "{name}.{field}: {documented:?}, {read:?}"
            );
        }
    }
}
