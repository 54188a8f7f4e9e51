//! HMAC-based one-time passwords (RFC 4226).

use domain::access::sessions::ports::OneTimePasswords;
use ring::hmac;

/// [`OneTimePasswords`] with SHA-1, which every authenticator supports.
#[derive(Debug, Clone, Copy, Default)]
pub struct HmacOneTimePasswords;

impl OneTimePasswords for HmacOneTimePasswords {
    fn code(&self, secret: &[u8], counter: u64) -> u32 {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
        let tag = hmac::sign(&key, &counter.to_be_bytes());
        // Dynamic truncation (5.3): the last four bits say where the code's four bytes start.
        let offset = tag.as_ref().last().map_or(0, |last| usize::from(last & 0x0f));
        let bytes = tag.as_ref().iter().skip(offset).take(4);
        let word = bytes.fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
        (word & 0x7fff_ffff) % 1_000_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_rfc_4226() {
        // Appendix D.
        let wanted =
            [755_224, 287_082, 359_152, 969_429, 338_314, 254_676, 287_922, 162_583, 399_871, 520_489];
        for (counter, code) in (0..).zip(wanted) {
            assert_eq!(HmacOneTimePasswords.code(b"12345678901234567890", counter), code, "{counter}");
        }
    }

    #[test]
    fn codes_by_time_are_those_of_rfc_6238() {
        // Appendix B, SHA-1, the last six digits.
        for (seconds, code) in [
            (59, 287_082),
            (1_111_111_109, 81_804),
            (1_111_111_111, 50_471),
            (1_234_567_890, 5_924),
            (2_000_000_000, 279_037),
            (20_000_000_000, 353_130),
        ] {
            assert_eq!(HmacOneTimePasswords.code(b"12345678901234567890", seconds / 30), code, "{seconds}");
        }
    }
}
