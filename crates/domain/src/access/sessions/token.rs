//! Tokens of sessions, and the hashes that are stored of them.

use std::fmt;

use crate::{hex::hex, vault::Vault};

/// Hexadecimal digits of 256 bits.
const DIGITS: usize = 64;

/// Secret of a session: 256 random bits, which only the browser has.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

/// Hash of a token, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionHash(pub [u8; 32]);

impl SessionToken {
    /// Generates a token from fresh random bits.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(hex(&vault.random()))
    }

    /// Parses what a browser sent; `None` if it cannot be one of our tokens, which saves the look-up.
    pub fn read(text: &str) -> Option<Self> {
        let well_formed = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        well_formed.then(|| Self(text.to_owned()))
    }

    /// Returns the token in clear, for the browser's cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash by which the token is stored and looked up.
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
