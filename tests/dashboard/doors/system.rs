//! What another workspace's owner gets of a workspace's own system. Each has one at most, without an id in
//! the path: `dashboard/system.rs` asks where ours is connected, and `systems` what is looked up there.

use reqwest::Method;
use serde_json::{Value, json};

use super::asking;
use crate::support::Browser;

/// Probes all operations; one without a case fails by its name.
pub(super) async fn probe(neighbour: &Browser, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    let shows = async |shown: Value| {
        let answer = ask(path, json!({})).await;
        assert_eq!((answer.status, answer.body), (200, shown), "{path}");
    };
    let refused = match (method.as_str(), path) {
        ("GET", "/system/calls") => return shows(json!({ "rows": [], "nextCursor": null })).await,
        ("GET" | "DELETE", "/system") | ("POST", "/system/verify") => path.to_owned(),
        ("GET", "/system/products") => format!("{path}?q=milk"),
        ("GET", "/system/products/{id}") => path.replace("{id}", "1"),
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    };
    ask(&refused, json!({})).await.assert_refused(404, "no_system", &json!({}), path);
}
