//! Configuration of a stand-in.

use std::net::{Ipv4Addr, SocketAddr};

/// Configuration of a [`ModelSimulator`](crate::ModelSimulator).
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Address to listen at; port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// Most requests kept for the control routes; the oldest go first. Default: 10 000.
    pub keep: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), keep: 10_000 }
    }
}
