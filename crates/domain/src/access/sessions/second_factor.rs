//! Switching a second factor on and off.

use std::{net::IpAddr, sync::Arc};

use super::{
    Session,
    attempts::{Attempts, NoTry, Throttled},
    change_password::{Unproven, proven},
    password::Password,
    ports::{OneTimePasswords, PasswordHasher, PasswordsBusy, SessionStore},
    totp::{RecoveryCode, otpauth_uri},
    totp_secret::TotpSecret,
};
use crate::{audit::Action, deps::Deps, errors::StoreError, vault::Vault};

/// Reason why the factor was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SecondFactorError {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error("the password is another")]
    WrongPassword,
    #[error("the code is wrong")]
    WrongCode,
    #[error("a second factor is on already")]
    AlreadyOn,
    #[error("no second factor was offered; ask for one first")]
    NotOffered,
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Unproven> for SecondFactorError {
    fn from(unproven: Unproven) -> Self {
        match unproven {
            Unproven::Throttled(throttled) => Self::Throttled(throttled),
            Unproven::Wrong => Self::WrongPassword,
            Unproven::Busy(busy) => Self::Busy(busy),
            Unproven::Store(error) => Self::Store(error),
        }
    }
}

impl From<NoTry> for SecondFactorError {
    fn from(error: NoTry) -> Self {
        match error {
            NoTry::Throttled(throttled) => Self::Throttled(throttled),
            NoTry::Store(error) => Self::Store(error),
        }
    }
}

/// Secret for a device, shown once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFactor {
    pub secret: TotpSecret,
    /// The secret as an address, for a picture.
    pub uri: String,
}

/// Offers members a second factor, and switches it on and off.
pub struct SecondFactor {
    pub store: Arc<dyn SessionStore>,
    pub attempts: Attempts,
    pub passwords: Arc<dyn PasswordHasher>,
    pub codes: Arc<dyn OneTimePasswords>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl SecondFactor {
    /// Offers a secret, which is asked for once a code of it was shown.
    pub async fn offer(&self, by: &Session, password: &Password) -> Result<OfferedFactor, SecondFactorError> {
        let known = proven(&*self.store, &self.attempts, &*self.passwords, by, password).await?;
        let secret = TotpSecret::generate(&*self.vault);
        if !self.store.offer_factor(by.workspace, by.member, &secret).await? {
            return Err(SecondFactorError::AlreadyOn);
        }
        let uri = otpauth_uri(&secret, known.member.email.as_str());
        Ok(OfferedFactor { secret, uri })
    }

    /// Switches the factor on by a code of the offered secret; returns the recovery codes, shown once.
    pub async fn confirm(
        &self,
        by: &Session,
        code: &str,
        address: Option<IpAddr>,
    ) -> Result<Vec<RecoveryCode>, SecondFactorError> {
        let known = self.store.credentials_of(by.workspace, by.member).await?;
        let factor =
            known.as_ref().and_then(|known| known.factor.clone()).ok_or(SecondFactorError::NotOffered)?;
        if factor.confirmed {
            return Err(SecondFactorError::AlreadyOn);
        }
        self.attempts.take_from(address).await?;
        let tried = self.attempts.take_code(by.workspace, by.member, None).await?;
        let now = self.deps.clock.now();
        let step = factor.secret.step_of(code, now, factor.last_step, &*self.codes);
        let step = step.ok_or(SecondFactorError::WrongCode)?;
        let recovery = RecoveryCode::generate(&*self.vault);
        let hashes: Vec<[u8; 32]> = recovery.iter().map(|code| code.hash(&*self.vault)).collect();
        let entry = by.acting(address).does(Action::SecondFactorOn, now, &*self.deps.ids).to(by.member);
        if !self.store.confirm_factor(by.workspace, by.member, step, &hashes, &entry).await? {
            return Err(SecondFactorError::NotOffered);
        }
        self.attempts.give_back(tried).await;
        Ok(recovery)
    }

    /// Switches the factor off.
    pub async fn disable(
        &self,
        by: &Session,
        password: &Password,
        address: Option<IpAddr>,
    ) -> Result<(), SecondFactorError> {
        proven(&*self.store, &self.attempts, &*self.passwords, by, password).await?;
        let entry = by
            .acting(address)
            .does(Action::SecondFactorOff, self.deps.clock.now(), &*self.deps.ids)
            .to(by.member);
        Ok(self.store.drop_factor(by.workspace, by.member, &entry).await?)
    }
}
