//! Secrets: sealing what must be read back, hashing what must only be recognised.

mod keys;
pub mod ports;
mod probe;
mod reseal;
mod seal_context;
mod traces;

pub use keys::{CheckKeys, CheckKeysError, KeysFound, WrongKey};
pub use probe::{KeyProbe, probe_place};
pub use reseal::{ResealValues, Resealed, Tally};
pub use seal_context::{Binding, SealContext};
pub use traces::{Trace, Traces};

/// Failure to open or to seal a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The value was sealed under an unknown key or for another place, or it was changed.
    #[error("the sealed value cannot be opened with the keys in force")]
    CannotOpen,
    #[error("the value cannot be sealed")]
    CannotSeal,
}

/// Sealing (AEAD), keyed hashing (HMAC) and randomness, under the server's master key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Vault: Send + Sync {
    /// Seals `plain` for its place, in the form that the binding asks for.
    fn seal(&self, plain: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError>;

    /// Opens what [`Vault::seal`] made for this place; an unbound value only while the binding allows it.
    fn open(&self, sealed: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError>;

    /// Returns how far values are bound: completely, until [`Vault::bind`] says otherwise.
    fn binding(&self) -> Binding;

    /// Sets the form in which values are sealed and opened from now on.
    fn bind(&self, binding: Binding);

    /// Returns whether a value claims to be bound.
    fn is_bound(&self, sealed: &[u8]) -> bool;

    /// Returns the prefix of every value that [`Vault::seal`] makes now, and of none made with another key or
    /// in the other form.
    fn sealed_prefix(&self) -> Vec<u8>;

    /// Returns HMAC-SHA256 under a key of its own for each `purpose`. A short code inside `data` cannot be
    /// found by trying, as it could be behind a plain hash.
    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32];

    /// Returns 256 random bits.
    fn random(&self) -> [u8; 32];
}
