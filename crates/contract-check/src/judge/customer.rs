//! Customers' records.

use serde_json::{Map, Value};

use super::{Judged, NamedObject, is_id};

/// Longest field in characters, and most fields.
const LONGEST: usize = 300;
const MOST: usize = 30;

pub(crate) fn record(object: &Map<String, Value>) -> Judged {
    let named = NamedObject { object, name: "customer" };
    let mut judged = Judged::default();
    judged.see("customer.id", named.may_have("id", "text or a number", is_id));
    judged.see("customer.name", named.may_have("name", "a text", Value::is_string));
    judged.see("customer.fields", named.may_have("fields", "an object", Value::is_object));
    let Some(fields) = named.get("fields").and_then(Value::as_object) else { return judged };
    let count = fields.len();
    let few = if count <= MOST { Ok(()) } else { Err(format!("there are {count} fields")) };
    judged.see("customer.field_count", few);
    for value in fields.values() {
        let nested = value.is_object() || value.is_array();
        let wrong = || Err("a field's value is an object or a list".to_owned());
        judged.see("customer.field_values", if nested { wrong() } else { Ok(()) });
        let long = value.as_str().map_or(0, |text| text.chars().count());
        let short = if long <= LONGEST { Ok(()) } else { Err(format!("a field has {long} characters")) };
        judged.see("customer.field_length", short);
    }
    judged
}
