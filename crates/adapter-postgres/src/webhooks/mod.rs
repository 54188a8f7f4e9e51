//! Webhook addresses, what is owed to them, and the queue it waits in.

mod addresses;
mod owed;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod queue;
mod results;

pub(crate) use owed::{Count, Owed, owe, owing};
