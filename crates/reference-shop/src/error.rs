//! Errors of starting and setting up a shop.

/// Reason why a shop could not be started or set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    NotStarted(#[from] simulator_kit::NotStarted),
    /// An invalid setting, such as a fault that does not exist; the text names it.
    #[error("{0}")]
    Invalid(String),
}
