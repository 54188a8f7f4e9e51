//! Users of the service during a run: clients of the API, and customers.

mod clients;
mod customers;

pub(crate) use clients::{Clients, Replies};
pub(crate) use customers::Customers;
