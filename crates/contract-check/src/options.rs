//! What a run is told, and why there can be none.

use std::time::Duration;

use guarded_http::Trust;
use time::OffsetDateTime;

/// How a system is tried.
#[derive(Debug, Clone)]
pub struct Options {
    /// Now: slots are asked for from today on, and keys are made of it.
    pub now: OffsetDateTime,
    /// E.164. A number of whom the system has a record, best one's own.
    pub phone: Option<String>,
    /// `None`: nothing is written.
    pub writes: Option<Writes>,
    /// How long an answer may take, everything together. Default: the contract's 10 seconds.
    pub timeout: Duration,
    /// Whose certificates are trusted. Default: those the machine trusts.
    pub trust: Trust,
}

/// What may be written, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writes {
    /// What is ordered: a variant's id, or that of a product without variants. Three of it are enough.
    pub variant: String,
    /// An order that can no longer be cancelled, such as one that was shipped.
    pub final_order: Option<String>,
}

impl Options {
    /// Reads only, with the contract's limits.
    pub fn new(now: OffsetDateTime) -> Self {
        Self { now, phone: None, writes: None, timeout: Duration::from_secs(10), trust: Trust::default() }
    }
}

/// Why a system could not be tried at all.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The base is no address that can be called.
    #[error("the base {0}")]
    Base(&'static str),
    /// A secret cannot stand in a header.
    #[error("the secret must be visible ASCII without spaces or line breaks")]
    Secret,
    /// A phone that is not E.164.
    #[error("the phone must look like +9647701234567")]
    Phone,
    /// The client could not be made.
    #[error("the client cannot be set up: {0}")]
    Client(#[from] guarded_http::BuildError),
    /// Nothing answers there.
    #[error("the system cannot be reached: {0}")]
    Unreachable(guarded_http::CallError),
}
