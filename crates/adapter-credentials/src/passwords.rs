//! Argon2id, on threads of its own.

use std::{num::NonZeroUsize, sync::Arc};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc},
};
use async_trait::async_trait;
use domain::{
    access::sessions::{
        Password, PasswordHash, Subscriber,
        ports::{PasswordHasher, PasswordsBusy},
    },
    vault::Vault,
};

use crate::slots::Slots;

/// Memory of one hash in KiB, passes over it, and lanes (OWASP's password storage cheat sheet, 2024: 19 MiB,
/// 2, 1).
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);

/// Error of parameters that Argon2 refuses, which never happens with the fixed ones.
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
    /// Hash to compare with if there is none for this member.
    nobody: phc::PasswordHash,
    slots: Slots,
}

impl Argon2Passwords {
    /// Hashes `at_once` passwords at the same time, each with 19 MiB of memory, and half as many more of
    /// known subscribers; of one subscriber no more than half. Salts are from `vault`.
    pub fn new(at_once: NonZeroUsize, vault: Arc<dyn Vault>) -> Result<Self, UnusableParameters> {
        let (memory, passes, lanes) = COST;
        let params = Params::new(memory, passes, lanes, None).map_err(|_| UnusableParameters)?;
        let nobody = hash_of_nothing(&params, vault.as_ref()).ok_or(UnusableParameters)?;
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        Ok(Self { nobody, argon, vault, slots: Slots::new(at_once) })
    }

    async fn aside<T: Send + 'static>(
        &self,
        asked_by: Subscriber,
        work: impl FnOnce(Argon2<'static>) -> T + Send + 'static,
    ) -> Result<T, PasswordsBusy> {
        let _slot = self.slots.take(asked_by).await?;
        let argon = self.argon.clone();
        tokio::task::spawn_blocking(move || work(argon)).await.map_err(|_| PasswordsBusy)
    }
}

/// Builds a hash that takes as long to verify as any, of no password that anybody knows. It is not computed:
/// its 19 MiB would stay with every process from its start.
fn hash_of_nothing(params: &Params, vault: &dyn Vault) -> Option<phc::PasswordHash> {
    let (salt, hash) = (vault.random(), vault.random());
    Some(phc::PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: params.try_into().ok()?,
        salt: Some(phc::Salt::new(&salt).ok()?),
        hash: Some(phc::Output::new(&hash).ok()?),
    })
}

#[async_trait]
impl PasswordHasher for Argon2Passwords {
    async fn hash(&self, password: &Password, asked_by: Subscriber) -> Result<PasswordHash, PasswordsBusy> {
        let (password, salt) = (password.clone(), self.vault.random());
        let hashed = self.aside(asked_by, move |argon| {
            let salt = salt.first_chunk::<16>()?;
            let hash: phc::PasswordHash =
                argon.hash_password_with_salt(password.reveal().as_bytes(), salt).ok()?;
            Some(PasswordHash(hash.to_string()))
        });
        hashed.await?.ok_or(PasswordsBusy)
    }

    async fn verify(
        &self,
        password: &Password,
        hashes: Vec<Option<PasswordHash>>,
        asked_by: Subscriber,
    ) -> Result<Vec<bool>, PasswordsBusy> {
        let (password, nobody) = (password.clone(), self.nobody.clone());
        let verified = self.aside(asked_by, move |argon| {
            let has = |hash: Option<PasswordHash>| {
                let known = hash.and_then(|hash| phc::PasswordHash::new(&hash.0).ok());
                let fits = argon
                    .verify_password(password.reveal().as_bytes(), known.as_ref().unwrap_or(&nobody))
                    .is_ok();
                fits && known.is_some()
            };
            hashes.into_iter().map(has).collect()
        });
        verified.await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;
    use crate::slots::PLACES_OF_ONE;

    fn passwords() -> Argon2Passwords {
        let vault = domain::testing::a_vault();
        Argon2Passwords::new(NonZeroUsize::MIN, Arc::new(vault)).unwrap()
    }

    fn password(text: &str) -> Password {
        Password::presented(text.to_owned())
    }

    fn somebody() -> Subscriber {
        Subscriber::of(None)
    }

    async fn fits(passwords: &Argon2Passwords, text: &str, hash: Option<PasswordHash>) -> bool {
        passwords.verify(&password(text), vec![hash], somebody()).await.unwrap() == [true]
    }

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_and_another_is_not() {
        let passwords = passwords();
        let hash = passwords.hash(&password("correct horse"), somebody()).await.unwrap();
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.0);
        assert!(fits(&passwords, "correct horse", Some(hash.clone())).await);
        assert!(!fits(&passwords, "correct hors", Some(hash.clone())).await);
        assert!(!fits(&passwords, "", Some(hash)).await);
    }

    #[tokio::test]
    async fn of_several_hashes_those_that_fit_are_told_in_their_places() {
        let passwords = passwords();
        let hash = passwords.hash(&password("correct horse"), somebody()).await.unwrap();
        let other = passwords.hash(&password("another horse"), somebody()).await.unwrap();
        let hashes = vec![Some(other), Some(hash.clone()), None, Some(hash)];
        let told = passwords.verify(&password("correct horse"), hashes, somebody()).await;
        assert_eq!(told, Ok(vec![false, true, false, true]));
    }

    #[tokio::test]
    async fn nobody_has_no_password_not_even_one_that_fits_the_stand_in() {
        let passwords = passwords();
        assert!(!fits(&passwords, "correct horse", None).await);
        let unreadable = Some(PasswordHash("no hash".to_owned()));
        assert!(!fits(&passwords, "no hash", unreadable).await);
    }

    #[tokio::test]
    async fn the_stand_in_costs_as_much_to_verify_as_a_password() {
        let passwords = passwords();
        let hash = passwords.hash(&password("correct horse"), somebody()).await.unwrap();
        let hash = phc::PasswordHash::new(&hash.0).unwrap();
        let cost = |hash: &phc::PasswordHash| {
            let length = hash.hash.map(|hash| hash.len());
            (hash.algorithm, hash.version, hash.params.clone(), length)
        };
        assert_eq!(cost(&passwords.nobody), cost(&hash));
    }

    #[tokio::test]
    async fn an_older_hash_with_other_costs_still_fits() {
        let params = Params::new(8, 1, 1, None).unwrap();
        let cheap = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: phc::PasswordHash = cheap.hash_password_with_salt(b"correct horse", &[7; 16]).unwrap();
        let hash = PasswordHash(hash.to_string());
        assert!(fits(&passwords(), "correct horse", Some(hash)).await);
    }

    #[tokio::test]
    async fn a_flood_from_one_address_turns_itself_away_and_nobody_else() {
        let passwords = passwords();
        let from = |last: u8| Subscriber::of(Some([192, 0, 2, last].into()));
        let wrong = password("wrong horse");
        let flood = join_all((0..200).map(|_| passwords.verify(&wrong, vec![None], from(1))));
        let other = passwords.verify(&wrong, vec![None], from(2));
        let (flood, other) = tokio::join!(flood, other);
        assert_eq!(flood.iter().filter(|one| one.is_ok()).count(), PLACES_OF_ONE);
        assert_eq!(other, Ok(vec![false]));
    }
}
