//! What a stand-in is started with.

use std::net::{Ipv4Addr, SocketAddr};

use crate::clock::Clock;

/// What a [`ModelSimulator`](crate::ModelSimulator) is started with.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Where it listens. Port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// The time it goes by. Default: the machine's.
    pub clock: Clock,
    /// How many requests are kept for the control routes; the oldest go first. Default: 10 000.
    pub keep: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), clock: Clock::System, keep: 10_000 }
    }
}
