//! Sends that an echo may be of.

use crate::{attachments::AttachmentKind, sending::Intent};

/// A send whose outcome at the network is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendInFlight {
    pub intent: Intent,
    /// Kind of its file; `None` if it has none.
    pub file: Option<AttachmentKind>,
}
