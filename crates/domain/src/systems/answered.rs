//! What a call to a system came to.

use std::{fmt, time::Duration};

use crate::text::PlainText;

/// So many characters are kept of what a system says when it refuses.
pub const MESSAGE_KEPT: usize = 500;

/// It is an answer, with what had to be left out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered<T> {
    /// It could be used.
    pub value: T,
    /// They could not be used, and are named by their path in the answer, such as `products[3].price`.
    pub unusable: Vec<Unusable>,
    /// It says how the exchange went.
    pub exchange: Exchange,
}

impl<T> Answered<T> {
    /// Makes the same of another value.
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> Answered<U> {
        Answered { value: to(self.value), unusable: self.unusable, exchange: self.exchange }
    }
}

/// The log of calls keeps this of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// It is the status of the last answer.
    pub status: u16,
    /// The body of the answer has so many bytes.
    pub bytes: usize,
    /// The request was sent so often: 2 when it was retried.
    pub attempts: u8,
    /// It says whether a redirect to another origin was followed.
    pub left_origin: bool,
}

/// It is a part of an answer that could not be used. Its path holds the contract's own names and positions,
/// never a value, nor a name that the system made up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unusable {
    /// It says where the part is; empty for the whole answer.
    pub path: String,
    /// It says what is wrong with the part.
    pub why: Why,
}

/// It says what is wrong with a part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// It is required and is not there, or is null.
    Missing,
    /// It is of another JSON type.
    WrongType,
    /// It is of the right type and not a value that it may have.
    NotAllowed,
    /// There is more of it than is read: it was cut.
    TooLong,
}

impl Why {
    /// Returns its name in the log of calls.
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

/// It is what a system says when it refuses: for the team, never for a customer. It is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct RefusalMessage(PlainText);

impl RefusalMessage {
    /// Reads the words, cut after [`MESSAGE_KEPT`] characters.
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

/// A call came to nothing that can be used. The texts hold nothing that was sent or answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It cannot do that: 409, 422, or another 4xx that has no meaning of its own here.
    #[error("the system refused it with status {status}")]
    Refused {
        status: u16,
        /// The system said this.
        message: Option<RefusalMessage>,
    },
    /// It has no such product, order or record, or no such route.
    #[error("the system does not have it")]
    NotFound {
        /// What it said.
        message: Option<RefusalMessage>,
    },
    /// The secret is not, or not any more, the one that it issued: 401 or 403.
    #[error("the system does not accept the secret")]
    NeedsReconnection {
        /// The status.
        status: u16,
        /// What it said.
        message: Option<RefusalMessage>,
    },
    /// It leads to another origin, which is not given the secret: that one has to be registered.
    #[error("the system leads to another address: register that one")]
    Misdirected {
        /// It is the last status.
        status: u16,
    },
    /// It asks for fewer calls: 429.
    #[error("the system asks for fewer calls")]
    SlowDown {
        /// It asks for so long, where it says so.
        retry_after: Option<Duration>,
        /// What it said.
        message: Option<RefusalMessage>,
    },
    /// It answers that it is down: 5xx.
    #[error("the system is down: status {status}")]
    Down {
        /// The status.
        status: u16,
        /// What it said.
        message: Option<RefusalMessage>,
    },
    /// There was no complete answer in time.
    #[error("the system did not answer in time")]
    TimedOut,
    /// There was no exchange, or it broke.
    #[error("the system cannot be reached: {words}")]
    Unreachable {
        /// They say why, in words that its owner may read.
        words: String,
        /// It says whether the request may have been read all the same.
        sent: bool,
    },
    /// The answer is larger than is read.
    #[error("the system's answer is too large")]
    TooLarge,
    /// The answer is not what the contract says, so that nothing of it can be used.
    #[error("the system's answer cannot be read")]
    Unreadable {
        status: u16,
        /// These parts are to blame; there are none where it is no JSON at all.
        unusable: Vec<Unusable>,
    },
    /// This machine could not make the call; it says nothing of the system.
    #[error("the call could not be made from here: {0}")]
    NotMade(&'static str),
}

/// It is a call that failed, with how much had come of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct FailedCall {
    pub error: CallError,
    /// So many bytes of the last answer's body were received, whole or not; `None` where no answer began.
    pub bytes: Option<usize>,
}

impl From<CallError> for FailedCall {
    /// Makes that of a call to which no answer came.
    fn from(error: CallError) -> Self {
        Self { error, bytes: None }
    }
}

impl CallError {
    /// It has no such thing, and says no more than that.
    pub const NOT_FOUND: Self = Self::NotFound { message: None };

    /// Whether what was asked for may have been done all the same, so that a creation has to be asked again with its
    /// key until it is known.
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

    /// Returns the status of the answer, where there was one that tells.
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

    /// What the system said, where it said anything for the team.
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
