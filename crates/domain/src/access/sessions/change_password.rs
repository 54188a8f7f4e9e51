//! Changing one's password.

use std::{net::IpAddr, sync::Arc};

use super::{
    Session,
    attempts::{Attempts, NoTry, Throttled},
    password::{Password, PasswordError},
    ports::{Credentials, PasswordHasher, PasswordsBusy, SessionStore},
    subscriber::Subscriber,
};
use crate::{audit::Action, deps::Deps, errors::StoreError};

/// Reason why the password was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error("the current password is another")]
    Wrong,
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Changes a member's password.
pub struct ChangePassword {
    pub store: Arc<dyn SessionStore>,
    pub attempts: Attempts,
    pub passwords: Arc<dyn PasswordHasher>,
    pub deps: Deps,
}

impl ChangePassword {
    /// Changes the password, and ends all of the member's other sessions.
    pub async fn run(
        &self,
        by: &Session,
        current: Password,
        new: String,
        address: Option<IpAddr>,
    ) -> Result<(), ChangePasswordError> {
        let new = Password::choose(new)?;
        let known = proven(&*self.store, &self.attempts, &*self.passwords, by, &current).await;
        let known = known.map_err(|unproven| match unproven {
            Unproven::Throttled(throttled) => ChangePasswordError::Throttled(throttled),
            Unproven::Wrong => ChangePasswordError::Wrong,
            Unproven::Busy(busy) => ChangePasswordError::Busy(busy),
            Unproven::Store(error) => ChangePasswordError::Store(error),
        })?;
        let hash = self.passwords.hash(&new, Subscriber::known(by.member.uuid())).await?;
        let entry = by
            .acting(address)
            .does(Action::PasswordChanged, self.deps.clock.now(), &*self.deps.ids)
            .to(by.member);
        match self.store.set_password(by.workspace, by.member, &known.password, &hash, by.id, &entry).await {
            // Another change was faster, such as one by a reset link: it has ended this session, and stands.
            Err(StoreError::Stale) => Err(ChangePasswordError::Wrong),
            written => Ok(written?),
        }
    }
}

/// Reason why a signed-in member has not shown that they know their password.
pub(super) enum Unproven {
    Throttled(Throttled),
    Wrong,
    Busy(PasswordsBusy),
    Store(StoreError),
}

/// Returns the credentials of a signed-in member who shows their password again. Tries are counted by the
/// session alone, so a flood of sign-ins keeps no member from changing the password under attack.
pub(super) async fn proven(
    store: &dyn SessionStore,
    attempts: &Attempts,
    passwords: &dyn PasswordHasher,
    by: &Session,
    password: &Password,
) -> Result<Credentials, Unproven> {
    let known = store.credentials_of(by.workspace, by.member).await.map_err(Unproven::Store)?;
    let known = known.ok_or(Unproven::Wrong)?;
    let tried = attempts.take_own_password(by).await;
    let tried = tried.map_err(|error| match error {
        NoTry::Throttled(throttled) => Unproven::Throttled(throttled),
        NoTry::Store(error) => Unproven::Store(error),
    })?;
    let hashes = vec![Some(known.password.clone())];
    let fits = passwords
        .verify(password, hashes, Subscriber::known(by.member.uuid()))
        .await
        .map_err(Unproven::Busy)?;
    if !fits.contains(&true) {
        return Err(Unproven::Wrong);
    }
    attempts.forgive(&[tried]).await.map_err(Unproven::Store)?;
    Ok(known)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ChangePassword, ChangePasswordError};
    use crate::{
        access::sessions::{
            Attempts, Password, PasswordHash,
            ports::{Credentials, MockPasswordHasher, MockSessionStore},
        },
        errors::StoreError,
        testing::{ManualClock, SequentialIds, a_member, a_moment, a_session, a_vault, deps_of},
    };

    fn hash(text: &str) -> PasswordHash {
        PasswordHash(text.to_owned())
    }

    #[pollster::test]
    async fn a_password_that_has_become_another_meanwhile_is_not_replaced() {
        for is_faster in [false, true] {
            let mut store = MockSessionStore::new();
            let known = Credentials {
                member: a_member(1),
                password: hash("old"),
                factor: None,
                device_generation: 0,
            };
            store.expect_credentials_of().returning(move |_, _| Ok(Some(known.clone())));
            store.expect_take_attempts().returning(|_, _| Ok(vec![1]));
            store.expect_forgive_attempts().returning(|_| Ok(()));
            store
                .expect_set_password()
                .withf(|_, _, current, new, _, _| (current, new) == (&hash("old"), &hash("new")))
                .once()
                .returning(move |_, _, _, _, _, _| if is_faster { Err(StoreError::Stale) } else { Ok(()) });
            let mut passwords = MockPasswordHasher::new();
            passwords.expect_verify().returning(|_, _, _| Ok(vec![true]));
            passwords.expect_hash().returning(|_, _| Ok(hash("new")));
            let (store, clock) = (Arc::new(store), Arc::new(ManualClock::at(a_moment())));
            let attempts =
                Attempts { store: store.clone(), vault: Arc::new(a_vault()), clock: clock.clone() };
            let deps = deps_of(clock, Arc::new(SequentialIds::default()));
            let change = ChangePassword { store, attempts, passwords: Arc::new(passwords), deps };
            let current = Password::presented("an old password".to_owned());
            let new = "a password of my own".to_owned();
            let changed = change.run(&a_session(&a_member(1)), current, new, None).await;
            match changed {
                Ok(()) => assert!(!is_faster),
                Err(ChangePasswordError::Wrong) => assert!(is_faster),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
