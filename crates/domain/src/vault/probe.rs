//! The text that a database tells its keys by, and how far its sealed values are bound.

use super::{Binding, SealContext, Vault, VaultError};

/// It is what keys are tried on. Databases hold what came of it, so it never changes.
const PROBE: &[u8] = b"messaging-service";
/// It says where the probe is sealed, and what it is hashed for.
const PROBE_CONTEXT: &str = "key-probe";

/// A database keeps this to tell its keys by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyProbe {
    /// It is a text that is known, sealed. It says how far values are bound.
    pub sealed: Option<Vec<u8>>,
    /// They are its first words, hashed.
    pub hash: Option<[u8; 32]>,
}

/// Returns where the text is sealed.
pub fn probe_place() -> SealContext {
    SealContext::of_no_workspace("key_probe.probe_sealed", "only", PROBE_CONTEXT)
}

/// Returns the text that says so.
const fn text(binding: Binding) -> &'static [u8] {
    match binding {
        Binding::NotYet => PROBE,
        Binding::Begun => b"messaging-service: values are bound from now on",
        Binding::Complete => b"messaging-service: all values are bound",
    }
}

/// Returns the text, sealed in the form that belongs to it. From then on the vault seals so, too.
pub(super) fn seal(vault: &dyn Vault, binding: Binding) -> Result<Vec<u8>, VaultError> {
    vault.bind(binding);
    vault.seal(text(binding), &probe_place())
}

/// Returns what a sealed text says, where a key in force opens it.
pub(super) fn read(vault: &dyn Vault, sealed: &[u8]) -> Option<Binding> {
    let opened = vault.open(sealed, &probe_place()).ok()?;
    [Binding::NotYet, Binding::Begun, Binding::Complete].into_iter().find(|binding| text(*binding) == opened)
}

/// Returns the text's first words, hashed.
pub(super) fn hash(vault: &dyn Vault) -> [u8; 32] {
    vault.keyed_hash(PROBE_CONTEXT, PROBE)
}
