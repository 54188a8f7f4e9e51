//! Making a number send-only.

use std::sync::Arc;

use super::ports::AccountStore;
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::ChannelId,
    phone::{PhoneError, PhoneNumber},
    workspaces::ports::WorkspaceStore,
};

/// Reason that the setting was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SetSendOnlyError {
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error(transparent)]
    Phone(#[from] PhoneError),
    #[error("the workspace has no such connected number")]
    UnknownNumber,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that sets whether a number is send-only: its sends are not kept and what is written to it opens
/// no conversation.
pub struct SetSendOnly {
    pub accounts: Arc<dyn AccountStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub deps: Deps,
}

impl SetSendOnly {
    /// Sets it for a number in any spelling.
    pub async fn run(&self, acting: Acting, number: &str, send_only: bool) -> Result<(), SetSendOnlyError> {
        let found = self.workspaces.find(acting.workspace).await?;
        let found = found.ok_or(SetSendOnlyError::UnknownWorkspace)?;
        self.set(acting, &PhoneNumber::parse_known(number, found.region)?, send_only).await
    }

    /// Sets it for a number by its id.
    pub async fn run_for(
        &self,
        acting: Acting,
        number: ChannelId,
        send_only: bool,
    ) -> Result<(), SetSendOnlyError> {
        let numbers = self.accounts.numbers(acting.workspace).await?;
        let known = numbers.into_iter().find(|known| known.id == number);
        self.set(acting, &known.ok_or(SetSendOnlyError::UnknownNumber)?.phone, send_only).await
    }

    async fn set(
        &self,
        acting: Acting,
        phone: &PhoneNumber,
        send_only: bool,
    ) -> Result<(), SetSendOnlyError> {
        let entry = acting.does(Action::SendOnlySet, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(phone.as_str()).with("sendOnly", send_only);
        let known = self.accounts.set_send_only(acting.workspace, phone, send_only, &entry).await?;
        known.then_some(()).ok_or(SetSendOnlyError::UnknownNumber)
    }
}
