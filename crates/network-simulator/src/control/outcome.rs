//! How outcomes of posts are shown.

use serde_json::{Value, json};

use crate::posts::Outcome;

/// Renders the outcome of the first attempt; `null` if nobody was to get the webhook.
pub(super) fn shown(outcome: Outcome) -> Value {
    match outcome {
        None => Value::Null,
        Some(Ok(status)) => json!({ "status": status }),
        Some(Err(error)) => json!({ "error": error }),
    }
}
