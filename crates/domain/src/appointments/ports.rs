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

/// A wish to write down, with all that goes with it.
#[derive(Debug, Clone)]
pub struct NewBookingRequest {
    /// The wish.
    pub id: BookingRequestId,
    /// Where somebody said it.
    pub conversation: ConversationId,
    /// The key to claim.
    pub key: Option<KeyClaim>,
    /// What it rests on, where a turn of the assistant wrote it down.
    pub fence: Option<Fence>,
    /// What tells of it.
    pub event: Event,
    /// What the log of changes is told.
    pub entry: AuditEntry,
}

/// The wish that has a key already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookingRequestHolder {
    /// For which request.
    pub request_hash: [u8; 32],
    /// The wish.
    pub id: BookingRequestId,
}

/// Wishes for appointments.
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
