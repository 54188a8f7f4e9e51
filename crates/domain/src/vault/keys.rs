//! Whether the keys in force are those of the database.

use std::sync::Arc;

use super::{Vault, VaultError, ports::KeyProbes};
use crate::errors::StoreError;

/// What keys are tried on. Databases hold what came of it, so it never changes.
const PROBE: &[u8] = b"messaging-service";
/// What it is sealed and hashed for.
pub const PROBE_CONTEXT: &str = "key-probe";

/// What a database keeps to tell its keys by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyProbe {
    /// A text that is known, sealed.
    pub sealed: Option<Vec<u8>>,
    /// The same text, hashed.
    pub hash: Option<[u8; 32]>,
}

/// What the rows of a database say of a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trace {
    /// There is nothing that a key has made.
    #[default]
    Nothing,
    /// This key has made what was tried.
    Right,
    /// Another has.
    Wrong,
    /// A key has made something, and of nothing of it can be told which.
    Unclear,
}

/// What the rows of a database say of the keys in force.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traces {
    /// Of the master keys.
    pub sealed: Trace,
    /// Of the hash key.
    pub hashed: Trace,
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
    /// They are not.
    #[error(transparent)]
    Wrong(#[from] WrongKey),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vault failed.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// How far the keys in force are known to be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeysFound {
    /// Both are the database's.
    Right,
    /// The database is older than its probe, and nothing in it tells whether the hash key is the right one.
    HashKeyUnclear,
}

/// Tells whether the keys in force are those of the database. What it tells them by is kept when the database is new;
/// an older one keeps it once its rows have shown the keys to be right.
pub struct CheckKeys {
    /// What the database tells them by.
    pub probes: Arc<dyn KeyProbes>,
    /// The keys in force.
    pub vault: Arc<dyn Vault>,
}

