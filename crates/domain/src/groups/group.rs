//! A group as the team sees it.

use time::OffsetDateTime;

use crate::{
    errors::StoreError,
    ids::{GroupId, MemberId},
};

/// Most groups of a workspace.
pub const MOST_GROUPS: u32 = 200;

/// Rejection of a text as a group's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`name` must have 1 to 100 characters, white space at the ends not counted")]
pub struct InvalidGroupName;

/// Reason why a group was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    #[error(transparent)]
    Name(#[from] InvalidGroupName),
    #[error("there is no such group or member")]
    Unknown,
    #[error("a broadcast that was started and is not over goes to people of this group")]
    Needed,
    /// Another group has this name, as [`super::folded_name`] compares names.
    #[error("another group has this name")]
    NameTaken,
    #[error("a workspace has at most {MOST_GROUPS} groups")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Group with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamGroup {
    pub id: GroupId,
    pub name: String,
    pub members: Vec<MemberId>,
    pub created_at: OffsetDateTime,
}
