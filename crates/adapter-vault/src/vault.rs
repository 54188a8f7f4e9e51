//! The vault over a [`Keyring`].

use std::fmt;

use domain::vault::{Vault, VaultError};
use ring::hmac;

use crate::keys::Keyring;
use crate::random::fill_random;
use crate::seal::SealingKey;

/// [`Vault`] with `ring`: AES-256-GCM, HKDF and HMAC-SHA256. Keys are derived once, when it is made.
pub struct RingVault {
    current: SealingKey,
    previous: Vec<SealingKey>,
    hash_root: hmac::Key,
}

impl RingVault {
    /// Derives the working keys from `keys`.
    ///
    /// # Errors
    /// [`VaultError::CannotSeal`] when a key cannot be derived, which no master key brings about.
    pub fn new(keys: &Keyring) -> Result<Self, VaultError> {
        let derive = |master| SealingKey::derive(master).map_err(|_| VaultError::CannotSeal);
        Ok(Self {
            current: derive(&keys.current)?,
            previous: keys.previous.iter().map(derive).collect::<Result<_, _>>()?,
            hash_root: hmac::Key::new(hmac::HMAC_SHA256, keys.hash_key()?.expose()),
        })
    }
}

impl Vault for RingVault {
    fn seal(&self, plain: &[u8], context: &str) -> Result<Vec<u8>, VaultError> {
        self.current.seal(plain, context).map_err(|_| VaultError::CannotSeal)
    }

    fn open(&self, sealed: &[u8], context: &str) -> Result<Vec<u8>, VaultError> {
        std::iter::once(&self.current)
            .chain(&self.previous)
            .find_map(|key| key.open(sealed, context))
            .ok_or(VaultError::CannotOpen)
    }

    fn sealed_prefix(&self) -> Vec<u8> {
        self.current.header().to_vec()
    }

    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32] {
        // One block of HKDF-Expand, the purpose as its info; unlike `hkdf`, HMAC itself cannot fail.
        let of_purpose = hmac::sign(&self.hash_root, &[purpose.as_bytes(), &[1]].concat());
        let mut out = [0; 32];
        out.copy_from_slice(
            hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, of_purpose.as_ref()), data).as_ref(),
        );
        out
    }

    fn random(&self) -> [u8; 32] {
        let mut out = [0; 32];
        fill_random(&mut out);
        out
    }
}

impl fmt::Debug for RingVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RingVault").field("previous_keys", &self.previous.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
