//! What became of what a turn has sent.

use crate::{
    errors::StoreError,
    sending::{Refusal, Replied, SendError},
};

/// It says what became of an answer, or of the summary of something to confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// The network has it.
    Yes,
    /// Something had passed the fence, and it was not begun.
    Outdated,
    /// It was certainly not sent, and may be later.
    NotTaken,
    Unknown,
    /// It cannot be sent there.
    Refused,
}

impl Sent {
    /// Says what a send came to.
    ///
    /// # Errors
    /// Those of the store.
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
