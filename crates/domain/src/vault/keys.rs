//! Whether the keys in force are those of the database.

use std::sync::Arc;

use super::{Binding, KeyProbe, Vault, VaultError, ports::KeyProbes, probe};
use crate::errors::StoreError;

/// The rows of a database say this of a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trace {
    /// There is nothing that a key has made.
    #[default]
    Nothing,
    /// This key has made what was tried.
    Right,
    /// Another key has made it.
    Wrong,
    /// A key has made something, and of nothing of it can be told which.
    Unclear,
}

/// The rows of a database say this of the keys in force.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traces {
    /// They say this of the master keys.
    pub sealed: Trace,
    /// They say this of the hash key.
    pub hashed: Trace,
    /// It says whether a value among them says that it is bound to its place.
    pub bound: bool,
}

/// A key in force is another database's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongKey {
    /// No master key that is listed opens what the database holds.
    #[error("no master key listed opens what this database holds")]
    Master,
    /// The hash key recognises nothing that the database holds.
    #[error("the hash key is not the one that this database's hashes were made with")]
    Hash,
}

/// The keys in force could not be found right.
#[derive(Debug, thiserror::Error)]
pub enum CheckKeysError {
    /// They are not right.
    #[error(transparent)]
    Wrong(#[from] WrongKey),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// It says how far the keys in force are known to be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeysFound {
    /// Both are the database's.
    Right,
    /// The database is older than its probe, and nothing in it tells whether the hash key is the right one.
    HashKeyUnclear,
}

/// It tells whether the keys in force are those of the database. What it tells them by is kept when the
/// database is new; an older one keeps it once its rows have shown the keys to be right.
pub struct CheckKeys {
    pub probes: Arc<dyn KeyProbes>,
    pub vault: Arc<dyn Vault>,
}

impl CheckKeys {
    /// Says whether they are. Of two processes that are the first with other keys each, one is refused. From
    /// then on the vault seals and opens in the form that the database is at.
    ///
    /// # Errors
    /// [`CheckKeysError`].
    pub async fn run(&self) -> Result<KeysFound, CheckKeysError> {
        loop {
            // Until the probe has told, either form of it opens.
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
                    // Whoever came first is judged by, in the next round.
                    self.probes.keep_key_probe(&probe).await?;
                }
            }
        }
    }

    /// Takes the keys in force for the database's, whatever its rows say.
    ///
    /// # Errors
    /// Those of the vault and of the store.
    pub async fn adopt(&self) -> Result<(), CheckKeysError> {
        self.vault.bind(Binding::Begun);
        let kept = self.probes.key_probe().await?.sealed;
        let binding = match kept {
            // Of what a key has sealed that is gone, nothing opens in either form; of others, some may.
            Some(sealed) => self.read(&sealed).unwrap_or(Binding::Begun),
            None => at_first(self.probes.traces().await?),
        };
        let sealed = probe::seal(&*self.vault, binding)?;
        Ok(self.probes.replace_key_probe(&KeyProbe { sealed: Some(sealed), hash: Some(self.hash()) }).await?)
    }

    /// Goes on to the form that the database is at by now, and never back.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Takes the database to a form, unless it is there or further already, and says where it is. The vault goes along.
    ///
    /// # Errors
    /// [`CheckKeysError`].
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

/// Says where a database without a probe stands. One whose rows are bound has lost its probe, since none is
/// bound before there is one: nothing else of it is believed.
fn at_first(traces: Traces) -> Binding {
    if traces.bound || traces.sealed == Trace::Nothing { Binding::Complete } else { Binding::NotYet }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProbeDecision {
    Found(KeysFound),
    /// These parts of a probe are to be kept.
    Keep {
        sealed: bool,
        hash: bool,
    },
}

/// Decides by the parts of a probe that are kept, whether a key in force made each; by traces where one is
/// not.
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
