//! Why a stand-in cannot do what its owner asked.

/// Why a stand-in could not be started.
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
    #[error("the stand-in's thread did not start")]
    Thread(#[source] Option<std::io::Error>),
}
