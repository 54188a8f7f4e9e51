//! Customers by their phone, and leads.

use serde_json::{Map, Value};

use super::State;
use super::customer::Customer;
use super::refused::Refused;

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
