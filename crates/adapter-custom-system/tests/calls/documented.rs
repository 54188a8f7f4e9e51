//! What is asked of a system is what the contract's document says.

use std::collections::BTreeSet;

use domain::systems::Route;
use serde_json::{Value, json};

use crate::{
    server::{Seen, Server},
    support::{ask, call, client, good},
};

const DOCUMENT: &str = include_str!("../../../../docs/custom-system-openapi.json");

/// Returns the place of the route in the document.
fn documented(document: &Value, route: Route) -> (&'static str, &Value) {
    let (method, path) = route.template().split_once(' ').unwrap();
    let operation = &document["paths"][path][method.to_lowercase()];
    assert!(operation.is_object(), "{method} {path}");
    (method, operation)
}

/// The parameters of a place: those that have to be there, and all.
fn parameters(document: &Value, operation: &Value, place: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let all = operation["parameters"].as_array().unwrap().iter().map(|parameter| {
        match parameter["$ref"].as_str() {
            Some(pointer) => document.pointer(pointer.trim_start_matches('#')).unwrap(),
            None => parameter,
        }
    });
    let named = all.filter(|parameter| parameter["in"] == place);
    let (mut required, mut known) = (BTreeSet::new(), BTreeSet::new());
    for parameter in named {
        let name = parameter["name"].as_str().unwrap().to_lowercase();
        known.insert(name.clone());
        if parameter["required"] == true {
            required.insert(name);
        }
    }
    (required, known)
}

fn assert_between(
    sent: &BTreeSet<String>,
    (required, known): &(BTreeSet<String>, BTreeSet<String>),
    about: &str,
) {
    assert!(required.is_subset(sent), "{about}: {required:?} of {sent:?}");
    assert!(sent.is_subset(known), "{about}: {sent:?} of {known:?}");
}

fn assert_is_documented(document: &Value, route: Route, sent: &Seen) {
    let about = route.template();
    let (method, operation) = documented(document, route);
    assert_eq!(sent.method, method, "{about}");
    let query = sent.target.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('&').filter(|pair| !pair.is_empty());
    let query = query.map(|pair| pair.split('=').next().unwrap().to_owned()).collect();
    assert_between(&query, &parameters(document, operation, "query"), about);
    // Beside HTTP's own headers, and what the document has as the secret and as types of bodies.
    let own = [
        "host",
        "user-agent",
        "authorization",
        "accept",
        "accept-encoding",
        "content-type",
        "content-length",
    ];
    let headers =
        sent.headers.iter().map(|(name, _)| name.clone()).filter(|name| !own.contains(&name.as_str()));
    assert_between(&headers.collect(), &parameters(document, operation, "header"), about);
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(schema.is_null(), sent.body.is_empty(), "{about}");
    if !schema.is_null() {
        let whole = json!({ "allOf": [schema], "components": document["components"] });
        let validator =
            jsonschema::draft202012::options().should_validate_formats(true).build(&whole).unwrap();
        let body: Value = serde_json::from_str(&sent.body).unwrap();
        let faults: Vec<String> = validator.iter_errors(&body).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new(), "{about}: {body}");
        assert_eq!(sent.header("content-type"), Some("application/json"), "{about}");
    }
}

#[tokio::test]
async fn every_call_is_as_documented() {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    for route in Route::ALL {
        let server = Server::answering(200, good(route)).await;
        ask(&client(), &call(server.port), route).await.unwrap();
        let seen = server.seen();
        assert_eq!(seen.len(), 1, "{}", route.template());
        assert_is_documented(&document, route, &seen[0]);
    }
    let operations =
        document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len());
    assert_eq!(operations.sum::<usize>(), Route::ALL.len());
}
