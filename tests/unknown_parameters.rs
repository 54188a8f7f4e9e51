//! A query parameter that a route does not know is refused, on every route that its document lists.

use reqwest::Method;
use serde_json::Value;

use crate::support::{Answer, Browser, World};

/// Every operation of a document: method, path with places filled, and the parameters that its query may
/// name.
fn operations(document: &str) -> Vec<(Method, String, Vec<String>)> {
    let document: Value = serde_json::from_str(document).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let id = "0192f0c1-7a00-7000-8000-000000000001";
        let filled: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { id } else { part }).collect();
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let known = parameters.iter().filter(|parameter| parameter["in"] == "query");
            let known = known.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect();
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            operations.push((method, filled.join("/"), known));
        }
    }
    operations
}

#[track_caller]
fn assert_named(answer: &Answer, given: &str, known: &[String], about: &str) {
    answer.assert_error(400, about);
    let said = answer.text("/message");
    assert!(said.contains(&format!("unknown query parameter `{given}`")), "{about}: {said}");
    for name in known {
        assert!(said.contains(&format!("`{name}`")), "{about}: {said}");
    }
}

#[tokio::test]
async fn no_route_passes_over_a_parameter_that_it_does_not_know() {
    let world = World::new().await;
    let owner = Browser::joined(
        world.service.base_url(),
        &world.secrets,
        &world.workspace,
        "o@palm.example",
        "owner",
    );
    let owner = owner.await;
    let mut with_parameters = 0;
    for (method, path, known) in operations(adapter_http::openapi()) {
        let about = format!("{method} {path}");
        let asked = world.api().request(method.clone(), &format!("{path}?phon=1")).body("{");
        assert_named(&Answer::to(asked).await, "phon", &known, &about);
        with_parameters += usize::from(!known.is_empty());
    }
    for (method, path, known) in operations(adapter_http::dashboard_openapi()) {
        let about = format!("{method} {path}");
        let path = path.strip_prefix("/dashboard/api").unwrap();
        let asked = owner.request(method.clone(), &format!("{path}?contact_id=1")).body("{");
        assert_named(&Answer::to(asked).await, "contact_id", &known, &about);
        with_parameters += usize::from(!known.is_empty());
    }
    assert!(with_parameters > 8, "{with_parameters}");
}

#[tokio::test]
async fn a_slip_in_a_filter_is_told_with_the_name_that_was_meant() {
    let world = World::new().await;
    for (asked, given, meant) in [
        ("/v1/contacts?phon=07701234567", "phon", "phone"),
        ("/v1/contacts?Search=x", "Search", "search"),
        ("/v1/conversations?contact_id=1", "contact_id", "contactId"),
        ("/v1/conversations?status=open&sinse=2026-11-21", "sinse", "since"),
        ("/v1/templates?categroy=UTILITY", "categroy", "category"),
    ] {
        let answer = world.api().get(asked).await;
        answer.assert_error(400, asked);
        let said = answer.text("/message");
        let words = format!("unknown query parameter `{given}`: the nearest known one is `{meant}`");
        assert!(said.starts_with(&words), "{asked}: {said}");
    }
    // What the key may not ask is refused as that, before its query is looked at.
    let writer = world.api_with(&["contacts:write"]);
    assert_eq!(writer.get("/v1/contacts?phon=1").await.status, 403);
    assert_eq!(world.api().get("/v1/contacts?phone=07701234567").await.status, 200);
}
