//! The people on a workspace's team: how they come, what they may, how they leave.

mod accept;
mod change;
mod invitation;
mod invite;
mod language;
pub mod ports;
mod role;

pub use accept::{AcceptError, AcceptInvitation, AcceptRequest};
pub use change::{MemberRefusal, Members, MembersError};
pub(crate) use change::{TRIES, may_go};
pub use invitation::{Invitation, InviteError, OpenInvitation};
pub use invite::{InvitationToken, Invitations, Invited, Way};
pub use language::Language;
pub use role::Role;

use time::OffsetDateTime;

use crate::{
    email::EmailAddress,
    ids::{MemberId, WorkspaceId},
};

/// Longest name, in characters.
const LONGEST_NAME: usize = 200;

/// Person on the team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub id: MemberId,
    pub workspace: WorkspaceId,
    pub email: EmailAddress,
    /// `None` until they accept their invitation.
    pub name: Option<String>,
    pub role: Role,
    /// Whether they have a password, and so can sign in.
    pub joined: bool,
    /// Whether a second factor is asked of them.
    pub second_factor: bool,
    /// Language of their pages and mails; `None` if they have chosen none.
    pub language: Option<Language>,
    pub created_at: OffsetDateTime,
}

/// Person who was on the team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerMember {
    pub id: MemberId,
    /// Their name, or else their address.
    pub name: String,
    pub left_at: OffsetDateTime,
}

/// Rejection of a text as a member's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`name` must have 1 to 200 characters, white space at the ends not counted")]
pub struct InvalidMemberName;

/// Validates and trims a member's name.
pub fn member_name(written: &str) -> Result<String, InvalidMemberName> {
    let name = written.trim();
    let fits = !name.is_empty() && name.chars().nth(LONGEST_NAME).is_none();
    if fits { Ok(name.to_owned()) } else { Err(InvalidMemberName) }
}
