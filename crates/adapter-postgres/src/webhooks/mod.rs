//! Webhook addresses, what is owed to them, and the queue it waits in.

mod addresses;
mod owed;
mod queue;
mod results;

pub(crate) use owed::{Count, Owed, owe, owing};
