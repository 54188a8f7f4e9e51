//! Port of wishes for appointments.

use async_trait::async_trait;

use crate::{
    audit::AuditEntry,
    errors::StoreError,
    events::Event,
    fence::Fence,
    ids::{BookingRequestId, ConversationId, WorkspaceId},
    sending::KeyClaim,
};

/// A wish to record, with all that is written with it.
#[derive(Debug, Clone)]
pub struct NewBookingRequest {
    pub id: BookingRequestId,
    pub conversation: ConversationId,
    pub key: Option<KeyClaim>,
    pub fence: Option<Fence>,
    pub event: Event,
    pub entry: AuditEntry,
}

/// The wish that an idempotency key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookingRequestHolder {
    pub request_hash: [u8; 32],
    pub id: BookingRequestId,
}

/// Storage of wishes for appointments.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BookingRequestStore: Send + Sync {
    /// Writes a wish, the deliveries of its event and the audit entry, in one transaction; the event's time
    /// comes after all earlier events of the conversation. If the key was used before, writes nothing and
    /// returns the wish that has it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the conversation is not there any more, or something has passed the fence.
    async fn add(
        &self,
        workspace: WorkspaceId,
        new: &NewBookingRequest,
    ) -> Result<Option<BookingRequestHolder>, StoreError>;
}
