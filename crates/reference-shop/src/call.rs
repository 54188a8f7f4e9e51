//! A request to the contract.

use serde_json::Value;

use crate::route::Route;

/// A request to one of the routes.
pub(crate) struct Call {
    pub(crate) route: Route,
    /// Text in the path for `{id}` or `{reference}`.
    pub(crate) reference: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Call {
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns a text of the body; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.body.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}
