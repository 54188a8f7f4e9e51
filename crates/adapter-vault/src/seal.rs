//! One sealing key and the form of a sealed value:
//!
//! ```text
//! version (1 byte) | key id (4) | nonce (12) | ciphertext | tag (16)
//! ```
//!
//! AES-256-GCM; version, key id and what the value is sealed for are authenticated with the text: in version
//! 2 the place where it is kept, in version 1 what releases named that did not bind it to one. The nonce is
//! random, which is sound for 2^32 values under one key (NIST SP 800-38D, 8.3); rotate the master key before
//! that.

use domain::vault::SealContext;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::error::Unspecified;

use crate::master_key::{Len, MasterKey, root};
use crate::random::fill_random;

const UNBOUND: u8 = 1;
const BOUND: u8 = 2;
const ID_LEN: usize = 4;
const HEADER_LEN: usize = 1 + ID_LEN;

/// A key that seals and opens, derived from a master key.
pub(crate) struct SealingKey {
    id: [u8; ID_LEN],
    key: LessSafeKey,
}

/// Form of a sealed value.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Form of earlier releases, not bound to the value's place.
    Unbound,
    Bound,
}

impl Form {
    const fn version(self) -> u8 {
        match self {
            Self::Unbound => UNBOUND,
            Self::Bound => BOUND,
        }
    }
}

/// Returns whether a value is marked as bound.
pub(crate) fn is_bound(sealed: &[u8]) -> bool {
    sealed.first() == Some(&BOUND)
}

impl SealingKey {
    /// Fails only if `ring` refuses lengths that are fixed here.
    pub(crate) fn derive(master: &MasterKey) -> Result<Self, Unspecified> {
        let root = root(master);
        let key: UnboundKey = root.expand(&[b"seal"], &AES_256_GCM)?.into();
        let mut id = [0; ID_LEN];
        root.expand(&[b"key id"], Len(ID_LEN))?.fill(&mut id)?;
        Ok(Self { id, key: LessSafeKey::new(key) })
    }

    pub(crate) fn seal(&self, plain: &[u8], place: &SealContext, form: Form) -> Result<Vec<u8>, Unspecified> {
        let mut nonce = [0; NONCE_LEN];
        fill_random(&mut nonce);
        let mut text = plain.to_vec();
        self.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            self.authenticated(place, form),
            &mut text,
        )?;
        Ok([&self.header(form)[..], &nonce, &text].concat())
    }

    /// Opens a value; `None` unless it was sealed by this key, for this place, in this form.
    pub(crate) fn open(&self, sealed: &[u8], place: &SealContext, form: Form) -> Option<Vec<u8>> {
        let (nonce, text) =
            sealed.strip_prefix(self.header(form).as_slice())?.split_first_chunk::<NONCE_LEN>()?;
        let mut text = text.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let plain_len = self.key.open_in_place(nonce, self.authenticated(place, form), &mut text).ok()?.len();
        text.truncate(plain_len);
        Some(text)
    }

    /// Returns the bytes that every value of this form begins with which this key has sealed, and no other
    /// key's.
    pub(crate) fn header(&self, form: Form) -> [u8; HEADER_LEN] {
        let [a, b, c, d] = self.id;
        [form.version(), a, b, c, d]
    }

    fn authenticated(&self, place: &SealContext, form: Form) -> Aad<Vec<u8>> {
        let context = match form {
            Form::Unbound => place.formerly(),
            Form::Bound => place.bound(),
        };
        Aad::from([&self.header(form)[..], context.as_bytes()].concat())
    }
}
