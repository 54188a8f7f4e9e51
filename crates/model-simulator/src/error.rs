//! Errors of starting a stand-in.

/// Reason why a stand-in could not be started.
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
    #[error("the stand-in's thread did not start")]
    Thread(#[source] Option<std::io::Error>),
}
