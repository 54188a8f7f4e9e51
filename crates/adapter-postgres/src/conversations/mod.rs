//! Threads, as lists and look-ups read them.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod row;
mod store;
