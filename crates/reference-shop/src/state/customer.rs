//! A customer, and those who are known from the start.

use serde_json::{Map, Value, json};

#[derive(Debug, Clone)]
pub(crate) struct Customer {
    pub(crate) id: u64,
    pub(crate) phone: String,
    pub(crate) name: String,
    pub(crate) fields: Map<String, Value>,
}

impl Customer {
    /// Renders the record as the contract shows it.
    pub(crate) fn shown(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "fields": self.fields })
    }
}

/// Returns the customers who are known as the shop opens.
pub(crate) fn opening() -> Vec<Customer> {
    let customer = |id, phone: &str, name: &str, fields: Value| Customer {
        id,
        phone: phone.to_owned(),
        name: name.to_owned(),
        fields: fields.as_object().cloned().unwrap_or_default(),
    };
    vec![
        customer(
            1,
            "+9647701234567",
            "سارة",
            json!({ "نقاط الولاء": 340, "الرصيد": "25,000 د.ع", "زبون ذهبي": true, "آخر زيارة": "2026-11-10" }),
        ),
        customer(2, "+9647801112233", "علي", json!({ "نقاط الولاء": 15, "دين": "12,500 د.ع", "كوبون": null })),
        customer(3, "+9647509998877", "زينب", json!({})),
    ]
}
