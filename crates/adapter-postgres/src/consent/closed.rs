//! The end of a draft.

use diesel::AsChangeset;
use domain::consent::DraftState;
use time::OffsetDateTime;

use crate::schema::drafts;

/// Columns of a draft that is no longer open: nothing of it is sent, and no answer to it is due.
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
