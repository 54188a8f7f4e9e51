//! Threads, as lists and look-ups read them.

mod alias;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod row;
mod store;

pub(crate) use alias::thread_now;
