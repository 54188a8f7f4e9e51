//! Argon2id, on threads of its own.

use std::{num::NonZeroUsize, sync::Arc};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc},
};
use async_trait::async_trait;
use domain::{
    access::sessions::{
        Password, PasswordHash,
        ports::{PasswordHasher, PasswordsBusy},
    },
    vault::Vault,
};
use tokio::sync::Semaphore;

/// Memory of one hash in KiB, passes over it, and lanes (OWASP's password storage cheat sheet, 2024: 19 MiB, 2, 1).
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);

/// How many may wait for each one that is hashed.
const WAITING: usize = 32;

/// The parameters of Argon2 are refused, which those that are fixed here never are.
#[derive(Debug, Clone, Copy)]
pub struct UnusableParameters;

impl std::fmt::Display for UnusableParameters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the parameters of Argon2 are refused")
    }
}

impl std::error::Error for UnusableParameters {}

/// [`PasswordHasher`] with Argon2id.
pub struct Argon2Passwords {
    argon: Argon2<'static>,
    vault: Arc<dyn Vault>,
    /// What is compared with where there is nothing to compare with.
    nobody: phc::PasswordHash,
    /// Whoever finds no place here is turned away.
    places: Semaphore,
    /// Hashes at once.
    at_once: Semaphore,
}

impl Argon2Passwords {
    /// Hashes `at_once` passwords at the same time, each with 19 MiB of memory. Salts are from `vault`.
    ///
    /// # Errors
    /// [`UnusableParameters`].
    pub fn new(at_once: NonZeroUsize, vault: Arc<dyn Vault>) -> Result<Self, UnusableParameters> {
        let (memory, passes, lanes) = COST;
        let params = Params::new(memory, passes, lanes, None).map_err(|_| UnusableParameters)?;
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let nobody = argon.hash_password_with_salt(&vault.random(), &vault.random());
        Ok(Self {
            nobody: nobody.map_err(|_| UnusableParameters)?,
            argon,
            vault,
            places: Semaphore::new(at_once.get() * WAITING),
            at_once: Semaphore::new(at_once.get()),
        })
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(Argon2<'static>) -> T + Send + 'static,
    ) -> Result<T, PasswordsBusy> {
        let _place = self.places.try_acquire().map_err(|_| PasswordsBusy)?;
        let _turn = self.at_once.acquire().await.map_err(|_| PasswordsBusy)?;
        let argon = self.argon.clone();
        tokio::task::spawn_blocking(move || work(argon)).await.map_err(|_| PasswordsBusy)
    }
}

#[async_trait]
impl PasswordHasher for Argon2Passwords {
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordsBusy> {
        let (password, salt) = (password.clone(), self.vault.random());
        let hashed = self.aside(move |argon| {
            let salt = salt.first_chunk::<16>()?;
            let hash: phc::PasswordHash =
                argon.hash_password_with_salt(password.reveal().as_bytes(), salt).ok()?;
            Some(PasswordHash(hash.to_string()))
        });
        hashed.await?.ok_or(PasswordsBusy)
    }

    async fn verify(&self, password: &Password, hash: Option<PasswordHash>) -> Result<bool, PasswordsBusy> {
        let known = hash.and_then(|hash| phc::PasswordHash::new(&hash.0).ok());
        let (is_known, hash) = (known.is_some(), known.unwrap_or_else(|| self.nobody.clone()));
        let password = password.clone();
        let verified =
            self.aside(move |argon| argon.verify_password(password.reveal().as_bytes(), &hash).is_ok());
        Ok(verified.await? && is_known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passwords() -> Argon2Passwords {
        let vault = domain::testing::a_vault();
        Argon2Passwords::new(NonZeroUsize::MIN, Arc::new(vault)).unwrap()
    }

    fn password(text: &str) -> Password {
        Password::presented(text.to_owned())
    }

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_and_another_is_not() {
        let passwords = passwords();
        let hash = passwords.hash(&password("correct horse")).await.unwrap();
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.0);
        assert!(passwords.verify(&password("correct horse"), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify(&password("correct hors"), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify(&password(""), Some(hash)).await.unwrap());
    }

    #[tokio::test]
    async fn nobody_has_no_password_not_even_one_that_fits_the_stand_in() {
        let passwords = passwords();
        assert!(!passwords.verify(&password("correct horse"), None).await.unwrap());
        let unreadable = Some(PasswordHash("no hash".to_owned()));
        assert!(!passwords.verify(&password("no hash"), unreadable).await.unwrap());
    }

    #[tokio::test]
    async fn an_older_hash_with_other_costs_still_fits() {
        let params = Params::new(8, 1, 1, None).unwrap();
        let cheap = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: phc::PasswordHash = cheap.hash_password_with_salt(b"correct horse", &[7; 16]).unwrap();
        let hash = PasswordHash(hash.to_string());
        assert!(passwords().verify(&password("correct horse"), Some(hash)).await.unwrap());
    }

    #[tokio::test]
    async fn a_crowd_is_turned_away() {
        let passwords = passwords();
        let _all = passwords.places.try_acquire_many(u32::try_from(WAITING).unwrap()).unwrap();
        assert_eq!(passwords.hash(&password("correct horse")).await, Err(PasswordsBusy));
        assert_eq!(passwords.verify(&password("correct horse"), None).await, Err(PasswordsBusy));
    }
}
