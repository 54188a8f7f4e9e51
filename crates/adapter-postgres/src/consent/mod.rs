//! Drafts that customers confirm, the commitments that follow, and replies that the service words itself.

mod answers;
mod booking_requests;
mod closed;
mod commitments;
mod drafts;
mod merge;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod prepared;
mod row;
mod settle;

pub(crate) use answers::{CustomerWrote, customers_wrote};
pub(crate) use merge::move_consent;

use crate::Database;

/// Drafts, commitments and prepared replies.
#[derive(Clone)]
pub struct PgConsent {
    pub(crate) database: Database,
}
