//! Why a shop cannot do what its owner asked.

/// Why a shop could not be started or set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where it was to listen.
        address: std::net::SocketAddr,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The server's thread could not be started, or ended before it was up.
    #[error("the shop's thread did not start")]
    Thread(#[source] Option<std::io::Error>),
    /// What makes no sense, such as a fault that does not exist; the text names it.
    #[error("{0}")]
    Invalid(String),
}
