//! Keeping secrets: sealing what must be read back, hashing what must only be recognised.

mod keys;
pub mod ports;
mod reseal;

pub use keys::{CheckKeys, CheckKeysError, KeyProbe, KeysFound, PROBE_CONTEXT, Trace, Traces, WrongKey};
pub use reseal::{ResealValues, Resealed, Tally};

/// A sealed value could not be opened or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The value was sealed under an unknown key or for another context, or it was changed.
    #[error("the sealed value cannot be opened with the keys in force")]
    CannotOpen,
    /// The value could not be sealed.
    #[error("the value cannot be sealed")]
    CannotSeal,
}

/// Sealing (AEAD), keyed hashes (HMAC) and randomness under the server's master key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Vault: Send + Sync {
    /// Seals `plain`; only a call with the same `context` opens it, so that a sealed value cannot be moved to
    /// another row.
    ///
    /// # Errors
    /// [`VaultError::CannotSeal`].
    fn seal(&self, plain: &[u8], context: &str) -> Result<Vec<u8>, VaultError>;

    /// Opens what [`Vault::seal`] made.
    ///
    /// # Errors
    /// [`VaultError::CannotOpen`].
    fn open(&self, sealed: &[u8], context: &str) -> Result<Vec<u8>, VaultError>;

    /// What every value begins with that [`Vault::seal`] makes now, and none that another key has sealed.
    fn sealed_prefix(&self) -> Vec<u8>;

    /// HMAC-SHA256 under a key of its own for each `purpose`. A short code inside `data` cannot be found by
    /// trying, as it could be behind a plain hash.
    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32];

    /// 256 random bits.
    fn random(&self) -> [u8; 32];
}
