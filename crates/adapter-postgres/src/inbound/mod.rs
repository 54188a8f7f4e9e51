//! The journal of what networks tell us, and what becomes of sent messages.

mod hold;
mod in_flight;
mod inbox;
mod item;
mod journal;
mod lookup;
mod merge;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod quarantine;
mod record;
mod routes;
mod seen;
mod sent_messages;
mod settle;

pub use hold::Holding;
pub(crate) use journal::{Appended, KeptUpdates};
