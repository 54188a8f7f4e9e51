//! Templates as they were last read from the network.

mod row;
mod store;

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

pub(crate) use row::named;
