//! The secret that a device makes its codes of.

use std::fmt;

use data_encoding::BASE32_NOPAD;

use crate::vault::Vault;

/// Bytes of a secret, as many as of SHA-1's output (RFC 4226, 4).
const SECRET_BYTES: usize = 20;

/// Secret from which a member's device makes its codes. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret(Vec<u8>);

impl TotpSecret {
    /// Generates a secret from fresh random bits.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(vault.random().into_iter().take(SECRET_BYTES).collect())
    }

    /// Takes a stored secret.
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, for sealing and for making codes.
    pub fn reveal(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret as devices take it.
    pub fn in_base32(&self) -> String {
        BASE32_NOPAD.encode(&self.0)
    }
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(…)")
    }
}
