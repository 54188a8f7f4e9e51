//! A vault without secrecy, for tests.

use std::hash::{DefaultHasher, Hash, Hasher};

use domain::vault::{Binding, SealContext, Vault, VaultError};

/// Seals a value by inverting its bits, and stores the place beside it.
#[derive(Debug)]
pub struct GlassVault;

impl Vault for GlassVault {
    fn seal(&self, plain: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        Ok(place.bound().bytes().chain([0]).chain(plain.iter().map(|byte| !byte)).collect())
    }

    fn open(&self, sealed: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        let plain = sealed.strip_prefix(place.bound().as_bytes()).and_then(|rest| rest.strip_prefix(&[0]));
        Ok(plain.ok_or(VaultError::CannotOpen)?.iter().map(|byte| !byte).collect())
    }

    fn binding(&self) -> Binding {
        Binding::Complete
    }

    fn bind(&self, _: Binding) {}

    fn is_bound(&self, _: &[u8]) -> bool {
        true
    }

    fn sealed_prefix(&self) -> Vec<u8> {
        Vec::new()
    }

    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32] {
        let mut hasher = DefaultHasher::new();
        (purpose, data).hash(&mut hasher);
        let mut hash = [0; 32];
        hash.iter_mut().zip(hasher.finish().to_be_bytes()).for_each(|(byte, of)| *byte = of);
        hash
    }

    fn random(&self) -> [u8; 32] {
        [7; 32]
    }
}
