//! Master keys: how they are written, and which one serves what.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretBox};

/// Length of a master key in bytes.
pub(crate) const KEY_LEN: usize = 32;

/// A text is no master key. The text itself is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a master key is 32 bytes, written as 64 hexadecimal digits or as base64")]
pub struct MasterKeyError;

/// 256 secret bits from which every other key is derived. Its `Debug` shows nothing of it.
#[derive(Debug)]
pub struct MasterKey(SecretBox<[u8; KEY_LEN]>);

impl MasterKey {
    /// Takes the key's bytes, which should come from [`fill_random`](crate::fill_random) or a like source.
    pub fn from_bytes(bytes: [u8; KEY_LEN]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }

    /// Reads a key from 64 hexadecimal digits or from base64 (either alphabet, padded or not), white space
    /// around it ignored.
    ///
    /// # Errors
    /// [`MasterKeyError`] when it is neither, or not 32 bytes.
    pub fn parse(text: &str) -> Result<Self, MasterKeyError> {
        let text = text.trim();
        let bytes = hex::decode(text).ok().or_else(|| {
            [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
                .iter()
                .find_map(|alphabet| alphabet.decode(text).ok())
        });
        let bytes = bytes.ok_or(MasterKeyError)?.try_into().map_err(|_| MasterKeyError)?;
        Ok(Self::from_bytes(bytes))
    }

    pub(crate) fn expose(&self) -> &[u8; KEY_LEN] {
        self.0.expose_secret()
    }
}

/// The master keys in force: one seals, all of them open, one hashes.
///
/// Sealed values name the key that made them, so a rotation puts a new key first and keeps the old ones until
/// nothing sealed by them is left. Keyed hashes cannot be made again, for what was hashed is gone; so they stay
/// with the *oldest* key listed, and adding a newer one changes none. An operator who drops that oldest key
/// names it with [`Keyring::with_hash_key`], or accepts that earlier hashes match nothing any more.
#[derive(Debug)]
pub struct Keyring {
    pub(crate) current: MasterKey,
    pub(crate) previous: Vec<MasterKey>,
    hash: Option<MasterKey>,
}

impl Keyring {
    /// `current` seals; `previous`, newest first, only open.
    pub fn new(current: MasterKey, previous: Vec<MasterKey>) -> Self {
        Self { current, previous, hash: None }
    }

    /// Hashes under `key` instead of the oldest one listed.
    pub fn with_hash_key(self, key: MasterKey) -> Self {
        Self { hash: Some(key), ..self }
    }

    pub(crate) fn hash_key(&self) -> &MasterKey {
        self.hash.as_ref().or(self.previous.last()).unwrap_or(&self.current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_hex_and_from_both_alphabets_of_base64() {
        let bytes = [0xfb; KEY_LEN];
        let spellings = [
            hex::encode(bytes),
            hex::encode_upper(bytes),
            STANDARD.encode(bytes),
            STANDARD_NO_PAD.encode(bytes),
            URL_SAFE.encode(bytes),
            URL_SAFE_NO_PAD.encode(bytes),
            format!("  {}\n", hex::encode(bytes)),
        ];
        for text in spellings {
            assert_eq!(MasterKey::parse(&text).unwrap().expose(), &bytes, "{text}");
        }
    }

    #[test]
    fn what_is_not_32_bytes_is_no_key() {
        for text in ["", "secret", &"ab".repeat(31), &"ab".repeat(33), &STANDARD.encode([1; 31]), "zz zz"] {
            assert_eq!(MasterKey::parse(text).unwrap_err(), MasterKeyError, "{text}");
        }
    }

    #[test]
    fn debug_shows_nothing_of_a_key() {
        let ring = Keyring::new(MasterKey::from_bytes([0xab; KEY_LEN]), vec![]);
        let shown = format!("{ring:?}");
        assert!(!shown.contains("171") && !shown.contains("ab, ab"), "{shown}");
    }
}
