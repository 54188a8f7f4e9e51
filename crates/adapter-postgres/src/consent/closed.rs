//! Drafts that are over.

use diesel::AsChangeset;
use domain::consent::DraftState;
use time::OffsetDateTime;

use crate::schema::drafts;

/// What a draft is once it is open no more: nothing of it is sent, and nobody waits for its answer.
#[derive(AsChangeset)]
#[diesel(table_name = drafts, treat_none_as_null = true)]
pub(super) struct Closed {
    state: &'static str,
    proposal_sealed: Option<Vec<u8>>,
    answer_due_at: Option<OffsetDateTime>,
    answer_by: Option<OffsetDateTime>,
}

impl Closed {
    pub(super) const fn to(state: DraftState) -> Self {
        Self { state: state.as_str(), proposal_sealed: None, answer_due_at: None, answer_by: None }
    }
}
