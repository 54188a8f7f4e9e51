//! Header that proves a delivery to be ours: `X-Service-Signature: t=<unix seconds>,v1=<hex>`, where the hex
//! is the HMAC-SHA256 of `<t>.<raw body>` under the address's whole secret, its prefix included
//! (docs/use/webhooks.md, "Verify it").

use std::time::Duration;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use domain::webhooks::WebhookSecret;
use ring::hmac::{self, Context, HMAC_SHA256, Key};
use time::OffsetDateTime;

/// Name of the header, in the lower case of HTTP/2.
pub const HEADER: &str = "x-service-signature";

/// Largest distance of a signature's time from the receiver's clock, either way (docs/use/webhooks.md,
/// "Verify it").
pub const TOLERANCE: Duration = Duration::from_mins(5);

/// Reason why a delivery is not accepted as ours, in words for the author of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureProblem {
    #[error("there is no X-Service-Signature header")]
    Missing,
    #[error("X-Service-Signature is not of the form `t=<unix seconds>,v1=<64 hex digits>`")]
    Form,
    #[error(
        "v1 does not match: the secret is not this address's current one, or the body was changed before it \
         was verified (take the raw bytes as received, not parsed and written again)"
    )]
    Mismatch,
    #[error("t is {seconds} s behind this clock, more than 300: a replayed delivery, or the clock is fast")]
    TooOld {
        /// Seconds that `t` is behind the clock.
        seconds: u64,
    },
    #[error("t is {seconds} s ahead of this clock, more than 300: the clock is slow")]
    TooNew {
        /// Seconds that `t` is ahead of the clock.
        seconds: u64,
    },
}

/// Returns the header's value for `raw`, signed at `at`.
pub fn sign(secret: &WebhookSecret, at: OffsetDateTime, raw: &[u8]) -> String {
    sign_with([secret].into_iter(), at, raw)
}

/// Returns the header's value with a `v1` for each secret in force: two while a rotation's overlap lasts, the
/// newer first.
pub fn sign_with<'a>(
    secrets: impl Iterator<Item = &'a WebhookSecret>,
    at: OffsetDateTime,
    raw: &[u8],
) -> String {
    let t = at.unix_timestamp().to_string();
    let mut header = format!("t={t}");
    for secret in secrets {
        let mut context = Context::with_key(&key(secret));
        for part in [t.as_bytes(), b".", raw] {
            context.update(part);
        }
        header.push_str(",v1=");
        header.push_str(&HEXLOWER.encode(context.sign().as_ref()));
    }
    header
}

/// Verifies a delivery as a receiver does: `raw` are the body's bytes as they came, `now` its clock. Compares
/// in constant time. Of several `v1` one that matches is enough; other elements are ignored, for later
/// versions to add.
///
/// # Errors
/// The first [`SignatureProblem`]; the time counts only once the HMAC has vouched for it.
pub fn verify(
    secret: &WebhookSecret,
    header: Option<&str>,
    raw: &[u8],
    now: OffsetDateTime,
) -> Result<(), SignatureProblem> {
    let header = header.ok_or(SignatureProblem::Missing)?;
    let (t, signed_at, tags) = read(header).ok_or(SignatureProblem::Form)?;
    let (key, signed) = (key(secret), signed_bytes(t, raw));
    if !tags.iter().any(|tag| hmac::verify(&key, &signed, tag).is_ok()) {
        return Err(SignatureProblem::Mismatch);
    }
    let now = now.unix_timestamp();
    let seconds = now.abs_diff(signed_at);
    if seconds <= TOLERANCE.as_secs() {
        Ok(())
    } else if signed_at < now {
        Err(SignatureProblem::TooOld { seconds })
    } else {
        Err(SignatureProblem::TooNew { seconds })
    }
}

/// Parses the header: `t` as written and as a number, and the bytes of each `v1`.
fn read(header: &str) -> Option<(&str, i64, Vec<Vec<u8>>)> {
    let elements = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let mut times = elements().filter(|(key, _)| *key == "t").map(|(_, t)| t);
    let (Some(t), None) = (times.next(), times.next()) else { return None };
    let tag = |v1: &str| HEXLOWER_PERMISSIVE.decode(v1.as_bytes()).ok().filter(|tag| tag.len() == 32);
    let tags: Option<Vec<_>> = elements().filter(|(key, _)| *key == "v1").map(|(_, v1)| tag(v1)).collect();
    Some((t, seconds(t)?, tags.filter(|tags| !tags.is_empty())?))
}

/// Parses Unix seconds, written in digits alone.
pub(crate) fn seconds(t: &str) -> Option<i64> {
    t.parse().ok().filter(|_| t.bytes().all(|byte| byte.is_ascii_digit()))
}

fn key(secret: &WebhookSecret) -> Key {
    Key::new(HMAC_SHA256, secret.reveal().as_bytes())
}

fn signed_bytes(t: &str, raw: &[u8]) -> Vec<u8> {
    [t.as_bytes(), b".", raw].concat()
}

#[cfg(test)]
mod tests {
    use domain::webhooks::WebhookSecret;
    use time::{OffsetDateTime, ext::NumericalDuration, macros::datetime};

    use super::{SignatureProblem, sign, sign_with, verify};

