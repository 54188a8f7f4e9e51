//! What every store may answer besides its result.

/// A store could not do what was asked. Its text is for the log, never for a client.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The row has moved on since it was read: decide again on fresh state.
    #[error("the state has moved on")]
    Stale,
    /// The store cannot be reached or has no free connection: the same call may succeed later.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The store refused or holds something it should not: a defect or an operator's mistake.
    #[error("the store failed: {0}")]
    Internal(String),
}
