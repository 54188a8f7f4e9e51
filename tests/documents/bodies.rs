//! Bodies made from their schemas, and where in them objects with fixed fields stand.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// An object with fixed fields in a body.
pub(super) struct Spot {
    /// Position of the object, as a JSON pointer.
    pub(super) pointer: String,
    /// Fields that it may have, except those that tell its kind.
    pub(super) fields: BTreeSet<String>,
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(pointer) => document.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// Lists the alternatives of a schema, null left out.
fn choices<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let several = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let several = several.into_iter().flatten().filter(|one| one["type"] != "null");
    several.map(|one| resolved(document, one)).collect()
}

/// One body of each kind, with every field that it may hold.
pub(super) fn bodies_of(document: &Value, schema: &Value) -> Vec<Value> {
    let schema = resolved(document, schema);
    let several = choices(document, schema);
    if !several.is_empty() {
        return several.into_iter().flat_map(|one| bodies_of(document, one)).collect();
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let merged = parts.iter().filter_map(|part| bodies_of(document, part).into_iter().next());
        let merged = merged.flat_map(|part| part.as_object().cloned().unwrap_or_default());
        return vec![Value::Object(merged.collect())];
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        one => vec![one.clone()],
    };
    if let Some(fixed) = schema.get("const").or(schema["enum"].get(0)) {
        return vec![fixed.clone()];
    }
    match kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null") {
        Some("object") => objects_of(document, schema),
        Some("array") => match schema.get("example") {
            Some(shown) => vec![shown.clone()],
            None => bodies_of(document, &schema["items"]).into_iter().map(|item| json!([item])).collect(),
        },
        Some("integer" | "number") => vec![schema.get("minimum").cloned().unwrap_or(json!(1))],
        Some("boolean") => vec![json!(true)],
        _ => vec![text_of(schema)],
    }
}

fn text_of(schema: &Value) -> Value {
    let shown = schema.get("example").or(schema["examples"].get(0));
    let made = match schema["format"].as_str() {
        Some("uuid") => "0192f0c1-7a00-7000-8000-000000000001",
        Some("date-time") => "2026-11-21T10:00:00Z",
        _ => "text",
    };
    shown.filter(|shown| shown.is_string()).cloned().unwrap_or_else(|| json!(made))
}

/// Builds as many objects as the field with most kinds has, so that each kind of each field is in one of
/// them.
fn objects_of(document: &Value, schema: &Value) -> Vec<Value> {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let kinds = |name: &str, schema: &Value| {
        // Pairs of times, which a schema cannot say.
        let of_day = name.ends_with("day").then(|| vec![json!([["09:00", "17:00"]])]);
        of_day.unwrap_or_else(|| bodies_of(document, schema))
    };
    let fields: Vec<_> =
        properties.iter().map(|(name, schema)| (name.clone(), kinds(name, schema))).collect();
    let most = fields.iter().map(|(_, kinds)| kinds.len()).max().unwrap_or(1);
    let object = |nth: usize| {
        let of = |(name, kinds): &(String, Vec<Value>)| (name.clone(), kinds[nth % kinds.len()].clone());
        Value::Object(fields.iter().map(of).collect())
    };
    (0..most).map(object).collect()
}

/// Where in a body the schema's objects with fixed fields stand.
pub(super) fn spots_of(document: &Value, schema: &Value, body: &Value) -> Vec<Spot> {
    let mut spots = Vec::new();
    find(document, schema, body, "", &mut spots);
    spots
}

fn find(document: &Value, schema: &Value, body: &Value, pointer: &str, spots: &mut Vec<Spot>) {
    let schema = resolved(document, schema);
    let several = choices(document, schema);
    if !several.is_empty() {
        // The one that this body was made from: all its fields, and what tells its kind.
        let made =
            several.into_iter().find(|one| bodies_of(document, one).iter().any(|made| like(made, body)));
        return find(document, made.unwrap_or(&Value::Null), body, pointer, spots);
    }
    match body {
        Value::Object(object) => {
            let Some(properties) = schema["properties"].as_object() else { return };
            let tells_kind = |schema: &Value| schema["enum"].as_array().is_some_and(|words| words.len() == 1);
            let fields =
                properties.iter().filter(|(_, schema)| !tells_kind(schema)).map(|(name, _)| name.clone());
            spots.push(Spot { pointer: pointer.to_owned(), fields: fields.collect() });
            for (name, value) in object {
                find(document, &properties[name], value, &format!("{pointer}/{name}"), spots);
            }
        }
        Value::Array(items) => {
            for (nth, item) in items.iter().enumerate() {
                find(document, &schema["items"], item, &format!("{pointer}/{nth}"), spots);
            }
        }
        _ => {}
    }
}

/// Returns whether two values have the same shape, and the same word in fields that tell the kind.
fn like(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.keys().all(|key| other.contains_key(key))
                && one.get("do") == other.get("do")
        }
        (Value::Array(_), Value::Array(_)) => true,
        (one, other) => one == other,
    }
}
