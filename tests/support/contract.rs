//! The API's document, held against what is really answered and delivered.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Prefix of a schema's references to others.
const BY_NAME: &str = "#/components/schemas/";

/// The document, closed: a field that it does not name is a fault here, though callers shall ignore it.
pub(crate) struct Contract {
    document: Value,
    /// Validators by the text of their schema: building one takes longer than most calls do.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Contract {
    pub(crate) fn new(document: &str) -> Self {
        let mut document: Value = serde_json::from_str(document).expect("the document is JSON");
        close(&mut document["components"]["schemas"]);
        close(&mut document["webhooks"]);
        Self { document, validators: Mutex::default() }
    }

    /// Every route: method and path, as `GET /v1/contacts/{id}`.
    pub(crate) fn routes(&self) -> Vec<(String, String)> {
        let paths = self.document["paths"].as_object().expect("paths");
        let methods = |item: &Value| {
            let methods = item.as_object().expect("a path item").keys();
            methods.map(|method| method.to_uppercase()).collect::<Vec<_>>()
        };
        let routes = paths
            .iter()
            .flat_map(|(path, item)| methods(item).into_iter().map(|method| (method, path.clone())));
        let mut routes: Vec<(String, String)> = routes.collect();
        routes.sort_unstable_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
        routes
    }

    /// What is wrong with a body; nothing, if it is as documented. `what` is an answer, as
    /// `POST /v1/messages/template 201`, or an event, as `message.sent`.
    pub(crate) fn faults(&self, what: &str, body: &Value) -> Vec<String> {
        let content = match what.split(' ').collect::<Vec<_>>()[..] {
            [event] => self.document["webhooks"][event]["post"].get("requestBody"),
            [method, path, status] => self.response(method, path, status),
            _ => None,
        };
        match content {
            Some(content) => self.mismatches(&content["content"]["application/json"]["schema"], body),
            None => vec![format!("{what} is not documented")],
        }
    }

    /// What is wrong with a value of this schema.
    pub(crate) fn mismatches(&self, schema: &Value, value: &Value) -> Vec<String> {
        if schema.is_null() {
            return vec![format!("there is no schema for {value}")];
        }
        let validator = self.validator(schema);
        let told = |fault: jsonschema::ValidationError<'_>| format!("{}: {fault}", fault.instance_path());
        validator.iter_errors(value).map(told).collect()
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let text = schema.to_string();
        let made = self.validators.lock().expect("nobody panics while holding it").get(&text).cloned();
        if let Some(made) = made {
            return made;
        }
        // Made while others go on. Two that need it at the same time make the same.
        let whole = json!({ "allOf": [schema], "components": { "schemas": self.named(schema) } });
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&whole)
            .expect("the document's schemas are JSON Schema");
        let validator = Arc::new(validator);
        self.validators.lock().expect("nobody panics while holding it").insert(text, Arc::clone(&validator));
        validator
    }

    /// The document's schemas that this one names, and those that they name in turn.
    fn named(&self, schema: &Value) -> Map<String, Value> {
        let schemas = &self.document["components"]["schemas"];
        let mut named = Map::new();
        let mut unread = vec![schema];
        while let Some(value) = unread.pop() {
            match value {
                Value::Object(object) => {
                    let name =
                        object.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix(BY_NAME));
                    if let Some(name) = name
                        && let Some(schema) = schemas.get(name)
                        && named.insert(name.to_owned(), schema.clone()).is_none()
                    {
                        unread.push(schema);
                    }
                    unread.extend(object.values());
                }
                Value::Array(values) => unread.extend(values),
                _ => {}
            }
        }
        named
    }

    fn response(&self, method: &str, path: &str, status: &str) -> Option<&Value> {
        let shared = &self.document["components"]["responses"];
        let path = path.split('?').next().unwrap_or_default();
        let operation = self.path_item(path).and_then(|item| item.get(method.to_lowercase()));
        let response = match (operation, status) {
            (Some(operation), _) => operation["responses"].get(status)?,
            (None, "401") => &shared["Unauthorized"],
            // Both are in the one shape.
            (None, "404" | "405") => &shared["NotFound"],
            (None, "429") => &shared["TooManyRequests"],
            (None, _) => return None,
        };
        match response["$ref"].as_str() {
            Some(pointer) => self.document.pointer(pointer.trim_start_matches('#')),
            None => Some(response),
        }
    }

    fn path_item(&self, path: &str) -> Option<&Value> {
        let fits = |template: &str| {
            let (wanted, given) = (template.split('/'), path.split('/'));
            wanted.clone().count() == given.clone().count()
                && wanted.zip(given).all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
        };
        let paths = self.document["paths"].as_object()?;
        // A path without places wins over one with: `/v1/messages/template` over `/v1/messages/{id}`.
        paths.get(path).or_else(|| paths.iter().find(|(template, _)| fits(template)).map(|(_, item)| item))
    }
}

/// Lets every object have only the properties that are described.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("properties").is_some_and(Value::is_object)
                && object.get("type") == Some(&json!("object"))
            {
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn a_schema_holds_for_what_others_name_by_it_each_time_it_is_asked() {
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let named = |name: &str| json!({ "$ref": format!("{BY_NAME}{name}") });
    let contract = Contract::new(
        &json!({ "components": { "schemas": {
            "Outer": object(json!({ "inner": { "type": "array", "items": named("Inner") } })),
            "Inner": object(json!({ "outer": named("Outer"), "name": { "type": "string" } })),
            "Other": { "type": "null" },
        } } })
        .to_string(),
    );
    let outer = named("Outer");
    let nested = |name: Value| json!({ "inner": [{ "outer": { "inner": [{ "name": name }] } }] });
    for _ in 0..2 {
        assert_eq!(contract.mismatches(&outer, &nested(json!("n"))), Vec::<String>::new());
        let told = contract.mismatches(&outer, &nested(json!(1)));
        assert!(told.len() == 1 && told[0].starts_with("/inner/0/outer/inner/0/name: "), "{told:?}");
        // Closed, and each schema for itself.
        assert_eq!(contract.mismatches(&outer, &json!({ "other": 1 })).len(), 1);
        assert_eq!(contract.mismatches(&named("Other"), &json!({})).len(), 1);
    }
}
