//! Errors of starting and setting up a simulator.

/// Reason why a simulator could not be started or set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken or belongs to another machine.
    #[error("cannot listen on {address}")]
    Listen {
        address: std::net::SocketAddr,
        #[source]
        source: std::io::Error,
    },
    /// The server's thread could not be started, or ended before it was up.
    #[error("the simulator's thread did not start")]
    Thread(#[source] Option<std::io::Error>),
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
