//! Errors of calls to the network.

use std::time::Duration;

use crate::codes::Class;

/// Reason why a call brought no usable answer. Its text names no token, no number and no content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The request certainly had no effect, and may be made again.
    #[error("not sent: {reason}")]
    NotSent {
        /// For the log.
        reason: String,
        /// Pause that the network asks for; `None` if it named none.
        retry_after: Option<Duration>,
    },
    #[error("{0}")]
    Refused(Refusal),
    /// The request may have had an effect.
    #[error("outcome unknown: {reason}")]
    Unknown {
        /// For the log.
        reason: String,
    },
}

/// A refusal in the network's words. `message` and `details` may quote what was sent: they are for the
/// caller, not for a log.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("refused with code {code} ({class:?})")]
pub struct Refusal {
    /// Error code of the network; the HTTP status if the answer held none.
    pub code: i64,
    pub subcode: Option<i64>,
    /// Title, mostly `(#code) …`.
    pub message: String,
    /// Longer explanation, if any.
    pub details: Option<String>,
    /// [`Class::Final`], [`Class::Later`] or [`Class::Channel`].
    pub class: Class,
}

impl Refusal {
    /// Returns the longer explanation if there is one, else the title.
    pub fn words(self) -> String {
        self.details.filter(|details| !details.trim().is_empty()).unwrap_or(self.message)
    }
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
