//! The hash key, and the ring of active master keys.

use data_encoding::HEXLOWER;
use domain::vault::VaultError;
use ring::error::Unspecified;
use secrecy::{ExposeSecret, SecretBox, SecretString};

use crate::master_key::{KEY_LEN, Len, MasterKey, parse_bytes, root};

/// Reason why something is no [`HashKey`]. Its text is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashKeyError {
    /// The text is not a key.
    #[error("a hash key is 32 bytes, written as 64 hexadecimal digits or as base64")]
    Unreadable,
    /// A master key instead of the key that is derived from it.
    #[error("this is a master key, not the hash key that is derived from one")]
    IsMasterKey,
}

/// Key of every keyed hash: derived from a master key, to outlive it. It opens nothing that is sealed, and
/// the master key cannot be found from it. Its `Debug` shows nothing of it.
#[derive(Debug)]
pub struct HashKey(SecretBox<[u8; KEY_LEN]>);

impl HashKey {
    /// Parses the text that [`HashKey::reveal`] writes.
    pub fn parse(text: &str) -> Result<Self, HashKeyError> {
        parse_bytes(text).map(Self::from_bytes).ok_or(HashKeyError::Unreadable)
    }

    /// Returns the key in hexadecimal digits, for storing it.
    pub fn reveal(&self) -> SecretString {
        HEXLOWER.encode(self.expose()).into()
    }

    fn derive(master: &MasterKey) -> Result<Self, Unspecified> {
        let mut bytes = [0; KEY_LEN];
        root(master).expand(&[b"hash"], Len(KEY_LEN))?.fill(&mut bytes)?;
        Ok(Self::from_bytes(bytes))
    }

    fn from_bytes(bytes: [u8; KEY_LEN]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }

    pub(crate) fn expose(&self) -> &[u8; KEY_LEN] {
        self.0.expose_secret()
    }
}

/// Active master keys: one seals, all of them open, one hashes.
///
/// Sealed values name the key that made them, so a rotation puts a new key first and keeps the old ones until
/// nothing sealed by them is left. Keyed hashes cannot be made again, since the hashed values are gone; so
/// they stay with the *oldest* key listed, and adding a newer one changes none. Before that oldest key is
/// removed, its hash key is read ([`Keyring::hash_key`]) and from then on given ([`Keyring::with_hash_key`]).
#[derive(Debug)]
pub struct Keyring {
    pub(crate) current: MasterKey,
    pub(crate) previous: Vec<MasterKey>,
    hash: Option<HashKey>,
}

impl Keyring {
    /// Creates a keyring in which `current` seals; `previous`, newest first, only open.
    pub fn new(current: MasterKey, previous: Vec<MasterKey>) -> Self {
        Self { current, previous, hash: None }
    }

    /// Hashes under `key` instead of one that is derived from the oldest master key listed.
    ///
    /// # Errors
    /// [`HashKeyError::IsMasterKey`] if it is one of those listed.
    pub fn with_hash_key(self, key: HashKey) -> Result<Self, HashKeyError> {
        let is_master = |master: &MasterKey| master.expose() == key.expose();
        if self.previous.iter().chain([&self.current]).any(is_master) {
            return Err(HashKeyError::IsMasterKey);
        }
        Ok(Self { hash: Some(key), ..self })
    }

    /// Returns whether the hash key was given, so that hashes need none of the master keys.
    pub fn has_hash_key(&self) -> bool {
        self.hash.is_some()
    }

    /// Returns the active hash key.
    ///
    /// # Errors
    /// [`VaultError::CannotSeal`] if it cannot be derived, which happens with no master key.
    pub fn hash_key(&self) -> Result<HashKey, VaultError> {
        match &self.hash {
            Some(key) => Ok(HashKey::from_bytes(*key.expose())),
            None => HashKey::derive(self.previous.last().unwrap_or(&self.current))
                .map_err(|_| VaultError::CannotSeal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_key_is_the_oldest_master_key_s_until_it_is_given() {
        let key = |byte| MasterKey::from_bytes([byte; KEY_LEN]);
        let shown = |ring: &Keyring| ring.hash_key().unwrap().reveal().expose_secret().to_owned();
        let alone = Keyring::new(key(1), vec![]);
        // HKDF-SHA256 of these bytes, by another implementation (RFC 5869).
        let derived = "a67dcf80df7b217d95b8a165f614379c8259fcf4f09723cedd4b0e45987491e3";
        assert_eq!(shown(&alone), derived);
        assert_eq!(shown(&Keyring::new(key(3), vec![key(2), key(1)])), derived);
        let renewed = Keyring::new(key(3), vec![]).with_hash_key(HashKey::parse(derived).unwrap()).unwrap();
        assert_eq!(shown(&renewed), derived);
        assert!(renewed.has_hash_key() && !alone.has_hash_key());
    }

    #[test]
    fn a_master_key_is_no_hash_key() {
        let ring =
            || Keyring::new(MasterKey::from_bytes([2; KEY_LEN]), vec![MasterKey::from_bytes([1; KEY_LEN])]);
        for byte in [1, 2] {
            let key = HashKey::from_bytes([byte; KEY_LEN]);
            assert_eq!(ring().with_hash_key(key).unwrap_err(), HashKeyError::IsMasterKey);
        }
        assert_eq!(HashKey::parse("secret").unwrap_err(), HashKeyError::Unreadable);
    }

    #[test]
    fn debug_shows_nothing_of_a_key() {
        let ring = Keyring::new(MasterKey::from_bytes([0xab; KEY_LEN]), vec![]);
        let ring = ring.with_hash_key(HashKey::from_bytes([0xac; KEY_LEN])).unwrap();
        let shown = format!("{ring:?}");
        assert!(!shown.contains("171") && !shown.contains("ab, ab") && !shown.contains("172"), "{shown}");
    }
}
