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
    /// Name of the one webhook of an app.
    pub const NAME: &str = "meta";
    /// Path that the network posts to.
    pub const PATH: &str = "/networks/meta/webhook";
    /// Header with the signature of a post.
    pub const SIGNATURE: &str = "x-hub-signature-256";

    /// Makes a gate. `app_secret` signs the posts; `verify_token` is expected in the handshake, and if empty,
    /// none is accepted.
    pub const fn new(app_secret: SecretString, verify_token: SecretString) -> Self {
        Self { app_secret, verify_token }
    }

    /// Answers the handshake with the given parameters: with the network's challenge, which proves that this
    /// address is ours. `None` if it lacks the agreed token.
    pub fn answer<'a>(&self, query: impl Fn(&str) -> Option<&'a str>) -> Option<&'a str> {
        let (subscribes, token) = (query("hub.mode") == Some("subscribe"), query("hub.verify_token"));
        let is_agreed = subscribes && self.knows(token.unwrap_or_default());
        query("hub.challenge").filter(|_| is_agreed)
    }

    /// Returns whether the network signed these bytes.
    pub fn is_signed(&self, raw: &[u8], signature: &str) -> bool {
        signature::verify(&self.app_secret, raw, signature).is_ok()
    }

    fn knows(&self, token: &str) -> bool {
        let agreed = self.verify_token.expose_secret();
        !agreed.is_empty() && equal_in_constant_time(agreed, token)
    }
}

/// Compares by HMAC, whose check takes the same time wherever the texts differ.
fn equal_in_constant_time(agreed: &str, given: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, agreed.as_bytes());
    let tag = hmac::sign(&key, agreed.as_bytes());
    hmac::verify(&key, given.as_bytes(), tag.as_ref()).is_ok()
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;
    use serde_json::Value;

    use super::Gate;
    use crate::signature;

    fn gate(verify_token: &str) -> Gate {
        Gate::new(SecretString::from("app secret"), SecretString::from(verify_token))
    }

    fn answer(gate: &Gate, query: &[(&str, &'static str)]) -> Option<&'static str> {
        gate.answer(|name| query.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn the_handshake_takes_the_agreed_token_only() {
        let with =
            |token| [("hub.mode", "subscribe"), ("hub.verify_token", token), ("hub.challenge", "1158")];
        assert_eq!(answer(&gate("agreed"), &with("agreed")), Some("1158"));
        for token in ["", "agree", "agreed ", "Agreed", "سر"] {
            assert_eq!(answer(&gate("agreed"), &with(token)), None, "{token}");
        }
        assert_eq!(answer(&gate(""), &with("")), None);
    }

    #[test]
    fn a_handshake_that_lacks_a_part_is_none() {
        let whole =
            [("hub.mode", "subscribe"), ("hub.verify_token", "agreed"), ("hub.challenge", "1158201444")];
        for left_out in 0..whole.len() {
            let (before, after) = (whole.iter().take(left_out), whole.iter().skip(left_out + 1));
            let query: Vec<_> = before.chain(after).copied().collect();
            assert_eq!(answer(&gate("agreed"), &query), None, "{query:?}");
        }
        let [_, token, challenge] = whole;
        assert_eq!(answer(&gate("agreed"), &[("hub.mode", "unsubscribe"), token, challenge]), None);
    }

    #[test]
    fn the_signature_is_over_the_escaped_bytes_as_they_came() {
        let raw =
            br#"{"object":"whatsapp_business_account","entry":[],"note":"\u0645\u0631 \ud83d\ude00 \/"}"#;
        let signature = signature::sign(&SecretString::from("app secret"), raw);
        assert!(gate("agreed").is_signed(raw, &signature));

        let written_again = serde_json::from_slice::<Value>(raw).unwrap().to_string();
        assert!(!gate("agreed").is_signed(written_again.as_bytes(), &signature));
        for forged in ["", "sha256=", "sha256=00", signature.trim_start_matches("sha256=")] {
            assert!(!gate("agreed").is_signed(raw, forged), "{forged}");
        }
    }
}
