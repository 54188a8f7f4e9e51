//! Results of calls to a system.

use std::{fmt, time::Duration};

use crate::text::PlainText;

/// Most characters kept of a system's refusal message.
pub const MESSAGE_KEPT: usize = 500;

/// An answer, with the parts that had to be left out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered<T> {
    pub value: T,
    pub unusable: Vec<Unusable>,
    pub exchange: Exchange,
}

impl<T> Answered<T> {
    /// Converts the value.
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> Answered<U> {
        Answered { value: to(self.value), unusable: self.unusable, exchange: self.exchange }
    }
}

/// Facts of the exchange that an answer came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Status of the last answer.
    pub status: u16,
    /// Size of the answer's body.
    pub bytes: usize,
    /// Attempts at the request: 2 if it was retried.
    pub attempts: u8,
    /// Whether a redirect to another origin was followed.
    pub left_origin: bool,
}

/// A part of an answer that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unusable {
    /// Path of the part, such as `products[3].price`; empty for the whole answer. Holds the contract's own
    /// names and positions, never a value or a name that the system made up.
    pub path: String,
    pub why: Why,
}

/// Fault of a part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Required, and absent or null.
    Missing,
    /// Of another JSON type.
    WrongType,
    /// Of the right type, but not an allowed value.
    NotAllowed,
    /// Longer than is read, and cut.
    TooLong,
}

impl Why {
    /// Returns the name in the log of calls.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::NotAllowed => "not_allowed",
            Self::TooLong => "too_long",
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.path.is_empty() { "the answer" } else { &self.path }, self.why.as_str())
    }
}

/// Message of a system's refusal, for the team and never for a customer. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct RefusalMessage(PlainText);

impl RefusalMessage {
    /// Parses a message, cut after [`MESSAGE_KEPT`] characters; `None` if no text is left.
    pub fn read(written: &str) -> Option<Self> {
        PlainText::read(written, MESSAGE_KEPT).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for RefusalMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RefusalMessage(…)")
    }
}

/// Reason why a call gave no usable result. The texts hold nothing that was sent or answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The system refused: 409, 422, or another 4xx without a meaning of its own here.
    #[error("the system refused it with status {status}")]
    Refused {
        status: u16,
        /// The system's own words.
        message: Option<RefusalMessage>,
    },
    /// The system has no such product, order or record, or no such route: 404 or 410.
    #[error("the system does not have it")]
    NotFound {
        /// The system's own words.
        message: Option<RefusalMessage>,
    },
    /// The system does not accept the secret, or not any more: 401 or 403.
    #[error("the system does not accept the secret")]
    NeedsReconnection {
        status: u16,
        /// The system's own words.
        message: Option<RefusalMessage>,
    },
    /// The system leads to another origin, which is not given the secret and has to be connected itself.
    #[error("the system leads to another address: register that one")]
    Misdirected {
        /// Status of the last answer.
        status: u16,
    },
    /// The system asks for fewer calls: 429.
    #[error("the system asks for fewer calls")]
    SlowDown {
        /// Time that it asks for, if any.
        retry_after: Option<Duration>,
        /// The system's own words.
        message: Option<RefusalMessage>,
    },
    /// The system says that it is down: 5xx.
    #[error("the system is down: status {status}")]
    Down {
        status: u16,
        /// The system's own words.
        message: Option<RefusalMessage>,
    },
    /// No complete answer in time.
    #[error("the system did not answer in time")]
    TimedOut,
    /// No connection, or one that broke.
    #[error("the system cannot be reached: {words}")]
    Unreachable {
        /// Reason, in words for the system's owner.
        words: String,
        /// Whether the request may have reached the system all the same.
        sent: bool,
    },
    /// The answer is larger than is read.
    #[error("the system's answer is too large")]
    TooLarge,
    /// The answer breaks the contract, so that nothing of it can be used.
    #[error("the system's answer cannot be read")]
    Unreadable {
        status: u16,
        /// Parts to blame; empty if the answer as a whole cannot be read.
        unusable: Vec<Unusable>,
    },
    /// Call that this machine could not make; says nothing of the system.
    #[error("the call could not be made from here: {0}")]
    NotMade(&'static str),
}

/// A failed call, with how much of an answer had come.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct FailedCall {
    pub error: CallError,
    /// Bytes received of the last answer's body, whole or not; `None` if no answer began.
    pub bytes: Option<usize>,
}

impl From<CallError> for FailedCall {
    /// Creates a failed call to which no answer came.
    fn from(error: CallError) -> Self {
        Self { error, bytes: None }
    }
}

impl CallError {
    /// [`Self::NotFound`] without a message.
    pub const NOT_FOUND: Self = Self::NotFound { message: None };

    /// Returns whether the call may have taken effect all the same, so that a creation has to be repeated
    /// with its key until the outcome is known.
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Down { .. } | Self::TimedOut | Self::TooLarge | Self::Unreadable { .. } => true,
            Self::Unreachable { sent, .. } => *sent,
            Self::Refused { .. }
            | Self::NotFound { .. }
            | Self::NeedsReconnection { .. }
            | Self::Misdirected { .. }
            | Self::SlowDown { .. }
            | Self::NotMade(_) => false,
        }
    }

    /// Returns the status of the answer, if there was one that says anything; 404 for [`Self::NotFound`].
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. }
            | Self::NeedsReconnection { status, .. }
            | Self::Misdirected { status }
            | Self::Down { status, .. }
            | Self::Unreadable { status, .. } => Some(*status),
            Self::NotFound { .. } => Some(404),
            Self::SlowDown { .. } => Some(429),
            Self::TimedOut | Self::Unreachable { .. } | Self::TooLarge | Self::NotMade(_) => None,
        }
    }

    /// Returns the system's message for the team, if there was one.
    pub const fn message(&self) -> Option<&RefusalMessage> {
        match self {
            Self::Refused { message, .. }
            | Self::NotFound { message }
            | Self::NeedsReconnection { message, .. }
            | Self::SlowDown { message, .. }
            | Self::Down { message, .. } => message.as_ref(),
            Self::Misdirected { .. }
            | Self::TimedOut
            | Self::Unreachable { .. }
            | Self::TooLarge
            | Self::Unreadable { .. }
            | Self::NotMade(_) => None,
        }
    }
}
