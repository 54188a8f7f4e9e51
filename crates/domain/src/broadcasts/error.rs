//! Refusals of what is done with a broadcast.

use super::{
    audience::AudienceError,
    content::ContentError,
    state::{LONGEST_NAME, MOST_OPEN, WrongState},
};
use crate::{errors::StoreError, sending::Refusal};

/// Reason for refusing an operation on a broadcast.
#[derive(Debug, thiserror::Error)]
pub enum BroadcastError {
    #[error("`name` has 1 to {LONGEST_NAME} characters, one of them visible")]
    Name,
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error(transparent)]
    Audience(#[from] AudienceError),
    #[error("a template for one-time codes goes to one person at a time")]
    CodeTemplate,
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("nobody of the audience can be written to")]
    Nobody,
    #[error(transparent)]
    State(#[from] WrongState),
    #[error("a workspace has at most {MOST_OPEN} broadcasts that are not over")]
    TooMany,
    #[error("there is no such broadcast")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}
