//! What knowing the keys and changing the master key need from outside.

use async_trait::async_trait;

use super::{KeyProbe, Traces};
use crate::errors::StoreError;

/// It is what a walk does about a value that is sealed with another key than the current one, or not bound
/// though it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Nothing is done: it is counted.
    Count,
    /// It is opened, and sealed with the current key in the form in force.
    Reseal,
}

/// It is a part of a walk: what was found among some rows of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkStep {
    /// It is the column, with its table.
    pub column: &'static str,
    /// So many rows were looked at.
    pub rows: u64,
    /// So many values among them another key has sealed, or are not bound though they should be.
    pub others: u64,
    /// It says how many of those are sealed anew now. The rest was changed or held by somebody else, or
    /// cannot be opened.
    pub resealed: u64,
    /// It says how many cannot be opened: their key is not in force, or they are spoiled.
    pub unreadable: u64,
}

/// It goes through every sealed value there is, a bounded part at a time.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Walk: Send {
    /// Goes on by one part, each a short transaction that waits for no row; `None` at the end.
    ///
    /// # Errors
    /// [`StoreError`]; what was done before stays.
    async fn step(&mut self) -> Result<Option<WalkStep>, StoreError>;
}

/// They say where sealed values are kept.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SealedValues: Send + Sync {
    /// Returns about how many rows a walk looks at; none where the store has not counted yet.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn about_how_many(&self) -> Result<Option<u64>, StoreError>;

    /// Begins a walk at the first value. A value that was changed since it was read is left as it is.
    fn walk(&self, purpose: Purpose) -> Box<dyn Walk>;
}

/// It keeps what the database tells its keys by.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KeyProbes: Send + Sync {
    /// Returns what is kept; none of it in a database that is new or older than this.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn key_probe(&self) -> Result<KeyProbe, StoreError>;

    /// Returns what other rows say of the keys in force.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn traces(&self) -> Result<Traces, StoreError>;

    /// Keeps the parts that there are, each unless one is kept already.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn keep_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError>;

    /// Keeps this instead of what is kept.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn replace_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError>;

    /// Keeps `now` instead of the sealed text `was`; not, when that is another by now.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn advance_key_probe(&self, was: &[u8], now: &[u8]) -> Result<bool, StoreError>;
}
