//! Errors of starting and setting up a shop.

/// Reason why a shop could not be started or set up.
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
    #[error("the shop's thread did not start")]
    Thread(#[source] Option<std::io::Error>),
    /// An invalid setting, such as a fault that does not exist; the text names it.
    #[error("{0}")]
    Invalid(String),
}
