use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use domain::ids::WorkspaceId;
use proptest::prelude::*;

use super::*;
use crate::master_key::MasterKey;

const COLUMN: &str = "webhook_addresses.secret_sealed";

fn workspace(number: u128) -> WorkspaceId {
    uuid::Uuid::from_u128(number).into()
}

/// The place that most values here are sealed for.
fn place() -> SealContext {
    SealContext::new(COLUMN, workspace(1), 1, "webhook-secret:1")
}

fn key(byte: u8) -> MasterKey {
    MasterKey::from_bytes([byte; 32])
}

fn vault(current: u8, previous: &[u8]) -> RingVault {
    RingVault::new(&Keyring::new(key(current), previous.iter().copied().map(key).collect())).unwrap()
}

#[test]
fn sealing_twice_gives_two_values() {
    let vault = vault(1, &[]);
    assert_ne!(vault.seal(b"token", &place()).unwrap(), vault.seal(b"token", &place()).unwrap());
}

#[test]
fn a_value_opens_at_no_other_workspace_column_or_row() {
    let vault = vault(1, &[]);
    let formerly = "webhook-secret:1";
    let elsewhere = [
        SealContext::new(COLUMN, workspace(2), 1, formerly),
        SealContext::new("webhook_addresses.previous_secret_sealed", workspace(1), 1, formerly),
        SealContext::new("accounts.token_sealed", workspace(1), 1, formerly),
        SealContext::new(COLUMN, workspace(1), 2, formerly),
        SealContext::new(COLUMN, workspace(1), "1 ", formerly),
        SealContext::of_no_workspace(COLUMN, 1, formerly),
    ];
    for binding in [Binding::Complete, Binding::Begun, Binding::NotYet] {
        let sealed = vault.seal(b"token", &place()).unwrap();
        vault.bind(binding);
        for other in &elsewhere {
            assert_eq!(vault.open(&sealed, other), Err(VaultError::CannotOpen), "{binding:?} {other:?}");
        }
        assert_eq!(vault.open(&sealed, &place()).unwrap(), b"token");
        vault.bind(Binding::Complete);
    }
}

#[test]
fn the_form_before_opens_until_the_binding_is_complete() {
    let vault = vault(1, &[]);
    vault.bind(Binding::NotYet);
    let before = vault.seal(b"token", &place()).unwrap();
    assert!(before.starts_with(&vault.sealed_prefix()) && !vault.is_bound(&before));
    vault.bind(Binding::Begun);
    let bound = vault.seal(b"token", &place()).unwrap();
    assert!(bound.starts_with(&vault.sealed_prefix()) && vault.is_bound(&bound));
    for binding in [Binding::NotYet, Binding::Begun, Binding::Complete] {
        vault.bind(binding);
        assert_eq!(vault.open(&bound, &place()).unwrap(), b"token", "{binding:?}");
        assert_eq!(vault.open(&before, &place()).is_ok(), binding < Binding::Complete, "{binding:?}");
        // A value of one form is none of the other under another version's byte.
        let forged = [&bound[..1], &before[1..]].concat();
        assert_eq!(vault.open(&forged, &place()), Err(VaultError::CannotOpen), "{binding:?}");
    }
}

#[test]
fn a_value_of_the_releases_before_still_opens() {
    // Sealed by the release before, with this key, for what it named `webhook-secret:1`.
    let sealed = HEXLOWER_PERMISSIVE
        .decode(b"01321c20f5000102030405060708090a0bb3d5af354e10335973750f0e382c9fcfcf0a8c93a5")
        .unwrap();
    let vault = vault(1, &[]);
    assert_eq!(vault.open(&sealed, &place()), Err(VaultError::CannotOpen));
    vault.bind(Binding::NotYet);
    assert_eq!(vault.open(&sealed, &place()).unwrap(), b"token");
}

#[test]
fn a_change_in_any_byte_or_in_the_length_does_not_open() {
    let vault = vault(1, &[]);
    let sealed = vault.seal(b"token", &place()).unwrap();
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert_eq!(vault.open(&changed, &place()), Err(VaultError::CannotOpen), "byte {at}");
        assert_eq!(vault.open(&sealed[..at], &place()), Err(VaultError::CannotOpen), "cut at {at}");
    }
    assert_eq!(vault.open(&[&sealed[..], b"x"].concat(), &place()), Err(VaultError::CannotOpen));
}

#[test]
fn a_previous_key_opens_and_an_unknown_one_does_not() {
    let sealed = vault(1, &[]).seal(b"token", &place()).unwrap();
    assert_eq!(vault(3, &[2, 1]).open(&sealed, &place()).unwrap(), b"token");
    assert_eq!(vault(3, &[2]).open(&sealed, &place()), Err(VaultError::CannotOpen));
}

#[test]
fn after_a_rotation_the_new_key_seals() {
    let sealed = vault(2, &[1]).seal(b"token", &place()).unwrap();
    assert_eq!(vault(1, &[]).open(&sealed, &place()), Err(VaultError::CannotOpen));
    assert_eq!(vault(2, &[]).open(&sealed, &place()).unwrap(), b"token");
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
    assert_eq!(HEXLOWER.encode(&vault(1, &[]).keyed_hash("request", b"123456")), hash);
}

#[test]
fn a_value_begins_as_its_key_says_and_no_other_key_s() {
    let (old, new) = (vault(1, &[]), vault(2, &[1]));
    let sealed = old.seal(b"token", &place()).unwrap();
    assert!(sealed.starts_with(&old.sealed_prefix()));
    assert!(!sealed.starts_with(&new.sealed_prefix()));
    assert!(new.seal(b"token", &place()).unwrap().starts_with(&new.sealed_prefix()));
}

proptest! {
    #[test]
    fn what_was_sealed_opens(plain: Vec<u8>, row: u64, number: u128) {
        let (vault, place) = (vault(1, &[]), SealContext::new(COLUMN, workspace(number), row, ""));
        prop_assert_eq!(vault.open(&vault.seal(&plain, &place).unwrap(), &place).unwrap(), plain);
    }

    #[test]
    fn nothing_else_opens(bytes: Vec<u8>) {
        prop_assert_eq!(vault(1, &[]).open(&bytes, &place()), Err(VaultError::CannotOpen));
    }
}
