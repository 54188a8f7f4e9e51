//! Sealing of secrets, keyed hashes and randomness, with `ring` under master keys that the operator holds.
//!
//! Invariants: no key material is ever printed; a sealed value opens only at the place it was sealed for;
//! adding a master key changes no keyed hash.

mod keys;
mod master_key;
mod random;
mod seal;
mod vault;

pub use keys::{HashKey, HashKeyError, Keyring};
pub use master_key::{MasterKey, MasterKeyError};
pub use random::{fill_random, sha256};
pub use vault::RingVault;
