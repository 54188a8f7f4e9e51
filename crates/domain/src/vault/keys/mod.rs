//! The check that the keys in force are those of the database.

use std::sync::Arc;

use super::{
    Vault, VaultError,
    ports::KeyProbes,
    probe::{self, KeyProbe},
    seal_context::Binding,
    traces::{Trace, Traces},
};
use crate::errors::StoreError;

/// Key in force that belongs to another database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongKey {
    #[error("no master key listed opens what this database holds")]
    Master,
    #[error("the hash key is not the one that this database's hashes were made with")]
    Hash,
}

/// Reason why the keys in force were not found right.
#[derive(Debug, thiserror::Error)]
pub enum CheckKeysError {
    #[error(transparent)]
    Wrong(#[from] WrongKey),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// Extent to which the keys in force are known to be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeysFound {
    Right,
    /// The database is older than its probe, and nothing in it shows whether the hash key is right.
    HashKeyUnclear,
}

/// Checks, by a probe in the database, that the keys in force are the database's. A new database keeps its
/// probe at once, an older one once its rows have shown the keys to be right.
pub struct CheckKeys {
    pub probes: Arc<dyn KeyProbes>,
    pub vault: Arc<dyn Vault>,
}

impl CheckKeys {
    /// Checks the keys. If two processes are the first, with different keys, one of them is refused. From
    /// then on the vault seals and opens in the form that the database has reached.
    pub async fn run(&self) -> Result<KeysFound, CheckKeysError> {
        loop {
            // Until the probe has been read, both of its forms must open.
            self.vault.bind(Binding::Begun);
            let kept = self.probes.key_probe().await?;
            let says = kept.sealed.map(|sealed| self.read(&sealed));
            let recognises = kept.hash.map(|hash| hash == self.hash());
            let traces = match (says, recognises) {
                (Some(_), Some(_)) => Traces::default(),
                _ => self.probes.traces().await?,
            };
            match decide(says.map(|says| says.is_some()), recognises, traces)? {
                ProbeDecision::Found(found) => {
                    if let Some(Some(binding)) = says {
                        self.vault.bind(binding);
                    }
                    return Ok(found);
                }
                ProbeDecision::Keep { sealed, hash } => {
                    let probe = KeyProbe {
                        sealed: sealed.then(|| probe::seal(&*self.vault, at_first(traces))).transpose()?,
                        hash: hash.then(|| self.hash()),
                    };
                    // The next round judges by the probe that was kept first.
                    self.probes.keep_key_probe(&probe).await?;
                }
            }
        }
    }

    /// Makes the keys in force the database's, whatever its rows say.
    pub async fn adopt(&self) -> Result<(), CheckKeysError> {
        self.vault.bind(Binding::Begun);
        let kept = self.probes.key_probe().await?.sealed;
        let binding = match kept {
            // What a lost key has sealed opens in neither form; what others have sealed may open in either.
            Some(sealed) => self.read(&sealed).unwrap_or(Binding::Begun),
            None => at_first(self.probes.traces().await?),
        };
        let sealed = probe::seal(&*self.vault, binding)?;
        Ok(self.probes.replace_key_probe(&KeyProbe { sealed: Some(sealed), hash: Some(self.hash()) }).await?)
    }

    /// Moves the vault on to the form that the database has reached, never back, and returns the vault's
    /// form.
    pub async fn learn(&self) -> Result<Binding, CheckKeysError> {
        if self.vault.binding() < Binding::Complete {
            let kept = self.probes.key_probe().await?.sealed;
            let says = kept.and_then(|sealed| self.read(&sealed));
            if let Some(binding) = says.filter(|binding| *binding > self.vault.binding()) {
                self.vault.bind(binding);
            }
        }
        Ok(self.vault.binding())
    }

    /// Moves the database on to a form, unless it has reached that or a later one, and returns the form it
    /// has then. The vault follows.
    pub async fn go_on_to(&self, binding: Binding) -> Result<Binding, CheckKeysError> {
        loop {
            let kept = self.probes.key_probe().await?.sealed.unwrap_or_default();
            let says = self.read(&kept).ok_or(WrongKey::Master)?;
            if says >= binding {
                self.vault.bind(says);
                return Ok(says);
            }
            let fresh = probe::seal(&*self.vault, binding)?;
            if self.probes.advance_key_probe(&kept, &fresh).await? {
                return Ok(binding);
            }
        }
    }

    fn read(&self, sealed: &[u8]) -> Option<Binding> {
        probe::read(&*self.vault, sealed)
    }

    fn hash(&self) -> [u8; 32] {
        probe::hash(&*self.vault)
    }
}

/// Returns the form of a database without a probe. One with bound rows has lost its probe, since nothing is
/// bound before there is one: none of its unbound values is trusted.
fn at_first(traces: Traces) -> Binding {
    if traces.bound || traces.sealed == Trace::Nothing { Binding::Complete } else { Binding::NotYet }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProbeDecision {
    Found(KeysFound),
    /// Parts of a probe to be kept.
    Keep {
        sealed: bool,
        hash: bool,
    },
}

/// Decides by the kept parts of a probe, each with whether a key in force made it; by traces where a part is
/// missing.
fn decide(opens: Option<bool>, recognises: Option<bool>, traces: Traces) -> Result<ProbeDecision, WrongKey> {
    let said = |kept: Option<bool>, trace| match kept {
        Some(true) => Trace::Right,
        Some(false) => Trace::Wrong,
        None => trace,
    };
    let (sealed, hashed) = (said(opens, traces.sealed), said(recognises, traces.hashed));
    if sealed == Trace::Wrong {
        return Err(WrongKey::Master);
    }
    if hashed == Trace::Wrong {
        return Err(WrongKey::Hash);
    }
    let is_new = |kept: Option<bool>, trace| kept.is_none() && trace != Trace::Unclear;
    let (sealed, hash) = (is_new(opens, sealed), is_new(recognises, hashed));
    if sealed || hash {
        return Ok(ProbeDecision::Keep { sealed, hash });
    }
    let unclear = hashed == Trace::Unclear;
    Ok(ProbeDecision::Found(if unclear { KeysFound::HashKeyUnclear } else { KeysFound::Right }))
}

#[cfg(test)]
mod tests;
