//! A vault whose key is known.

use domain::vault::{Binding, SealContext, Vault, VaultError};
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hmac,
    rand::{SecureRandom, SystemRandom},
};

/// Seals with a key that is all sevens.
pub(crate) struct TestVault;

impl TestVault {
    fn key() -> LessSafeKey {
        LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[7; 32]).unwrap())
    }
}

impl Vault for TestVault {
    fn seal(&self, plain: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        let nonce: [u8; NONCE_LEN] = self.random()[..NONCE_LEN].try_into().unwrap();
        let mut sealed = plain.to_vec();
        let nonce_of = Nonce::assume_unique_for_key(nonce);
        Self::key().seal_in_place_append_tag(nonce_of, Aad::from(place.bound()), &mut sealed).unwrap();
        Ok([&nonce[..], &sealed].concat())
    }

    fn open(&self, sealed: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).ok_or(VaultError::CannotOpen)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).unwrap();
        let mut plain = sealed.to_vec();
        let opened = Self::key().open_in_place(nonce, Aad::from(place.bound()), &mut plain);
        opened.map(|plain| plain.to_vec()).map_err(|_| VaultError::CannotOpen)
    }

    fn binding(&self) -> Binding {
        Binding::Complete
    }

    fn bind(&self, _: Binding) {}

    fn is_bound(&self, _: &[u8]) -> bool {
        true
    }

    fn sealed_prefix(&self) -> Vec<u8> {
        Vec::new()
    }

    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, purpose.as_bytes());
        hmac::sign(&key, data).as_ref().try_into().unwrap()
    }

    fn random(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).unwrap();
        bytes
    }
}
