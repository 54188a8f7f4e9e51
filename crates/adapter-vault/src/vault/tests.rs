use proptest::prelude::*;

use super::*;
use crate::keys::MasterKey;

const CONTEXT: &str = "webhook_addresses.secret:1";

fn key(byte: u8) -> MasterKey {
    MasterKey::from_bytes([byte; 32])
}

fn vault(current: u8, previous: &[u8]) -> RingVault {
    RingVault::new(&Keyring::new(key(current), previous.iter().copied().map(key).collect())).unwrap()
}

#[test]
fn sealing_twice_gives_two_values() {
    let vault = vault(1, &[]);
    assert_ne!(vault.seal(b"token", CONTEXT).unwrap(), vault.seal(b"token", CONTEXT).unwrap());
}

#[test]
fn another_context_does_not_open() {
    let vault = vault(1, &[]);
    let sealed = vault.seal(b"token", CONTEXT).unwrap();
    for context in ["", "webhook_addresses.secret:2", "webhook_addresses.secret:1 "] {
        assert_eq!(vault.open(&sealed, context), Err(VaultError::CannotOpen), "{context}");
    }
}

#[test]
fn a_change_in_any_byte_or_in_the_length_does_not_open() {
    let vault = vault(1, &[]);
    let sealed = vault.seal(b"token", CONTEXT).unwrap();
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert_eq!(vault.open(&changed, CONTEXT), Err(VaultError::CannotOpen), "byte {at}");
        assert_eq!(vault.open(&sealed[..at], CONTEXT), Err(VaultError::CannotOpen), "cut at {at}");
    }
    assert_eq!(vault.open(&[&sealed[..], b"x"].concat(), CONTEXT), Err(VaultError::CannotOpen));
}

#[test]
fn a_previous_key_opens_and_an_unknown_one_does_not() {
    let sealed = vault(1, &[]).seal(b"token", CONTEXT).unwrap();
    assert_eq!(vault(3, &[2, 1]).open(&sealed, CONTEXT).unwrap(), b"token");
    assert_eq!(vault(3, &[2]).open(&sealed, CONTEXT), Err(VaultError::CannotOpen));
}

#[test]
fn after_a_rotation_the_new_key_seals() {
    let sealed = vault(2, &[1]).seal(b"token", CONTEXT).unwrap();
    assert_eq!(vault(1, &[]).open(&sealed, CONTEXT), Err(VaultError::CannotOpen));
    assert_eq!(vault(2, &[]).open(&sealed, CONTEXT).unwrap(), b"token");
}

#[test]
fn each_purpose_and_each_key_hashes_differently() {
    let vault_1 = vault(1, &[]);
    let hash = vault_1.keyed_hash("request", b"123456");
    assert_eq!(hash, vault_1.keyed_hash("request", b"123456"));
    assert_ne!(hash, vault_1.keyed_hash("network id", b"123456"));
    assert_ne!(hash, vault_1.keyed_hash("request", b"123457"));
    assert_ne!(hash, vault(2, &[]).keyed_hash("request", b"123456"));
    assert_ne!(hash, crate::sha256(b"123456"));
    assert_ne!(hash, [0; 32]);
}

#[test]
fn adding_a_key_changes_no_hash() {
    let hash = vault(1, &[]).keyed_hash("request", b"x");
    assert_eq!(hash, vault(2, &[1]).keyed_hash("request", b"x"));
    assert_eq!(hash, vault(3, &[2, 1]).keyed_hash("request", b"x"));
    let without_the_oldest = Keyring::new(key(3), vec![key(2)]);
    assert_ne!(hash, RingVault::new(&without_the_oldest).unwrap().keyed_hash("request", b"x"));
    let named = without_the_oldest.with_hash_key(Keyring::new(key(1), vec![]).hash_key().unwrap()).unwrap();
    assert_eq!(hash, RingVault::new(&named).unwrap().keyed_hash("request", b"x"));
}

#[test]
fn a_hash_stays_what_it_was_over_releases() {
    // By another implementation of HKDF and HMAC (RFC 5869, RFC 2104).
    let hash = "d0243dc7653fcd5b178124b0aa59b62e1c6cb49d65fb9f3e08bb037cd9a352d4";
    assert_eq!(hex::encode(vault(1, &[]).keyed_hash("request", b"123456")), hash);
}

#[test]
fn a_value_begins_as_its_key_says_and_no_other_key_s() {
    let (old, new) = (vault(1, &[]), vault(2, &[1]));
    let sealed = old.seal(b"token", CONTEXT).unwrap();
    assert!(sealed.starts_with(&old.sealed_prefix()));
    assert!(!sealed.starts_with(&new.sealed_prefix()));
    assert!(new.seal(b"token", CONTEXT).unwrap().starts_with(&new.sealed_prefix()));
}

proptest! {
    #[test]
    fn what_was_sealed_opens(plain: Vec<u8>, context: String) {
        let vault = vault(1, &[]);
        prop_assert_eq!(vault.open(&vault.seal(&plain, &context).unwrap(), &context).unwrap(), plain);
    }

    #[test]
    fn nothing_else_opens(bytes: Vec<u8>) {
        prop_assert_eq!(vault(1, &[]).open(&bytes, CONTEXT), Err(VaultError::CannotOpen));
    }
}
