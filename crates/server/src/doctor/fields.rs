//! Names of fields and permissions that the network lists.

use serde_json::Value;

/// Returns names of fields, which the network lists by name or as objects that have one.
pub(super) fn field_names(fields: Option<&Value>) -> Vec<&str> {
    let fields = fields.and_then(Value::as_array).into_iter().flatten();
    fields.filter_map(|field| field.as_str().or_else(|| field.get("name")?.as_str())).collect()
}

/// Checks that all wanted names are held.
pub(super) fn check_all_held(held: &[&str], wanted: &[&str]) -> Result<(), String> {
    let missing: Vec<&str> = wanted.iter().filter(|name| !held.contains(name)).copied().collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("it lacks {}", missing.join(", "))) }
}
