//! Ports for checking the keys and changing the master key.

use async_trait::async_trait;

use super::{probe::KeyProbe, traces::Traces};
use crate::errors::StoreError;

/// Treatment of a value that is sealed with another key than the current one, or not bound though it should
/// be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Counts the value only.
    Count,
    /// Opens the value, and seals it with the current key in the form in force.
    Reseal,
}

/// Part of a walk: what was found among some rows of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkStep {
    /// Column, with its table.
    pub column: &'static str,
    /// Rows looked at.
    pub rows: u64,
    /// Values among them that another key has sealed, or that are not bound though they should be.
    pub others: u64,
    /// Values of `others` that were sealed anew. The rest was changed or held by somebody else, or cannot be
    /// opened.
    pub resealed: u64,
    /// Values that cannot be opened: their key is not in force, or they are damaged.
    pub unreadable: u64,
}

/// Walk through all sealed values, a bounded part at a time.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Walk: Send {
    /// Takes the next part, in a short transaction that waits for no row; `None` at the end. What was done
    /// before a failure stays.
    async fn step(&mut self) -> Result<Option<WalkStep>, StoreError>;
}

/// Sealed values of a database.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SealedValues: Send + Sync {
    /// Returns roughly how many rows a walk looks at; `None` if the store has not counted yet.
    async fn about_how_many(&self) -> Result<Option<u64>, StoreError>;

    /// Begins a walk at the first value. A value that was changed since it was read is left as it is.
    fn walk(&self, purpose: Purpose) -> Box<dyn Walk>;
}

/// Storage of the probe by which a database tells its keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KeyProbes: Send + Sync {
    /// Returns the probe; empty in a database that is new or older than probes.
    async fn key_probe(&self) -> Result<KeyProbe, StoreError>;

    /// Returns what other rows show of the keys in force.
    async fn traces(&self) -> Result<Traces, StoreError>;

    /// Keeps the given parts, each unless one is kept already.
    async fn keep_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError>;

    /// Replaces the kept probe.
    async fn replace_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError>;

    /// Replaces the sealed text `was` with `now`; `false` if it is another by now.
    async fn advance_key_probe(&self, was: &[u8], now: &[u8]) -> Result<bool, StoreError>;
}
