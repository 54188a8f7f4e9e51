//! What a stand-in is started with.

use std::net::{Ipv4Addr, SocketAddr};

/// What a [`ModelSimulator`](crate::ModelSimulator) is started with.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Where it listens. Port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// How many requests are kept for the control routes; the oldest go first. Default: 10 000.
    pub keep: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), keep: 10_000 }
    }
}
