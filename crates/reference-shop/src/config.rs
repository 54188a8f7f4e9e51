//! Configuration of a shop.

use std::net::{Ipv4Addr, SocketAddr};

use secrecy::SecretString;

use crate::clock::Clock;

/// Configuration of a [`ReferenceShop`](crate::ReferenceShop). [`Config::new`] gives the defaults.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address to listen at; port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// Bearer secret that every route of the contract requires.
    pub secret: SecretString,
    /// Source of the time. Default: the machine's clock.
    pub clock: Clock,
    /// Most requests kept for the control routes; the oldest go first. Default: 10 000.
    pub keep: usize,
}

impl Config {
    /// Returns the defaults, with this secret.
    pub fn new(secret: impl Into<SecretString>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            secret: secret.into(),
            clock: Clock::System,
            keep: 10_000,
        }
    }
}
