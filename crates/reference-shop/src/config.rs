//! What a shop is started with.

use std::net::{Ipv4Addr, SocketAddr};

use secrecy::SecretString;

use crate::clock::Clock;

/// What a [`ReferenceShop`](crate::ReferenceShop) is started with. [`Config::new`] gives the defaults.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it listens. Port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// The bearer secret that every route of the contract asks for.
    pub secret: SecretString,
    /// The time it goes by. Default: the machine's.
    pub clock: Clock,
    /// How many requests are kept for the control routes; the oldest go first. Default: 10 000.
    pub keep: usize,
}

impl Config {
    /// The defaults, with this secret.
    pub fn new(secret: impl Into<SecretString>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            secret: secret.into(),
            clock: Clock::System,
            keep: 10_000,
        }
    }
}
