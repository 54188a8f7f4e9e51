//! The journal of what networks tell us, and what becomes of sent messages.

mod absorb;
mod append;
mod claim;
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
mod unread;

pub(crate) use append::{Appended, KeptUpdates};
pub use hold::Holding;

use crate::Database;

/// What networks tell, journaled and recorded.
#[derive(Clone)]
pub struct PgInbound {
    pub(crate) database: Database,
}
