//! Fields of what the network lists.

use serde_json::Value;

/// Returns a text without U+0000, which the store refuses.
pub(super) fn text(holder: &Value, name: &str) -> Option<String> {
    Some(holder.get(name)?.as_str()?.replace('\0', ""))
}

/// Returns a name in upper case; the network writes it in either case.
pub(super) fn upper(holder: &Value, name: &str) -> Option<String> {
    Some(text(holder, name)?.to_ascii_uppercase())
}
