//! One-time passwords by time (RFC 6238) and the codes for a lost device.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use time::OffsetDateTime;

use super::{ports::OneTimePasswords, totp_secret::TotpSecret};
use crate::vault::Vault;

/// Time for which a code is shown, in seconds (RFC 6238, 5.2).
const STEP_SECONDS: i64 = 30;

/// Steps that a code may be early or late: clocks differ, and people type.
const SKEW: i64 = 1;

/// Letters of a recovery code, of 5 bits each.
const RECOVERY_LETTERS: usize = 16;

/// Recovery codes that a member is given.
const RECOVERY_CODES: usize = 10;

impl TotpSecret {
    /// Returns the step of time of a code; `None` if the code is not of about now, or its step not after
    /// `last`.
    pub(super) fn step_of(
        &self,
        code: &str,
        now: OffsetDateTime,
        last: Option<i64>,
        codes: &dyn OneTimePasswords,
    ) -> Option<i64> {
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let current = now.unix_timestamp() / STEP_SECONDS;
        let mut steps = (current - SKEW..=current + SKEW).filter(|step| last.is_none_or(|last| *step > last));
        steps.find(|step| {
            let moment = u64::try_from(*step).unwrap_or_default();
            format!("{:06}", codes.code(self.reveal(), moment)) == digits
        })
    }
}

/// Returns the address that a device reads from a picture.
pub(super) fn otpauth_uri(secret: &TotpSecret, email: &str) -> String {
    let label: String = url::form_urlencoded::byte_serialize(email.as_bytes()).collect();
    let secret = secret.in_base32();
    format!("otpauth://totp/Messaging%20Service:{label}?secret={secret}&issuer=Messaging%20Service")
}

/// Code that stands in once for a lost device: 80 random bits. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    /// Generates a member's recovery codes.
    pub fn generate(vault: &dyn Vault) -> Vec<Self> {
        (0..RECOVERY_CODES)
            .map(|_| Self(BASE32_NOPAD.encode(&vault.random()).chars().take(RECOVERY_LETTERS).collect()))
            .collect()
    }

    /// Parses a presented code; `None` if it cannot be one.
    pub fn presented(text: &str) -> Option<Self> {
        let letters: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
        (letters.len() == RECOVERY_LETTERS).then(|| Self(letters.to_uppercase()))
    }

    /// Returns the code as it is shown the one time, in fours.
    pub fn reveal(&self) -> String {
        let letters: Vec<char> = self.0.chars().collect();
        letters.chunks(4).map(String::from_iter).collect::<Vec<_>>().join("-")
    }

    /// Returns the hash by which the code is stored and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> [u8; 32] {
        vault.keyed_hash("recovery-code", self.0.as_bytes())
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime};

    use super::{RecoveryCode, otpauth_uri};
    use crate::access::sessions::ports::MockOneTimePasswords;
    use crate::access::sessions::totp_secret::TotpSecret;

    #[test]
    fn a_secret_is_shown_in_the_base32_of_rfc_4648_without_padding() {
        for (text, wanted) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(TotpSecret::from_bytes(text.into()).in_base32(), wanted);
        }
    }

    #[test]
    fn a_code_is_taken_around_its_time_and_only_once() {
        // Each step's code is its own number.
        let mut codes = MockOneTimePasswords::new();
        codes.expect_code().returning(|_, step| u32::try_from(step % 1_000_000).unwrap());
        let secret = TotpSecret::from_bytes(vec![1; 20]);
        let now = OffsetDateTime::from_unix_timestamp(30 * 1000).unwrap();
        let at = |code: &str, last| secret.step_of(code, now, last, &codes);
        for (code, last, wanted) in [
            ("001000", None, Some(1000)),
            ("001 000", None, Some(1000)),
            ("000999", None, Some(999)),
            ("001001", None, Some(1001)),
            ("000998", None, None),
            ("001002", None, None),
            ("1000", None, None),
            ("", None, None),
            ("001000", Some(1000), None),
            ("000999", Some(1000), None),
            ("001001", Some(1000), Some(1001)),
        ] {
            assert_eq!(at(code, last), wanted, "{code} {last:?}");
        }
        let later = now + Duration::seconds(59);
        assert_eq!(secret.step_of("001000", later, None, &codes), Some(1000));
        assert_eq!(format!("{secret:?}"), "TotpSecret(…)");
    }

    #[test]
    fn a_recovery_code_is_read_as_people_write_it() {
        let codes = RecoveryCode::generate(&crate::testing::a_vault());
        assert_eq!(codes.len(), 10);
        let code = codes.first().unwrap();
        assert_eq!(code.reveal(), "VOV2-XK5L-VOV2-XK5L");
        assert_eq!(RecoveryCode::presented(" vov2xk5l-VOV2 XK5L").as_ref(), Some(code));
        assert_eq!(RecoveryCode::presented("001000"), None);
        assert_eq!(format!("{code:?}"), "RecoveryCode(…)");
    }

    #[test]
    fn a_device_reads_the_secret_from_an_address() {
        let uri = otpauth_uri(&TotpSecret::from_bytes(b"foobar".to_vec()), "a+b@c.example");
        let wanted = "otpauth://totp/Messaging%20Service:a%2Bb%40c.example?secret=MZXW6YTBOI&issuer=Messaging%20Service";
        assert_eq!(uri, wanted);
    }
}
