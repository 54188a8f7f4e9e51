//! Customers by their phone, and leads.

use serde_json::{Map, Value, json};

use super::{Refused, State};

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

impl State {
    pub(crate) fn customer(&self, phone: &str) -> Option<&Customer> {
        self.customers.iter().find(|customer| customer.phone == phone)
    }

    /// Creates a record from a lead, or updates the existing one. `another` is the fault that always creates
    /// one.
    pub(crate) fn keep_lead(&mut self, lead: &Value, another: bool) -> Result<u64, Refused> {
        let text = |name: &str| lead.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let (name, phone) = (text("name"), text("phone"));
        if phone.is_empty() {
            return Err(Refused::Invalid("phone is missing".to_owned()));
        }
        self.leads.push(lead.clone());
        if let Some(known) = self.customers.iter_mut().find(|customer| customer.phone == phone && !another) {
            if !name.is_empty() {
                known.name = name;
            }
            return Ok(known.id);
        }
        let id = u64::try_from(self.customers.len()).unwrap_or_default() + 1;
        self.customers.push(Customer { id, phone, name, fields: Map::new() });
        Ok(id)
    }
}
