//! Usage of one day.

use std::collections::BTreeMap;

use time::Date;

/// Usage of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayUsage {
    pub day: Date,
    /// Messages from customers.
    pub received: u64,
    /// Messages to customers, templates included; not one-time codes, which are in no conversation.
    pub sent: u64,
    /// Templates that the networks took, by their current category, one-time codes included; `unknown` stands
    /// for templates that no longer exist.
    pub templates: BTreeMap<String, u64>,
    /// Customers with whom a message was exchanged.
    pub active_customers: u64,
}
