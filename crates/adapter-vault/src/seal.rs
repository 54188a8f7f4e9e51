//! One sealing key and the form of a sealed value:
//!
//! ```text
//! version (1 byte) | key id (4) | nonce (12) | ciphertext | tag (16)
//! ```
//!
//! AES-256-GCM; version, key id and context are authenticated with the text. The nonce is random, which is
//! sound for 2^32 values under one key (NIST SP 800-38D, 8.3); rotate the master key before that.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::error::Unspecified;
use ring::hkdf;

use crate::keys::MasterKey;
use crate::random::fill_random;

const VERSION: u8 = 1;
const ID_LEN: usize = 4;
const HEADER_LEN: usize = 1 + ID_LEN;

/// A key that seals and opens, derived from a master key.
pub(crate) struct SealingKey {
    header: [u8; HEADER_LEN],
    key: LessSafeKey,
}

impl SealingKey {
    /// Fails only if `ring` refuses lengths that are fixed here.
    pub(crate) fn derive(master: &MasterKey) -> Result<Self, Unspecified> {
        let root = root(master);
        let key: UnboundKey = root.expand(&[b"seal"], &AES_256_GCM)?.into();
        let mut id = [0; ID_LEN];
        root.expand(&[b"key id"], Len(ID_LEN))?.fill(&mut id)?;
        let [a, b, c, d] = id;
        Ok(Self { header: [VERSION, a, b, c, d], key: LessSafeKey::new(key) })
    }

    pub(crate) fn seal(&self, plain: &[u8], context: &str) -> Result<Vec<u8>, Unspecified> {
        let mut nonce = [0; NONCE_LEN];
        fill_random(&mut nonce);
        let mut text = plain.to_vec();
        self.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            self.authenticated(context),
            &mut text,
        )?;
        Ok([&self.header[..], &nonce, &text].concat())
    }

    /// `None` when the value was not sealed by this key, for this context, exactly so.
    pub(crate) fn open(&self, sealed: &[u8], context: &str) -> Option<Vec<u8>> {
        let (nonce, text) = sealed.strip_prefix(&self.header)?.split_first_chunk::<NONCE_LEN>()?;
        let mut text = text.to_vec();
        let plain_len = self
            .key
            .open_in_place(Nonce::assume_unique_for_key(*nonce), self.authenticated(context), &mut text)
            .ok()?
            .len();
        text.truncate(plain_len);
        Some(text)
    }

    /// What every value begins with that this key has sealed, and no other key's.
    pub(crate) fn header(&self) -> &[u8; HEADER_LEN] {
        &self.header
    }

    fn authenticated(&self, context: &str) -> Aad<Vec<u8>> {
        Aad::from([&self.header[..], context.as_bytes()].concat())
    }
}

/// The root of every key derived from `master`.
pub(crate) fn root(master: &MasterKey) -> hkdf::Prk {
    hkdf::Salt::new(hkdf::HKDF_SHA256, b"messaging-service vault").extract(master.expose())
}

/// So many derived bytes.
pub(crate) struct Len(pub(crate) usize);

impl hkdf::KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}
