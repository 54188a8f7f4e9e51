//! Errors of exchanges and connections.

use std::io;

use hyper_util::client::legacy;

/// Reason why an exchange came to no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the request cannot be written")]
    Request(#[source] reqwest::Error),
    #[error("no answer within the time limit")]
    Timeout,
    /// The connection was not made, or broke.
    #[error("the exchange broke off")]
    Exchange(#[source] legacy::Error),
}

impl Error {
    /// Returns whether no connection was made, so that nothing was sent.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Exchange(error) if error.is_connect())
    }

    /// Returns whether the time was up.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout)
    }
}

/// More came than the bounds of an answer allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("more came than an answer has")]
pub struct TooMuch;

impl From<TooMuch> for io::Error {
    fn from(too_much: TooMuch) -> Self {
        Self::new(io::ErrorKind::InvalidData, too_much)
    }
}
