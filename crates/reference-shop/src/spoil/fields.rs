//! Changing the fields of an answer.

use serde_json::{Map, Value};

use crate::faults::Fault;

/// Sets a field to another value if the fault is active.
pub(super) fn set(
    strikes: &impl Fn(Fault) -> bool,
    object: &mut Map<String, Value>,
    fault: Fault,
    field: &str,
    value: Value,
) {
    if strikes(fault) {
        object.insert(field.to_owned(), value);
    }
}

/// Removes a field if the fault is active.
pub(super) fn unset(
    strikes: &impl Fn(Fault) -> bool,
    object: &mut Map<String, Value>,
    fault: Fault,
    field: &str,
) {
    if strikes(fault) {
        object.remove(field);
    }
}

/// Returns the objects of a list; none if there is no list.
pub(super) fn objects<'a>(body: &'a mut Value, list: &str) -> Vec<&'a mut Map<String, Value>> {
    let found = body.get_mut(list).and_then(Value::as_array_mut);
    found.into_iter().flatten().filter_map(Value::as_object_mut).collect()
}
