//! What wishes for appointments need from outside.

use async_trait::async_trait;

use crate::{
    access::audit::AuditEntry,
    assistant::Fence,
    errors::StoreError,
    ids::{BookingRequestId, ConversationId, WorkspaceId},
    sending::KeyClaim,
    webhooks::Event,
};

/// It is a wish to write down, with all that goes with it.
#[derive(Debug, Clone)]
pub struct NewBookingRequest {
    pub id: BookingRequestId,
    pub conversation: ConversationId,
    pub key: Option<KeyClaim>,
    /// What it rests on, where a turn of the assistant wrote it down.
    pub fence: Option<Fence>,
    /// What tells of it.
    pub event: Event,
    pub entry: AuditEntry,
}

/// A key belongs to this wish already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookingRequestHolder {
    /// The key was used for the request with this hash.
    pub request_hash: [u8; 32],
    pub id: BookingRequestId,
}

/// It keeps wishes for appointments.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BookingRequestStore: Send + Sync {
    /// Writes a wish, the deliveries of its event and the entry, in one transaction; the event's time comes after all
    /// that was told of the conversation before. Nothing is written where its key was used before: the answer is the
    /// wish that has it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the conversation is not there any more.
    async fn add(
        &self,
        workspace: WorkspaceId,
        new: &NewBookingRequest,
    ) -> Result<Option<BookingRequestHolder>, StoreError>;
}