impl CheckKeys {
    /// Whether they are. Of two processes that are the first with other keys each, one is refused.
    ///
    /// # Errors
    /// [`CheckKeysError`].
    pub async fn run(&self) -> Result<KeysFound, CheckKeysError> {
        loop {
            let kept = self.probes.key_probe().await?;
            let opens = kept.sealed.map(|sealed| self.opens(&sealed));
            let recognises = kept.hash.map(|hash| hash == self.hash());
            let traces = match (opens, recognises) {
                (Some(_), Some(_)) => Traces::default(),
                _ => self.probes.traces().await?,
            };
            match decide(opens, recognises, traces)? {
                Decided::Found(found) => return Ok(found),
                Decided::Keep { sealed, hash } => {
                    let probe = KeyProbe {
                        sealed: sealed.then(|| self.sealed()).transpose()?,
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
        let probe = KeyProbe { sealed: Some(self.sealed()?), hash: Some(self.hash()) };
        Ok(self.probes.replace_key_probe(&probe).await?)
    }

    fn opens(&self, sealed: &[u8]) -> bool {
        self.vault.open(sealed, PROBE_CONTEXT).is_ok_and(|plain| plain == PROBE)
    }

    fn sealed(&self) -> Result<Vec<u8>, VaultError> {
        self.vault.seal(PROBE, PROBE_CONTEXT)
    }

    fn hash(&self) -> [u8; 32] {
        self.vault.keyed_hash(PROBE_CONTEXT, PROBE)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    Found(KeysFound),
    /// These parts of a probe.
    Keep {
        sealed: bool,
        hash: bool,
    },
}

/// By the parts of a probe that are kept, whether a key in force made each; by traces where one is not.
fn decide(opens: Option<bool>, recognises: Option<bool>, traces: Traces) -> Result<Decided, WrongKey> {
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
        return Ok(Decided::Keep { sealed, hash });
    }
    let unclear = hashed == Trace::Unclear;
    Ok(Decided::Found(if unclear { KeysFound::HashKeyUnclear } else { KeysFound::Right }))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use pollster::block_on;

    use super::*;
    use crate::vault::{MockVault, ports::MockKeyProbes};

    const KEEP_BOTH: Result<Decided, WrongKey> = Ok(Decided::Keep { sealed: true, hash: true });
    const RIGHT: Result<Decided, WrongKey> = Ok(Decided::Found(KeysFound::Right));

    #[test]
    fn what_is_kept_decides_whatever_the_rows_say() {
        for traced in [Trace::Nothing, Trace::Right, Trace::Wrong, Trace::Unclear] {
            let traces = Traces { sealed: traced, hashed: traced };
            assert_eq!(decide(Some(true), Some(true), traces), RIGHT);
            assert_eq!(decide(Some(true), Some(false), traces), Err(WrongKey::Hash));
            assert_eq!(decide(Some(false), Some(true), traces), Err(WrongKey::Master));
            // A wrong master key makes the hash key wrong that is derived from it.
            assert_eq!(decide(Some(false), Some(false), traces), Err(WrongKey::Master));
        }
    }

    #[test]
    fn where_nothing_is_kept_only_what_is_right_or_new_becomes_so() {
        let only_sealed = Ok(Decided::Keep { sealed: true, hash: false });
        for (sealed, hashed, decided) in [
            (Trace::Nothing, Trace::Nothing, KEEP_BOTH),
            (Trace::Right, Trace::Right, KEEP_BOTH),
            (Trace::Right, Trace::Nothing, KEEP_BOTH),
            (Trace::Right, Trace::Unclear, only_sealed),
            (Trace::Nothing, Trace::Unclear, only_sealed),
            (Trace::Right, Trace::Wrong, Err(WrongKey::Hash)),
            (Trace::Wrong, Trace::Nothing, Err(WrongKey::Master)),
            (Trace::Wrong, Trace::Unclear, Err(WrongKey::Master)),
        ] {
            assert_eq!(decide(None, None, Traces { sealed, hashed }), decided, "{sealed:?} {hashed:?}");
        }
        let unclear = Traces { sealed: Trace::Nothing, hashed: Trace::Unclear };
        assert_eq!(decide(Some(true), None, unclear), Ok(Decided::Found(KeysFound::HashKeyUnclear)));
        let shown = Traces { sealed: Trace::Right, hashed: Trace::Right };
        assert_eq!(decide(Some(true), None, shown), Ok(Decided::Keep { sealed: false, hash: true }));
    }

    /// Keys of this number, over what is kept.
    fn keys(number: u8, kept: &Arc<Mutex<KeyProbe>>, traces: Traces) -> CheckKeys {
        let mut vault = MockVault::new();
        vault.expect_seal().returning(move |plain, context| {
            assert_eq!(context, PROBE_CONTEXT);
            Ok([&[number], plain].concat())
        });
        vault.expect_open().returning(move |sealed, _| {
            sealed.strip_prefix(&[number]).map(<[u8]>::to_vec).ok_or(VaultError::CannotOpen)
        });
        vault.expect_keyed_hash().returning(move |_, _| [number; 32]);
        let mut probes = MockKeyProbes::new();
        let read = Arc::clone(kept);
        probes.expect_key_probe().returning(move || Ok(read.lock().unwrap().clone()));
        probes.expect_traces().returning(move || Ok(traces));
        let keeps = Arc::clone(kept);
        probes.expect_keep_key_probe().returning(move |probe| {
            let mut kept = keeps.lock().unwrap();
            kept.sealed = kept.sealed.take().or(probe.sealed.clone());
            kept.hash = kept.hash.or(probe.hash);
            Ok(())
        });
        let replaces = Arc::clone(kept);
        probes.expect_replace_key_probe().returning(move |probe| {
            replaces.lock().unwrap().clone_from(probe);
            Ok(())
        });
        CheckKeys { probes: Arc::new(probes), vault: Arc::new(vault) }
    }

    fn wrong(found: Result<KeysFound, CheckKeysError>) -> WrongKey {
        match found {
            Err(CheckKeysError::Wrong(wrong)) => wrong,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_new_database_is_its_first_keys_and_no_other_s_until_others_are_adopted() {
        let kept = Arc::default();
        let (first, second) = (keys(1, &kept, Traces::default()), keys(2, &kept, Traces::default()));
        assert_eq!(block_on(first.run()).unwrap(), KeysFound::Right);
        assert_eq!(block_on(first.run()).unwrap(), KeysFound::Right);
        assert_eq!(wrong(block_on(second.run())), WrongKey::Master);
        block_on(second.adopt()).unwrap();
        assert_eq!(block_on(second.run()).unwrap(), KeysFound::Right);
        assert_eq!(wrong(block_on(first.run())), WrongKey::Master);
    }

    #[test]
    fn who_is_first_at_the_same_time_with_other_keys_is_refused() {
        let kept: Arc<Mutex<KeyProbe>> = Arc::default();
        let mut second = keys(2, &kept, Traces::default());
        let mut probes = MockKeyProbes::new();
        let read = Arc::clone(&kept);
        probes.expect_key_probe().returning(move || Ok(read.lock().unwrap().clone()));
        probes.expect_traces().returning(|| Ok(Traces::default()));
        // Another was there between its reading and its writing.
        probes.expect_keep_key_probe().once().returning(move |_| {
            let first = keys(1, &kept, Traces::default());
            block_on(first.run()).unwrap();
            Ok(())
        });
        second.probes = Arc::new(probes);
        assert_eq!(wrong(block_on(second.run())), WrongKey::Master);
    }

    #[test]
    fn an_older_database_keeps_what_it_can_tell_and_says_what_it_cannot() {
        let kept: Arc<Mutex<KeyProbe>> = Arc::default();
        let unclear = Traces { sealed: Trace::Right, hashed: Trace::Unclear };
        assert_eq!(block_on(keys(1, &kept, unclear).run()).unwrap(), KeysFound::HashKeyUnclear);
        assert!(kept.lock().unwrap().sealed.is_some() && kept.lock().unwrap().hash.is_none());
        let shown = Traces { hashed: Trace::Right, ..unclear };
        assert_eq!(block_on(keys(1, &kept, shown).run()).unwrap(), KeysFound::Right);
        assert_eq!(kept.lock().unwrap().hash, Some([1; 32]));
    }
}
