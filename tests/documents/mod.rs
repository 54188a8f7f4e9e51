//! What the document says that a request may hold, against what the service parses.
//!
//! Every object of every documented body is sent with one field too many, at its real route. The refusal
//! lists the fields that the service knows there, and that list is the document's: no field can have another
//! name in one of the two, however either was made. As everything else in the body was parsed before that
//! field, its types are right, too.

mod bodies;

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use self::bodies::{Spot, bodies_of, spots_of};
use crate::support::{Answer, World};

/// Sorts behind every field there is, so that the others are read before it.
const ONE_TOO_MANY: &str = "zzzUnknown";

/// Every documented body of JSON: its method, its path with ids filled in, and its schema.
fn operations(document: &Value) -> Vec<(Method, String, Value)> {
    let id = "0192f0c1-7a00-7000-8000-000000000001";
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let filled: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { id } else { part }).collect();
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if schema.is_object() {
                let method = method.to_uppercase().parse().unwrap();
                operations.push((method, filled.join("/"), schema.clone()));
            }
        }
    }
    operations
}

/// Names that some fields had at first, which are taken as well.
const FIRST_NAMES: [&str; 3] = ["contacts", "group", "list"];

/// The names in backquotes behind `expected`, which is where serde lists what it knows.
fn known(message: &str) -> BTreeSet<String> {
    let Some((_, listed)) = message.split_once("expected") else { return BTreeSet::new() };
    let listed = listed.split(" at line").next().unwrap_or_default();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

async fn assert_reads(ask: impl AsyncFn(&Value) -> Answer, body: &Value, spot: &Spot, about: &str) {
    let mut sent = body.clone();
    sent.pointer_mut(&spot.pointer).unwrap()[ONE_TOO_MANY] = json!(1);
    let answer = ask(&sent).await;
    answer.assert_error(400, about);
    let message = answer.text("/message");
    assert!(message.contains(&format!("unknown field `{ONE_TOO_MANY}`")), "{about}: {message}: {sent}");
    let mut known = known(message);
    known.retain(|name| spot.fields.contains(name) || !FIRST_NAMES.contains(&name.as_str()));
    assert_eq!(known, spot.fields, "{about}{}: {message}", spot.pointer);
}

#[tokio::test]
async fn every_field_of_a_body_is_documented_as_it_is_read() {
    let world = World::new().await;
    let mut spots = 0;
    let document: Value = serde_json::from_str(adapter_http::openapi()).unwrap();
    for (method, path, schema) in operations(&document) {
        let about = format!("{method} {path}");
        let ask =
            async |body: &Value| Answer::to(world.api().request(method.clone(), &path).json(body)).await;
        for body in bodies_of(&document, &schema) {
            for spot in spots_of(&document, &schema, &body) {
                assert_reads(&ask, &body, &spot, &about).await;
                spots += 1;
            }
        }
    }
    assert!(spots > 3, "{spots}");
}
