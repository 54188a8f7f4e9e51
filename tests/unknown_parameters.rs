//! A query parameter or a field that a route does not know is refused, on every route that the API's document
//! or the dashboard's table lists.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, World};

/// Fills the places of a path.
fn filled(path: &str) -> String {
    let id = "0192f0c1-7a00-7000-8000-000000000001";
    let filled: Vec<&str> =
        path.split('/').map(|part| if part.starts_with('{') { id } else { part }).collect();
    filled.join("/")
}

/// Every operation of the API: method, path with places filled, and the parameters that its query may name.
fn operations() -> Vec<(Method, String, Vec<String>)> {
    let document: Value = serde_json::from_str(adapter_http::openapi()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let known = parameters.iter().filter(|parameter| parameter["in"] == "query");
            let known = known.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect();
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            operations.push((method, filled(path), known));
        }
    }
    operations
}

/// Every operation of the dashboard: method, path below its API, and the parameters that its query may name.
fn operations_of_dashboard() -> Vec<(Method, String, Vec<String>)> {
    let routes = adapter_http::dashboard_operations().into_iter();
    let of = |route: adapter_http::Route| {
        let path = route.path.strip_prefix("/dashboard/api").unwrap();
        let known = route.query.iter().map(|name| (*name).to_owned()).collect();
        (Method::from_bytes(route.method.as_bytes()).unwrap(), path.to_owned(), known)
    };
    routes.map(of).collect()
}

async fn owner_of(world: &World) -> Browser {
    let base_url = world.service.base_url();
    Browser::joined(base_url, &world.secrets, &world.workspace, "o@palm.example", "owner").await
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
    let owner = owner_of(&world).await;
    let mut with_parameters = 0;
    for (method, path, known) in operations() {
        let about = format!("{method} {path}");
        let asked = world.api().request(method.clone(), &format!("{path}?phon=1")).body("{");
        assert_named(&Answer::to(asked).await, "phon", &known, &about);
        with_parameters += usize::from(!known.is_empty());
    }
    for (method, path, known) in operations_of_dashboard() {
        let about = format!("{method} {path}");
        let asked = owner.request(method.clone(), &format!("{}?contact_id=1", filled(&path))).body("{");
        assert_named(&Answer::to(asked).await, "contact_id", &known, &about);
        with_parameters += usize::from(!known.is_empty());
    }
    assert!(with_parameters > 8, "{with_parameters}");
}

/// Changes of the dashboard that take no JSON: a file, or nothing.
const WITHOUT_JSON: [(&str, &str); 17] = [
    ("POST", "/accounts/{id}/sync"),
    ("POST", "/assistant/documents"),
    ("PUT", "/assistant/documents/{id}"),
    ("POST", "/assistant/rehearsals/{id}/stop"),
    ("POST", "/attachments"),
    ("POST", "/broadcast-lists"),
    ("POST", "/broadcasts/{id}/cancel"),
    ("POST", "/broadcasts/{id}/pause"),
    ("POST", "/broadcasts/{id}/resume"),
    ("POST", "/contact-imports"),
    ("POST", "/deliveries/{id}/resend"),
    ("PUT", "/groups/{id}/members/{memberId}"),
    ("POST", "/sign-out"),
    ("POST", "/system/verify"),
    ("POST", "/webhooks/{id}/pause"),
    ("POST", "/webhooks/{id}/ping"),
    ("POST", "/webhooks/{id}/resume"),
];

/// Bodies that tell their kind, without which no field is known or unknown.
fn kind_of(path: &str) -> Value {
    match path {
        "/conversations/{id}/moves" => json!({ "do": "close" }),
        "/conversations/{id}/drafts" => json!({ "kind": "cancellation" }),
        _ => json!({}),
    }
}

#[tokio::test]
async fn no_change_of_the_dashboard_passes_over_a_field_that_it_does_not_know() {
    let world = World::new().await;
    let owner = owner_of(&world).await;
    for (method, path, _) in operations_of_dashboard() {
        let has_json = !matches!(method, Method::GET | Method::DELETE);
        if !has_json || WITHOUT_JSON.contains(&(method.as_str(), &path)) {
            continue;
        }
        let mut body = kind_of(&path);
        body["unknownField"] = json!(1);
        let answer = Answer::to(owner.request(method.clone(), &filled(&path)).json(&body)).await;
        let about = format!("{method} {path}");
        answer.assert_error(400, &about);
        assert!(answer.text("/message").contains("unknown field `unknownField`"), "{about}: {answer:?}");
    }
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
