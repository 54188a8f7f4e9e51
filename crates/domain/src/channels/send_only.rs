//! Making a number send-only.

use std::sync::Arc;

use super::ports::AccountStore;
use crate::{
    errors::StoreError,
    ids::WorkspaceId,
    phone::{PhoneError, PhoneNumber},
    workspaces::ports::WorkspaceStore,
};

/// The number stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum SetSendOnlyError {
    /// There is no such workspace.
    #[error("there is no such workspace")]
    UnknownWorkspace,
    /// The text is no phone number.
    #[error(transparent)]
    Phone(#[from] PhoneError),
    /// The workspace has no such number.
    #[error("the workspace has no such connected number")]
    UnknownNumber,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sets whether sends from a number are kept and what is written to it opens conversations.
pub struct SetSendOnly {
    /// Where numbers are kept.
    pub accounts: Arc<dyn AccountStore>,
    /// Where workspaces are kept.
    pub workspaces: Arc<dyn WorkspaceStore>,
}

impl SetSendOnly {
    /// Takes the number in any spelling.
    ///
    /// # Errors
    /// See [`SetSendOnlyError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        number: &str,
        send_only: bool,
    ) -> Result<(), SetSendOnlyError> {
        let found = self.workspaces.find(workspace).await?.ok_or(SetSendOnlyError::UnknownWorkspace)?;
        let phone = PhoneNumber::parse(number, found.region)?;
        let known = self.accounts.set_send_only(workspace, &phone, send_only).await?;
        known.then_some(()).ok_or(SetSendOnlyError::UnknownNumber)
    }
}
