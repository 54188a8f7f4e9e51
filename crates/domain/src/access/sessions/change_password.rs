//! Choosing another password.

use std::{net::IpAddr, sync::Arc};

use super::{
    Attempts, Password, PasswordError, Session, Subscriber, Throttled,
    attempts::NoTry,
    ports::{Credentials, PasswordHasher, PasswordsBusy, SessionStore},
};
use crate::{access::audit::Action, deps::Deps, errors::StoreError};

/// It says why the password stays.
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    /// The password until now is another.
    #[error("the current password is another")]
    Wrong,
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It gives a member another password.
pub struct ChangePassword {
    pub store: Arc<dyn SessionStore>,
    pub attempts: Attempts,
    pub passwords: Arc<dyn PasswordHasher>,
    pub deps: Deps,
}

impl ChangePassword {
    /// Gives them the password, and ends all of their other sessions.
    ///
    /// # Errors
    /// See [`ChangePasswordError`].
    pub async fn run(
        &self,
        by: &Session,
        current: Password,
        new: String,
        address: Option<IpAddr>,
    ) -> Result<(), ChangePasswordError> {
        let new = Password::choose(new)?;
        proven(&*self.store, &self.attempts, &*self.passwords, by, &current, address).await.map_err(
            |unproven| match unproven {
                Unproven::Throttled(throttled) => ChangePasswordError::Throttled(throttled),
                Unproven::Wrong => ChangePasswordError::Wrong,
                Unproven::Busy(busy) => ChangePasswordError::Busy(busy),
                Unproven::Store(error) => ChangePasswordError::Store(error),
            },
        )?;
        let hash = self.passwords.hash(&new, Subscriber::of(address)).await?;
        let entry = by
            .acting(address)
            .does(Action::PasswordChanged, self.deps.clock.now(), &*self.deps.ids)
            .to(by.member);
        Ok(self.store.set_password(by.workspace, by.member, &hash, by.id, &entry).await?)
    }
}

/// Somebody signed in has not shown that they know their password.
pub(super) enum Unproven {
    Throttled(Throttled),
    Wrong,
    Busy(PasswordsBusy),
    Store(StoreError),
}

/// Returns the credentials of a signed-in member who shows their password again. Tries are counted as those
/// to sign in.
pub(super) async fn proven(
    store: &dyn SessionStore,
    attempts: &Attempts,
    passwords: &dyn PasswordHasher,
    by: &Session,
    password: &Password,
    address: Option<IpAddr>,
) -> Result<Credentials, Unproven> {
    let known = store.credentials_of(by.workspace, by.member).await.map_err(Unproven::Store)?;
    let known = known.ok_or(Unproven::Wrong)?;
    let tried = attempts.take_own_password(by, known.member.email.as_str(), address).await;
    let tried = tried.map_err(|error| match error {
        NoTry::Throttled(throttled) => Unproven::Throttled(throttled),
        NoTry::Store(error) => Unproven::Store(error),
    })?;
    let hashes = vec![Some(known.password.clone())];
    let fits = passwords.verify(password, hashes, Subscriber::of(address)).await.map_err(Unproven::Busy)?;
    if !fits.contains(&true) {
        return Err(Unproven::Wrong);
    }
    attempts.forgive(&[tried]).await.map_err(Unproven::Store)?;
    Ok(known)
}
