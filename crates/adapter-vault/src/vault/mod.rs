//! The vault over a [`Keyring`].

use std::{
    fmt,
    sync::atomic::{AtomicU8, Ordering},
};

use domain::vault::{Binding, SealContext, Vault, VaultError};
use ring::hmac;

use crate::keys::Keyring;
use crate::random::fill_random;
use crate::seal::{Form, SealingKey, is_bound};

/// [`Vault`] with `ring`: AES-256-GCM, HKDF and HMAC-SHA256. Keys are derived once, when it is created.
pub struct RingVault {
    current: SealingKey,
    previous: Vec<SealingKey>,
    hash_root: hmac::Key,
    /// The [`Binding`] as a number.
    binding: AtomicU8,
}

impl RingVault {
    /// Derives the working keys from `keys`.
    ///
    /// # Errors
    /// [`VaultError::CannotSeal`] if a key cannot be derived, which happens with no master key.
    pub fn new(keys: &Keyring) -> Result<Self, VaultError> {
        let derive = |master| SealingKey::derive(master).map_err(|_| VaultError::CannotSeal);
        Ok(Self {
            current: derive(&keys.current)?,
            previous: keys.previous.iter().map(derive).collect::<Result<_, _>>()?,
            hash_root: hmac::Key::new(hmac::HMAC_SHA256, keys.hash_key()?.expose()),
            binding: AtomicU8::new(number(Binding::Complete)),
        })
    }
}

impl Vault for RingVault {
    fn seal(&self, plain: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        self.current.seal(plain, place, self.form()).map_err(|_| VaultError::CannotSeal)
    }

    fn open(&self, sealed: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        let form = match (is_bound(sealed), self.binding()) {
            (true, _) => Form::Bound,
            (false, Binding::NotYet | Binding::Begun) => Form::Unbound,
            (false, Binding::Complete) => return Err(VaultError::CannotOpen),
        };
        std::iter::once(&self.current)
            .chain(&self.previous)
            .find_map(|key| key.open(sealed, place, form))
            .ok_or(VaultError::CannotOpen)
    }

    fn binding(&self) -> Binding {
        [Binding::NotYet, Binding::Begun]
            .into_iter()
            .find(|binding| number(*binding) == self.binding.load(Ordering::Acquire))
            .unwrap_or(Binding::Complete)
    }

    fn bind(&self, binding: Binding) {
        self.binding.store(number(binding), Ordering::Release);
    }

    fn is_bound(&self, sealed: &[u8]) -> bool {
        is_bound(sealed)
    }

    fn sealed_prefix(&self) -> Vec<u8> {
        self.current.header(self.form()).to_vec()
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

impl RingVault {
    /// Returns the form in which values are sealed now.
    fn form(&self) -> Form {
        if self.binding() == Binding::NotYet { Form::Unbound } else { Form::Bound }
    }
}

const fn number(binding: Binding) -> u8 {
    match binding {
        Binding::NotYet => 0,
        Binding::Begun => 1,
        Binding::Complete => 2,
    }
}

impl fmt::Debug for RingVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RingVault").field("previous_keys", &self.previous.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
