//! What tools' results say.

use serde_json::Value;

pub(super) fn failed(result: &Value) -> bool {
    result.get("error").is_some()
}

/// Returns a text of a result; empty if there is none.
pub(super) fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of.get(field).and_then(Value::as_str).unwrap_or_default()
}
