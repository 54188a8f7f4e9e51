//! The journal of the networks' updates, their recording, and the statuses of sent messages.

mod absorb;
mod append;
mod batches;
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

pub use hold::Holding;

use std::sync::Arc;

use self::batches::InboundBatches;
use crate::Database;

/// Updates of the networks, journaled and recorded.
#[derive(Clone)]
pub struct PgInbound {
    database: Database,
    batches: Arc<InboundBatches>,
}

impl PgInbound {
    pub(crate) fn over(database: Database) -> Self {
        let batches = Arc::new(InboundBatches::on(&database.runtime));
        Self { database, batches }
    }
}
