//! The people on a workspace's team: how they come, what they may, how they leave.

mod accept;
mod change;
mod email;
mod invite;
mod language;
pub mod ports;
mod role;

pub use accept::{AcceptError, AcceptInvitation, AcceptRequest};
pub use change::{MemberRefusal, Members, MembersError};
pub use email::{EmailAddress, InvalidEmail};
pub use invite::{Invitation, InvitationToken, Invitations, InviteError, Invited, OpenInvitation, Way};
pub use language::Language;
pub use role::Role;

use time::OffsetDateTime;

use crate::ids::{MemberId, WorkspaceId};

/// Most characters of a member's name.
const LONGEST_NAME: usize = 200;

/// A person on the team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Their id.
    pub id: MemberId,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What they sign in with.
    pub email: EmailAddress,
    /// What they are called; `None` until they accept their invitation.
    pub name: Option<String>,
    /// What they may.
    pub role: Role,
    /// Whether they have a password, and so can sign in.
    pub joined: bool,
    /// Whether a second factor is asked of them.
    pub second_factor: bool,
    /// What they have chosen to be told things in.
    pub language: Option<Language>,
    /// Since when they are known.
    pub created_at: OffsetDateTime,
}

/// The text is no name for a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`name` must have 1 to 200 characters, white space at the ends not counted")]
pub struct InvalidMemberName;

/// Reads a member's name.
///
/// # Errors
/// [`InvalidMemberName`] for a blank or an overlong one.
pub fn member_name(written: &str) -> Result<String, InvalidMemberName> {
    let name = written.trim();
    let fits = !name.is_empty() && name.chars().nth(LONGEST_NAME).is_none();
    if fits { Ok(name.to_owned()) } else { Err(InvalidMemberName) }
}
