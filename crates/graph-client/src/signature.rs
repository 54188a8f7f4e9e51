//! The signature of the network's webhooks, `X-Hub-Signature-256`, and the proof that accompanies tokens
//! (docs/run/networks.md, "Posts to the callback"; docs/run/networks.md, "The Graph API").
//!
//! Both are HMAC-SHA256 under the app's secret.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

const PREFIX: &str = "sha256=";
/// Bytes of a tag.
const TAG: usize = 32;

/// Reason why a webhook's signature does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the signature header is missing")]
    Missing,
    /// The header is not `sha256=` and 64 hexadecimal digits.
    #[error("the signature header is malformed")]
    Malformed,
    /// The signature covers other bytes or was made with another secret, or no secret is set here.
    #[error("the signature does not match")]
    Mismatch,
}

/// Returns whether `header` has the form of a signature.
pub fn has_form(header: &str) -> bool {
    let digits = header.strip_prefix(PREFIX);
    digits
        .is_some_and(|digits| digits.len() == 2 * TAG && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Checks `header` (the value of `X-Hub-Signature-256`, empty when absent) over the body's raw bytes, in a
/// time that does not depend on where a wrong one differs. To be called before the body is parsed.
pub fn verify(app_secret: &SecretString, raw_body: &[u8], header: &str) -> Result<(), SignatureError> {
    let header = header.trim();
    if header.is_empty() {
        return Err(SignatureError::Missing);
    }
    let digits = header.strip_prefix(PREFIX).ok_or(SignatureError::Malformed)?;
    let tag = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok().filter(|tag| tag.len() == TAG);
    let tag = tag.ok_or(SignatureError::Malformed)?;
    if app_secret.expose_secret().is_empty() {
        return Err(SignatureError::Mismatch);
    }
    hmac::verify(&key(app_secret), raw_body, &tag).map_err(|_| SignatureError::Mismatch)
}

/// Returns the header's value for `raw_body`, as a stand-in for the network sends it.
pub fn sign(app_secret: &SecretString, raw_body: &[u8]) -> String {
    format!("{PREFIX}{}", HEXLOWER.encode(hmac::sign(&key(app_secret), raw_body).as_ref()))
}

/// Returns the `appsecret_proof`, which shows that the user of `token` also holds the app's secret.
pub fn appsecret_proof(app_secret: &SecretString, token: &SecretString) -> String {
    HEXLOWER.encode(hmac::sign(&key(app_secret), token.expose_secret().as_bytes()).as_ref())
}

fn key(app_secret: &SecretString) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, app_secret.expose_secret().as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secret(text: &str) -> SecretString {
        SecretString::from(text)
    }

    /// RFC 4231, test case 2.
    const RFC_TAG: &str = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    #[test]
    fn the_published_vector_holds() {
        let body = b"what do ya want for nothing?";
        assert_eq!(sign(&secret("Jefe"), body), RFC_TAG);
        assert_eq!(verify(&secret("Jefe"), body, RFC_TAG), Ok(()));
        assert_eq!(verify(&secret("Jefe"), body, &format!(" {RFC_TAG} ")), Ok(()));
    }

    #[test]
    fn a_signature_is_known_by_its_form() {
        let digits = "0123456789abcdefABCDEF0123456789".repeat(2);
        assert!(has_form(&format!("sha256={digits}")));
        let wrong = [String::new(), "x".to_owned(), digits.clone(), format!("sha1={digits}")];
        let longer = [format!("sha256={digits}0"), format!("sha256= {digits}"), "sha256=".to_owned()];
        let other = [format!("sha256={}g", digits.get(1..).unwrap())];
        for text in wrong.into_iter().chain(longer).chain(other) {
            assert!(!has_form(&text), "{text}");
        }
    }

    #[test]
    fn the_escaped_bytes_are_signed_not_the_text_they_mean() {
        let escaped = br#"{"text":"\u0633\u0627\u0631\u0629 \ud83d\udc4d https:\/\/x.example"}"#;
        let plain = r#"{"text":"سارة 👍 https://x.example"}"#.as_bytes();
        let parsed: [serde_json::Value; 2] =
            [escaped.as_slice(), plain].map(|raw| serde_json::from_slice(raw).unwrap());
        assert_eq!(parsed[0], parsed[1]);
        let header = sign(&secret("app"), escaped);
        assert_eq!(verify(&secret("app"), escaped, &header), Ok(()));
        assert_eq!(verify(&secret("app"), plain, &header), Err(SignatureError::Mismatch));
    }

    #[test]
    fn what_does_not_hold_is_told_apart() {
        let body = b"{}";
        let good = sign(&secret("app"), body);
        let table = [
            (String::new(), SignatureError::Missing),
            ("  ".into(), SignatureError::Missing),
            (good.replace("sha256=", ""), SignatureError::Malformed),
            (good.replace("sha256=", "sha1="), SignatureError::Malformed),
            (format!("{good}00"), SignatureError::Malformed),
            ("sha256=zz".into(), SignatureError::Malformed),
            (sign(&secret("other"), body), SignatureError::Mismatch),
            (sign(&secret("app"), b"{} "), SignatureError::Mismatch),
        ];
        for (header, fault) in table {
            assert_eq!(verify(&secret("app"), body, &header), Err(fault), "{header}");
        }
    }

    #[test]
    fn no_header_of_the_corpus_is_taken_for_a_signature() {
        for header in include_str!("../../../tests/corpora/network-signatures.txt").lines() {
            assert!(verify(&secret("app"), b"{}", header).is_err(), "{header}");
        }
    }

    proptest! {
        #[test]
        fn no_header_makes_the_check_panic(header in "(sha256=)?[0-9a-fA-F]{0,70}|.{0,90}", body in any::<Vec<u8>>()) {
            prop_assert!(verify(&secret("app"), &body, &header).is_err());
        }

        #[test]
        fn only_the_signed_bytes_pass(body in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
            let header = sign(&secret("app"), &body);
            prop_assert_eq!(verify(&secret("app"), &body, &header), Ok(()));
            if !body.is_empty() {
                let mut other = body.clone();
                other[at.index(body.len())] ^= 1;
                prop_assert_eq!(verify(&secret("app"), &other, &header), Err(SignatureError::Mismatch));
            }
        }
    }

    #[test]
    fn without_a_secret_nothing_is_accepted() {
        assert_eq!(verify(&secret(""), b"{}", &sign(&secret(""), b"{}")), Err(SignatureError::Mismatch));
    }

    #[test]
    fn the_proof_is_the_tokens_hmac_in_lower_case_hex() {
        let proof = appsecret_proof(&secret("Jefe"), &secret("what do ya want for nothing?"));
        assert_eq!(format!("sha256={proof}"), RFC_TAG);
    }
}
