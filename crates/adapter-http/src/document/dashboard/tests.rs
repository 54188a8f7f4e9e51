//! The document against the table of routes and the committed file.

use serde_json::Value;

use super::dashboard_openapi;
use crate::{dashboard, document::tests::contract::Contract, problem::DashboardCode};

#[test]
fn every_route_is_documented_and_nothing_else() {
    let mut registered = Vec::new();
    for guarded in dashboard::api() {
        for (method, _) in guarded.needs() {
            registered.push((method.to_string(), format!("{}{}", dashboard::PREFIX, guarded.path())));
        }
    }
    let mut documented = Contract::new(dashboard_openapi()).routes();
    registered.sort();
    documented.sort();
    assert_eq!(registered, documented);
}

#[test]
fn every_operation_says_who_may_ask() {
    let document: Value = serde_json::from_str(dashboard_openapi()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let needs = operation["x-needs"].as_str().unwrap_or_default();
            assert!(["anyone", "member", "owner"].contains(&needs), "{method} {path}");
            let security = operation["security"].as_array().unwrap();
            assert_eq!(security.is_empty(), needs == "anyone", "{method} {path}");
        }
    }
}

#[test]
fn every_code_is_an_answer_of_some_route() {
    let document: Value = serde_json::from_str(dashboard_openapi()).unwrap();
    let (routes, shared) = (document["paths"].to_string(), document["components"]["responses"].to_string());
    // The network's sign-up leads back to a page, and a page alone refuses a second address at one URL.
    let of_pages_alone =
        [DashboardCode::SignUpNotBegun, DashboardCode::SignUpDenied, DashboardCode::WebhookExists];
    for code in DashboardCode::ALL {
        let word = format!("`{}`", code.as_str());
        let is_told = routes.contains(&word) || shared.contains(&word);
        assert_ne!(is_told, of_pages_alone.contains(code), "{code:?}");
    }
}

#[test]
fn the_committed_document_is_the_one_that_is_served() {
    let committed = include_str!("../../../../../docs/dashboard-openapi.json");
    assert!(
        committed == dashboard_openapi(),
        "docs/dashboard-openapi.json is stale: `cargo xtask openapi` writes it"
    );
}
