//! Headers of the Standard Webhooks specification, sent beside ours to addresses that opt in, so that its
//! verifiers work as they are.
//!
//! `webhook-signature` is `v1,<base64>`, again for each secret in force with a space between, where the
//! base64 is the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`. That specification writes a
//! secret as `whsec_` and the base64 of the key. The 64 digits of our secrets are base64 too, so its
//! verifiers take our secret as it is and decode a key of 48 bytes from it; that key signs here.

use data_encoding::BASE64;
use domain::webhooks::WebhookSecret;
use ring::hmac::{Context, HMAC_SHA256, Key};
use time::OffsetDateTime;

/// Header with the delivery's id.
pub const ID: &str = "webhook-id";
/// Header with the time of the signature, in Unix seconds.
pub const TIMESTAMP: &str = "webhook-timestamp";
/// Header with the signatures.
pub const SIGNATURE: &str = "webhook-signature";

/// Returns the header of signatures for a delivery, one for each secret.
pub fn sign_with<'a>(
    secrets: impl Iterator<Item = &'a WebhookSecret>,
    id: &str,
    at: OffsetDateTime,
    raw: &[u8],
) -> String {
    let t = at.unix_timestamp().to_string();
    let sign = |secret: &WebhookSecret| {
        let mut context = Context::with_key(&key(secret));
        for part in [id.as_bytes(), b".", t.as_bytes(), b".", raw] {
            context.update(part);
        }
        format!("v1,{}", BASE64.encode(context.sign().as_ref()))
    };
    secrets.map(sign).collect::<Vec<_>>().join(" ")
}

/// Returns the key of a secret; one that is not base64 signs with its own bytes.
fn key(secret: &WebhookSecret) -> Key {
    let text = secret.reveal();
    let digits = text.strip_prefix("whsec_").unwrap_or(text);
    let decoded = BASE64.decode(digits.as_bytes());
    Key::new(HMAC_SHA256, decoded.as_deref().unwrap_or(digits.as_bytes()))
}

#[cfg(test)]
mod tests {
    use domain::webhooks::WebhookSecret;
    use time::macros::datetime;

    use super::sign_with;

    /// The example that the specification's own libraries are tested with.
    #[test]
    fn the_published_vector_is_signed_as_published() {
        let secret = WebhookSecret::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let at = datetime!(2021-02-25 15:02:10 UTC);
        let signed =
            sign_with([&secret].into_iter(), "msg_p5jXN8AQM9LWM0D4loKWxJek", at, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
