//! Users of the service during a run: clients of the API, and customers.

mod api;
mod clients;
mod customers;

pub(crate) use api::{Answer, Api};
pub(crate) use clients::{Clients, Replies};
pub(crate) use customers::Customers;
