//! Keeping secrets: sealing what must be read back, hashing what must only be recognised.

mod keys;
pub mod ports;
mod probe;
mod reseal;
mod seal_context;

pub use keys::{CheckKeys, CheckKeysError, KeysFound, Trace, Traces, WrongKey};
pub use probe::{KeyProbe, probe_place};
pub use reseal::{ResealValues, Resealed, Tally};
pub use seal_context::{Binding, SealContext};

/// A sealed value could not be opened or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The value was sealed under an unknown key or for another place, or it was changed.
    #[error("the sealed value cannot be opened with the keys in force")]
    CannotOpen,
    /// The value could not be sealed.
    #[error("the value cannot be sealed")]
    CannotSeal,
}

/// A `Vault` seals (AEAD), hashes with a key (HMAC) and gives randomness, under the server's master key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Vault: Send + Sync {
    /// Seals `plain` for its place, in the form that the binding asks for.
    ///
    /// # Errors
    /// [`VaultError::CannotSeal`].
    fn seal(&self, plain: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError>;

    /// Opens what [`Vault::seal`] made for this place; what is not bound only as long as the binding lets it.
    ///
    /// # Errors
    /// [`VaultError::CannotOpen`].
    fn open(&self, sealed: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError>;

    /// Says how far values are bound. It is complete until somebody says otherwise.
    fn binding(&self) -> Binding;

    /// Has values sealed and opened so from now on.
    fn bind(&self, binding: Binding);

    /// Says whether a value says that it is bound.
    fn is_bound(&self, sealed: &[u8]) -> bool;

    /// Returns what every value begins with that [`Vault::seal`] makes now, and none that another key or the
    /// other form has.
    fn sealed_prefix(&self) -> Vec<u8>;

    /// Returns HMAC-SHA256 under a key of its own for each `purpose`. A short code inside `data` cannot be
    /// found by trying, as it could be behind a plain hash.
    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32];

    /// Returns 256 random bits.
    fn random(&self) -> [u8; 32];
}
