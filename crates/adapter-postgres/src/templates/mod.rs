//! Templates as they were last read from the network.

mod label;
mod replace;
mod row;
mod store;

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
