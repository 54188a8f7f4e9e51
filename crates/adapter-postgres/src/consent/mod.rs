//! What customers are asked to confirm, what becomes of it, and the replies that the service words by itself.

mod answers;
mod booking_requests;
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

/// What a draft is once it is open no more: nothing of it is sent, and nobody waits for its answer.
macro_rules! closed {
    ($state:expr) => {
        (
            drafts::state.eq($state.as_str()),
            drafts::proposal_sealed.eq(None::<Vec<u8>>),
            drafts::answer_due_at.eq(None::<OffsetDateTime>),
            drafts::answer_by.eq(None::<OffsetDateTime>),
        )
    };
}
pub(crate) use closed;
