//! Invitations, and why one is refused.

use time::OffsetDateTime;

use super::{
    super::sessions::{NoTry, Throttled},
    role::Role,
};
use crate::{
    email::EmailAddress,
    errors::StoreError,
    ids::{InvitationId, WorkspaceId},
};

/// Invitation of somebody to join a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub id: InvitationId,
    pub workspace: WorkspaceId,
    pub email: EmailAddress,
    pub role: Role,
    pub created_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

/// Invitation as the holder of its link may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenInvitation {
    pub invitation: Invitation,
    pub workspace_name: String,
    pub locale: String,
}

/// Reason why nobody was invited.
#[derive(Debug, thiserror::Error)]
pub enum InviteError {
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error("somebody with this e-mail address is a member already")]
    AlreadyMember,
    /// Too many invitations were mailed within the hour.
    #[error(transparent)]
    Throttled(#[from] Throttled),
    /// The mail was not taken; the invitation stands.
    #[error("the mail cannot be sent: {0}")]
    Mail(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NoTry> for InviteError {
    fn from(error: NoTry) -> Self {
        match error {
            NoTry::Throttled(throttled) => Self::Throttled(throttled),
            NoTry::Store(error) => Self::Store(error),
        }
    }
}
