//! The master key and the root of every key derived from it.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use ring::hkdf;
use secrecy::{ExposeSecret, SecretBox};

/// Length of a master key in bytes.
pub(crate) const KEY_LEN: usize = 32;

/// Error of a text that is no master key. The text itself is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a master key is 32 bytes, written as 64 hexadecimal digits or as base64")]
pub struct MasterKeyError;

/// 256 secret bits from which every other key is derived. Its `Debug` shows nothing of it.
#[derive(Debug)]
pub struct MasterKey(SecretBox<[u8; KEY_LEN]>);

impl MasterKey {
    /// Creates a key from bytes, which should come from [`fill_random`](crate::fill_random) or a similar
    /// source.
    pub fn from_bytes(bytes: [u8; KEY_LEN]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }

    /// Parses a key from 64 hexadecimal digits or from base64 (either alphabet, padded or not), ignoring
    /// white space around it.
    ///
    /// # Errors
    /// [`MasterKeyError`] if it is neither, or not 32 bytes.
    pub fn parse(text: &str) -> Result<Self, MasterKeyError> {
        parse_bytes(text).map(Self::from_bytes).ok_or(MasterKeyError)
    }

    pub(crate) fn expose(&self) -> &[u8; KEY_LEN] {
        self.0.expose_secret()
    }
}

/// Parses 32 bytes from 64 hexadecimal digits or from base64 (either alphabet, padded or not), ignoring white
/// space around them.
pub(crate) fn parse_bytes(text: &str) -> Option<[u8; KEY_LEN]> {
    let text = text.trim();
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok().or_else(|| {
        [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD]
            .iter()
            .find_map(|alphabet| alphabet.decode(text.as_bytes()).ok())
    });
    bytes?.try_into().ok()
}

/// Returns the root of every key derived from `master`.
pub(crate) fn root(master: &MasterKey) -> hkdf::Prk {
    hkdf::Salt::new(hkdf::HKDF_SHA256, b"messaging-service vault").extract(master.expose())
}

/// Number of bytes to derive.
pub(crate) struct Len(pub(crate) usize);

impl hkdf::KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::{HEXLOWER, HEXUPPER};

    use super::*;

    #[test]
    fn a_key_is_read_from_hex_and_from_both_alphabets_of_base64() {
        let bytes = [0xfb; KEY_LEN];
        let spellings = [
            HEXLOWER.encode(&bytes),
            HEXUPPER.encode(&bytes),
            BASE64.encode(&bytes),
            BASE64_NOPAD.encode(&bytes),
            BASE64URL.encode(&bytes),
            BASE64URL_NOPAD.encode(&bytes),
            format!("  {}\n", HEXLOWER.encode(&bytes)),
        ];
        for text in spellings {
            assert_eq!(MasterKey::parse(&text).unwrap().expose(), &bytes, "{text}");
        }
    }

    #[test]
    fn what_is_not_32_bytes_is_no_key() {
        for text in ["", "secret", &"ab".repeat(31), &"ab".repeat(33), &BASE64.encode(&[1; 31]), "zz zz"] {
            assert_eq!(MasterKey::parse(text).unwrap_err(), MasterKeyError, "{text}");
        }
    }
}
