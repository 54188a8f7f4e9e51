//! The text of a key and the hash that is kept of it.

use std::fmt;

use data_encoding::HEXLOWER;

use crate::vault::Vault;

const PREFIX: &str = "msk_";
/// 256 bits take so many hexadecimal digits.
const DIGITS: usize = 64;

/// It is a key as its holder has it: `msk_` and 256 random bits. Shown once, never kept.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeySecret(String);

/// The store keeps this of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApiKeyHash(pub [u8; 32]);

impl ApiKeySecret {
    /// Makes a fresh key.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(format!("{PREFIX}{}", hex(&vault.random())))
    }

    /// Reads what a caller sent; `None` when it cannot be a key of ours, which saves the look-up.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let well_formed = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        well_formed.then(|| Self(text.to_owned()))
    }

    /// Returns the key in clear, for the one time it is shown.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash by which it is kept and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> ApiKeyHash {
        ApiKeyHash(vault.keyed_hash("api-key", self.0.as_bytes()))
    }
}

impl fmt::Debug for ApiKeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKeySecret(…)")
    }
}

/// Writes the bytes in lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::ApiKeySecret;
    use crate::vault::MockVault;

    #[test]
    fn a_fresh_key_is_recognised_and_does_not_print() {
        let mut vault = MockVault::new();
        vault.expect_random().return_const([0xab; 32]);
        let key = ApiKeySecret::generate(&vault);
        assert_eq!(ApiKeySecret::read(key.reveal()), Some(key.clone()));
        assert_eq!(format!("{key:?}"), "ApiKeySecret(…)");
    }

    #[test]
    fn what_cannot_be_a_key_is_told_without_a_look_up() {
        for text in
            ["", "msk_", "whsec_00", &format!("msk_{}", "g".repeat(64)), &format!("msk_{}", "a".repeat(63))]
        {
            assert_eq!(ApiKeySecret::read(text), None, "{text}");
        }
    }
}
