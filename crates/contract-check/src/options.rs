//! Options of a run, and reasons why none is possible.

use std::time::Duration;

use guarded_http::Trust;
use time::OffsetDateTime;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Now: slots are asked for from today on, and keys are made of it.
    pub now: OffsetDateTime,
    /// Number in E.164 of a person with a record in the system, best one's own.
    pub phone: Option<String>,
    /// `None` to write nothing.
    pub writes: Option<Writes>,
    /// Time limit of a whole answer. Default: the contract's 10 seconds.
    pub timeout: Duration,
    /// Authorities whose certificates are accepted. Default: those of the machine.
    pub trust: Trust,
}

/// What may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writes {
    /// Id of a variant, or of a product without variants, to be ordered; a stock of three is enough.
    pub variant: String,
    /// Reference of an order that can no longer be cancelled, such as one that was shipped.
    pub final_order: Option<String>,
}

impl Options {
    /// Makes options that only read, with the contract's limits.
    pub fn new(now: OffsetDateTime) -> Self {
        Self { now, phone: None, writes: None, timeout: Duration::from_secs(10), trust: Trust::default() }
    }
}

/// Reason why a system could not be tried at all.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The base is no address that can be called.
    #[error("the base {0}")]
    Base(&'static str),
    /// The secret cannot stand in a header.
    #[error("the secret must be visible ASCII without spaces or line breaks")]
    Secret,
    #[error("the phone must look like +9647701234567")]
    Phone,
    #[error("the client cannot be set up: {0}")]
    Client(#[from] guarded_http::BuildError),
    #[error("the system cannot be reached: {0}")]
    Unreachable(guarded_http::CallError),
}