    const NOON: OffsetDateTime = datetime!(2026-11-21 12:00 UTC);
    const BODY: &[u8] = br#"{"type":"ping"}"#;

    fn secret() -> WebhookSecret {
        "whsec_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".to_owned().into()
    }

    /// Vectors computed apart from this code, with Python's `hmac` and once with plain SHA-256.
    #[test]
    fn signatures_agree_with_the_published_vectors() {
        let other = "whsec_ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";
        let ping = concat!(
            r#"{"id":"0192f0c1-7a00-7000-8000-000000000001","type":"ping","#,
            r#""createdAt":"2026-11-21T00:00:00.000Z","#,
            r#""team":{"id":"0192f0c1-7a00-7000-8000-000000000002"},"data":{"message":"hello"}}"#,
        );
        let midnight = datetime!(2026-11-21 00:00 UTC);
        let table = [
            (
                secret(),
                midnight,
                ping,
                "t=1795219200,v1=f2cdc1c8bac070e3c9f4a5d6972c18b26744f0217bf5525415a7cbd8443648b4",
            ),
            (
                secret(),
                midnight,
                "",
                "t=1795219200,v1=40b74545a5df6a04619f423eff11ef576c2a6cc7c8d1655f8836826551d3903b",
            ),
            (
                other.to_owned().into(),
                midnight + 301.seconds(),
                r#"{"text":"مرحبا 👋\n"}"#,
                "t=1795219501,v1=23a76033a8d60d1e05308b85129c65c0e1277b8c589faf7176b53667de0de37f",
            ),
        ];
        for (secret, at, body, header) in table {
            assert_eq!(sign(&secret, at, body.as_bytes()), header);
            assert_eq!(verify(&secret, Some(header), body.as_bytes(), at), Ok(()));
        }
    }

    #[test]
    fn while_two_secrets_sign_either_verifies() {
        let old = WebhookSecret::from("whsec_00".to_owned());
        let header = sign_with([&secret(), &old].into_iter(), NOON, BODY);
        assert_eq!(header.matches(",v1=").count(), 2);
        for secret in [&secret(), &old] {
            assert_eq!(verify(secret, Some(&header), BODY, NOON), Ok(()));
        }
        let other = WebhookSecret::from("whsec_01".to_owned());
        assert_eq!(verify(&other, Some(&header), BODY, NOON), Err(SignatureProblem::Mismatch));
    }

    #[test]
    fn a_part_of_a_second_does_not_show() {
        assert_eq!(sign(&secret(), NOON + 999.milliseconds(), BODY), sign(&secret(), NOON, BODY));
    }

    #[test]
    fn a_clock_may_be_five_minutes_off_either_way_and_no_more() {
        let header = sign(&secret(), NOON, BODY);
        let verify_at = |now| verify(&secret(), Some(&header), BODY, now);
        assert_eq!(verify_at(NOON + 300.seconds()), Ok(()));
        assert_eq!(verify_at(NOON - 300.seconds()), Ok(()));
        assert_eq!(verify_at(NOON + 301.seconds()), Err(SignatureProblem::TooOld { seconds: 301 }));
        assert_eq!(verify_at(NOON - 301.seconds()), Err(SignatureProblem::TooNew { seconds: 301 }));
    }

    #[test]
    fn another_secret_body_or_time_does_not_match() {
        let header = sign(&secret(), NOON, BODY);
        let rotated = WebhookSecret::from("whsec_00".to_owned());
        assert_eq!(verify(&rotated, Some(&header), BODY, NOON), Err(SignatureProblem::Mismatch));
        let reprinted = br#"{ "type": "ping" }"#;
        assert_eq!(verify(&secret(), Some(&header), reprinted, NOON), Err(SignatureProblem::Mismatch));
        let postdated = header.replace("t=179", "t=189");
        assert_eq!(verify(&secret(), Some(&postdated), BODY, NOON), Err(SignatureProblem::Mismatch));
    }

    #[test]
    fn a_header_is_refused_by_its_form_before_anything_else() {
        assert_eq!(verify(&secret(), None, BODY, NOON), Err(SignatureProblem::Missing));
        let hex = "0".repeat(64);
        for header in [
            String::new(),
            hex.clone(),
            format!("v1={hex}"),
            format!("t=,v1={hex}"),
            format!("t=noon,v1={hex}"),
            format!("t=+1795219200,v1={hex}"),
            format!("t=1795219200,t=1795219200,v1={hex}"),
            format!("t=99999999999999999999,v1={hex}"),
            "t=1795219200".to_owned(),
            "t=1795219200,v1=".to_owned(),
            format!("t=1795219200,v1={hex}00"),
            format!("t=1795219200,v1=g{hex}"),
            format!("t=1795219200;v1={hex}"),
            format!("t=1795219200,v2={hex}"),
        ] {
            assert_eq!(verify(&secret(), Some(&header), BODY, NOON), Err(SignatureProblem::Form), "{header}");
        }
    }

    #[test]
    fn elements_of_a_later_version_are_passed_over() {
        let header = format!("v0=old, {},v2=new", sign(&secret(), NOON, BODY));
        assert_eq!(verify(&secret(), Some(&header), BODY, NOON), Ok(()));
    }
}
