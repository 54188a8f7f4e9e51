//! Choosing another password by a link.

use std::{net::IpAddr, sync::Arc};

use super::{OpenReset, ResetToken, ports::ResetStore};
use crate::{
    access::sessions::{
        Attempts, Password, PasswordError, Subscriber,
        ports::{PasswordHasher, PasswordsBusy},
    },
    audit::{Acting, Action, Actor},
    deps::Deps,
    errors::StoreError,
    vault::Vault,
};

/// Reason why the password was not changed.
#[derive(Debug, thiserror::Error)]
pub enum CompleteResetError {
    #[error("this link is not valid, or no longer; ask for another")]
    NotValid,
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sets another password for the holder of a link.
pub struct CompleteReset {
    pub store: Arc<dyn ResetStore>,
    pub attempts: Attempts,
    pub passwords: Arc<dyn PasswordHasher>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl CompleteReset {
    /// Returns what a link is for; `None` if it does not work, or no longer.
    pub async fn open(&self, token: &ResetToken) -> Result<Option<OpenReset>, StoreError> {
        self.store.find(token.hash(&*self.vault), self.deps.clock.now()).await
    }

    /// Sets the password; the link works once. All of the member's sessions end, and nobody is signed in: a
    /// member with a second factor shows it at the next sign-in.
    pub async fn run(
        &self,
        token: &ResetToken,
        password: String,
        address: Option<IpAddr>,
    ) -> Result<(), CompleteResetError> {
        let password = Password::choose(password)?;
        let open = self.open(token).await?.ok_or(CompleteResetError::NotValid)?;
        let hash = self.passwords.hash(&password, Subscriber::known(open.member.uuid())).await?;
        let acting = Acting { workspace: open.workspace, actor: Actor::Member(open.member), address };
        let entry =
            acting.does(Action::PasswordReset, self.deps.clock.now(), &*self.deps.ids).to(open.member);
        if !self.store.complete(open.workspace, token.hash(&*self.vault), &hash, &entry).await? {
            return Err(CompleteResetError::NotValid);
        }
        // A member locked out by somebody's tries at the old password gets in with the new one.
        self.attempts.forgive_password(open.workspace, open.email.as_str()).await?;
        if !open.mailed {
            self.attempts.forgive_codes(open.workspace, open.member).await?;
        }
        Ok(())
    }
}
