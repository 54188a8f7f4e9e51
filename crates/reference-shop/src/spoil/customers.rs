//! Faults of customer records.

use serde_json::{Map, Value, json};

use super::fields::set;
use crate::faults::Fault;

pub(super) fn record(strikes: &impl Fn(Fault) -> bool, body: &mut Value) {
    let Some(customer) = body.get_mut("customer").and_then(Value::as_object_mut) else { return };
    set(strikes, customer, Fault::CustomerNameAsObject, "name", json!({ "first": "سارة" }));
    set(strikes, customer, Fault::FieldsAsList, "fields", json!([["نقاط", 5]]));
    if let Some(fields) = customer.get_mut("fields").and_then(Value::as_object_mut) {
        values(strikes, fields);
    }
}

fn values(strikes: &impl Fn(Fault) -> bool, fields: &mut Map<String, Value>) {
    set(strikes, fields, Fault::FieldsTooLong, "ملاحظات", json!("م".repeat(301)));
    set(strikes, fields, Fault::FieldValuesNested, "نقاط", json!({ "اليوم": 5, "أمس": 7 }));
    if strikes(Fault::MoreThan30Fields) {
        fields.extend((1..=31).map(|number| (format!("حقل {number}"), json!(number))));
    }
}
