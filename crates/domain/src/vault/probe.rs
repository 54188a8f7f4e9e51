//! The probe by which a database tells its keys and how far its values are bound.

use super::{
    Vault, VaultError,
    seal_context::{Binding, SealContext},
};

/// Text that keys are tried on. Databases hold it sealed and hashed, so it never changes.
const PROBE: &[u8] = b"messaging-service";
/// Place of a probe that is sealed unbound, and purpose of its hash.
const PROBE_CONTEXT: &str = "key-probe";

/// Probe that a database keeps to tell its keys by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyProbe {
    /// Known text, sealed, that says how far values are bound.
    pub sealed: Option<Vec<u8>>,
    /// Hash of the text's first words.
    pub hash: Option<[u8; 32]>,
}

/// Returns the place of the sealed text.
pub fn probe_place() -> SealContext {
    SealContext::of_no_workspace("key_probe.probe_sealed", "only", PROBE_CONTEXT)
}

const fn text(binding: Binding) -> &'static [u8] {
    match binding {
        Binding::NotYet => PROBE,
        Binding::Begun => b"messaging-service: values are bound from now on",
        Binding::Complete => b"messaging-service: all values are bound",
    }
}

/// Seals the text of `binding` in its form, and switches the vault to that form.
pub(super) fn seal(vault: &dyn Vault, binding: Binding) -> Result<Vec<u8>, VaultError> {
    vault.bind(binding);
    vault.seal(text(binding), &probe_place())
}

/// Returns the binding that a sealed text stands for; `None` if no key in force opens it.
pub(super) fn read(vault: &dyn Vault, sealed: &[u8]) -> Option<Binding> {
    let opened = vault.open(sealed, &probe_place()).ok()?;
    [Binding::NotYet, Binding::Begun, Binding::Complete].into_iter().find(|binding| text(*binding) == opened)
}

pub(super) fn hash(vault: &dyn Vault) -> [u8; 32] {
    vault.keyed_hash(PROBE_CONTEXT, PROBE)
}
