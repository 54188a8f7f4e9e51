//! What is asked about customers needs from outside, besides their system.

use async_trait::async_trait;

use time::OffsetDateTime;

use super::{AfterTry, ConversationCustomer, DueLead, LeadPush, LeadState};
use crate::{
    access::audit::AuditEntry,
    assistant::Fence,
    errors::StoreError,
    ids::{ConversationId, LeadId, WorkspaceId},
    sending::KeyClaim,
    webhooks::Event,
};

/// It says whom conversations are with.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CustomerStore: Send + Sync {
    /// Returns the conversation's customer; `None` when the workspace has no such conversation.
    async fn customer_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<ConversationCustomer>, StoreError>;
}

/// It is a lead to write down, with all that goes with it.
#[derive(Debug, Clone)]
pub struct NewLead {
    pub id: LeadId,
    pub conversation: ConversationId,
    /// A system is to be told this; `None` where none is.
    pub push: Option<LeadPush>,
    pub key: Option<KeyClaim>,
    /// What it rests on, where a turn of the assistant captured it.
    pub fence: Option<Fence>,
    /// What tells of it.
    pub event: Event,
    pub entry: AuditEntry,
}

/// This lead has the key already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadHolder {
    /// The key was used for the request with this hash.
    pub request_hash: [u8; 32],
    pub id: LeadId,
    pub state: LeadState,
}

/// It keeps leads, and which of them systems are to be told of.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LeadStore: Send + Sync {
    /// Writes a lead, what a system is to be told of it, the deliveries of its event, and the entry, in one
    /// transaction; the event's time comes after all that was told of the conversation before. Nothing is written
    /// where its key was used before: the answer is the lead that has it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the conversation is not there any more, or something has passed its fence.
    async fn capture(&self, workspace: WorkspaceId, lead: &NewLead)
    -> Result<Option<LeadHolder>, StoreError>;

    /// Lists the workspaces with leads that are due by `now`. It only reads.
    async fn workspaces_with_leads(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes a lead that is due by `now`, and counts the try that begins; it is due again at `lease_until`, whatever
    /// becomes of the taker. `None` when none is due, or somebody else was faster.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueLead>, StoreError>;

    /// Writes what follows a try, unless another has begun since. Of a lead that has ended, what was told is forgotten.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        lead: LeadId,
        attempt: u32,
        then: AfterTry,
    ) -> Result<(), StoreError>;
}
