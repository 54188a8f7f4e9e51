//! State of the send of a message.

use time::OffsetDateTime;

use super::progress::Progress;

/// State of a send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendingState {
    /// The network was, or is being, asked; the outcome is unknown.
    InFlight,
    Sent,
    Refused,
}

impl SendingState {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Sent => "sent",
            Self::Refused => "refused",
        }
    }

    /// Parses a name as `as_str` returns it; `None` for any other.
    pub fn read(name: &str) -> Option<Self> {
        [Self::InFlight, Self::Sent, Self::Refused].into_iter().find(|state| state.as_str() == name)
    }
}

/// Stored state of a send. The network's id is left out: on `WhatsApp` it holds the recipient's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    pub state: SendingState,
    /// Time at which the request was accepted here.
    pub asked_at: OffsetDateTime,
    /// Time at which the network's answer, or a status that stood for it, was recorded.
    pub settled_at: Option<OffsetDateTime>,
    pub progress: Progress,
    /// Network's words, if it refused the message or could not deliver it.
    pub error: Option<String>,
    /// Network's code for the same.
    pub error_code: Option<i64>,
}
