//! Outcome of what a turn sends.

use crate::{
    errors::StoreError,
    sending::{Refusal, Replied, SendError},
};

/// Outcome of sending an answer, or the summary of something to confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    Yes,
    /// Something had passed the fence, so the send was not begun.
    Outdated,
    /// Certainly not sent; a later attempt may succeed.
    NotTaken,
    Unknown,
    Refused,
}

impl Sent {
    /// Converts the result of a send.
    pub fn of(sent: Result<Replied, SendError>) -> Result<Self, StoreError> {
        match sent {
            Ok(_) => Ok(Self::Yes),
            Err(SendError::Store(StoreError::Stale)) => Ok(Self::Outdated),
            Err(SendError::Store(error)) => Err(error),
            Err(SendError::Open { .. } | SendError::Refused(Refusal::OutcomeUnknown { .. })) => {
                Ok(Self::Unknown)
            }
            Err(SendError::Refused(
                Refusal::NetworkUnavailable { .. } | Refusal::HeldBack { .. } | Refusal::RequestInFlight,
            )) => Ok(Self::NotTaken),
            Err(SendError::Refused(_)) => Ok(Self::Refused),
        }
    }
}
