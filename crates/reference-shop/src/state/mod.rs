//! State of the shop: its shelves, orders, customers and appointments.

pub(crate) mod appointments;
pub(crate) mod customer;
mod customers;
pub(crate) mod orders;
pub(crate) mod refused;

use serde_json::Value;
use time::OffsetDateTime;

use crate::goods::{self, Product};
use appointments::Appointment;
use customer::Customer;
use orders::Order;

/// State of the shop, in memory.
pub(crate) struct State {
    pub(crate) products: Vec<Product>,
    pub(crate) orders: Vec<Order>,
    pub(crate) customers: Vec<Customer>,
    pub(crate) leads: Vec<Value>,
    pub(crate) appointments: Vec<Appointment>,
}

impl State {
    /// Returns the state as the shop opens.
    pub(crate) fn new(now: OffsetDateTime) -> Self {
        Self {
            products: goods::opening(),
            orders: orders::opening(now),
            customers: customer::opening(),
            leads: Vec::new(),
            appointments: Vec::new(),
        }
    }

    pub(crate) fn search<'a>(
        &'a self,
        q: &'a str,
        category: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Product> {
        goods::search(&self.products, q, category)
    }
}
