//! Errors of starting and setting up a simulator.

/// Reason why a simulator could not be started or set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    NotStarted(#[from] simulator_kit::NotStarted),
    /// The client that posts webhooks could not be built.
    #[error("cannot build the webhook client")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A template row, a fault or a callback is invalid; the text names it.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }
}
