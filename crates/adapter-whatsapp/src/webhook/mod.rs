//! The webhook that `WhatsApp` posts to: who may post, and what a post says.
//!
//! Reading is tolerant. What is of another type than expected takes only its own part out of the batch; what
//! is unknown is named and passed over.

mod message;
mod reading;
mod status;
mod surrogates;

use domain::inbound::{
    NetworkUpdate,
    ports::{NetworkWebhook, UnreadablePayload},
};
use graph_client::signature;
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

/// The webhook of one app.
pub struct WhatsAppWebhook {
    app_secret: SecretString,
    verify_token: SecretString,
}

impl WhatsAppWebhook {
    /// `app_secret` signs the posts; `verify_token` is what the handshake must name. An empty token agrees to
    /// no handshake.
    pub const fn new(app_secret: SecretString, verify_token: SecretString) -> Self {
        Self { app_secret, verify_token }
    }
}

impl NetworkWebhook for WhatsAppWebhook {
    fn accepts_handshake(&self, token: &str) -> bool {
        let agreed = self.verify_token.expose_secret();
        !agreed.is_empty() && equal_in_constant_time(agreed, token)
    }

    fn is_signed(&self, raw: &[u8], signature: &str) -> bool {
        signature::verify(&self.app_secret, raw, signature).is_ok()
    }

    fn read(&self, raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
        reading::read(raw)
    }
}

/// Compares by HMAC, whose check takes the same time wherever the texts differ.
fn equal_in_constant_time(agreed: &str, given: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, agreed.as_bytes());
    let tag = hmac::sign(&key, agreed.as_bytes());
    hmac::verify(&key, given.as_bytes(), tag.as_ref()).is_ok()
}
