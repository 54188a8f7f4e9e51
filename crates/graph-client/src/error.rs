//! How a call to the network fails.

use std::time::Duration;

use crate::codes::Class;

/// A call that brought no usable answer. Its text names no token, no number and no content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The request certainly had no effect, and may be made again.
    #[error("not sent: {reason}")]
    NotSent {
        /// For the log.
        reason: String,
        /// When the network wants to be asked again, where it said so.
        retry_after: Option<Duration>,
    },
    /// The network refused the request.
    #[error("{0}")]
    Refused(Refusal),
    /// The request may have had an effect.
    #[error("outcome unknown: {reason}")]
    Unknown {
        /// For the log.
        reason: String,
    },
}

/// A refusal in the network's words. `message` and `details` may quote what was sent: they are for the caller,
/// not for a log.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("refused with code {code} ({class:?})")]
pub struct Refusal {
    /// The network's code; the HTTP status where the answer held none.
    pub code: i64,
    /// What narrows the code down.
    pub subcode: Option<i64>,
    /// The title, mostly `(#code) …`.
    pub message: String,
    /// The longer explanation, where there is one.
    pub details: Option<String>,
    /// What follows: [`Class::Final`], [`Class::Later`] or [`Class::Channel`].
    pub class: Class,
}

impl std::fmt::Debug for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refusal")
            .field("code", &self.code)
            .field("subcode", &self.subcode)
            .field("class", &self.class)
            .finish_non_exhaustive()
    }
}

impl GraphError {
    pub(crate) fn not_sent(reason: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::NotSent { reason: reason.into(), retry_after }
    }

    pub(crate) fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into() }
    }
}
