//! What a browser holds of its session, and the hash that is kept of it.

use std::fmt;

use crate::{access::hex, vault::Vault};

/// 256 bits take so many hexadecimal digits.
const DIGITS: usize = 64;

/// It is a session's secret: 256 random bits. Only the browser has it.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

/// The store keeps this of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionHash(pub [u8; 32]);

impl SessionToken {
    /// Makes one from fresh random bits.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(hex(&vault.random()))
    }

    /// Reads what a browser sent; `None` when it cannot be a token of ours, which saves the look-up.
    pub fn read(text: &str) -> Option<Self> {
        let well_formed = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        well_formed.then(|| Self(text.to_owned()))
    }

    /// Returns the token in clear, for the browser's cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash by which it is kept and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> SessionHash {
        SessionHash(vault.keyed_hash("session", self.0.as_bytes()))
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::SessionToken;

    #[test]
    fn a_fresh_token_is_recognised_and_does_not_print() {
        let token = SessionToken::generate(&crate::testing::a_vault());
        assert_eq!(SessionToken::read(token.reveal()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "SessionToken(…)");
        for text in ["", "abab", &"g".repeat(64), &"a".repeat(65)] {
            assert_eq!(SessionToken::read(text), None, "{text}");
        }
    }
}
