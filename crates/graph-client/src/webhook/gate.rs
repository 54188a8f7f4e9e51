//! Check of who may post.

use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

use crate::signature;

/// Secrets that an app shares with the network.
pub struct Gate {
    app_secret: SecretString,
    verify_token: SecretString,
}

impl Gate {
    /// Makes a gate. `app_secret` signs the posts; `verify_token` is expected in the handshake, and if empty,
    /// none is accepted.
    pub const fn new(app_secret: SecretString, verify_token: SecretString) -> Self {
        Self { app_secret, verify_token }
    }

    /// Returns whether `token` is the one agreed for the handshake.
    pub fn accepts_handshake(&self, token: &str) -> bool {
        let agreed = self.verify_token.expose_secret();
        !agreed.is_empty() && equal_in_constant_time(agreed, token)
    }

    /// Returns whether the network signed these bytes.
    pub fn is_signed(&self, raw: &[u8], signature: &str) -> bool {
        signature::verify(&self.app_secret, raw, signature).is_ok()
    }
}

/// Compares by HMAC, whose check takes the same time wherever the texts differ.
fn equal_in_constant_time(agreed: &str, given: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, agreed.as_bytes());
    let tag = hmac::sign(&key, agreed.as_bytes());
    hmac::verify(&key, given.as_bytes(), tag.as_ref()).is_ok()
}
