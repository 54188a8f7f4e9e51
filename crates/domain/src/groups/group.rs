//! A group as the team sees it.

use time::OffsetDateTime;

use crate::ids::{GroupId, MemberId};

/// Group with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamGroup {
    pub id: GroupId,
    pub name: String,
    pub members: Vec<MemberId>,
    pub created_at: OffsetDateTime,
}
