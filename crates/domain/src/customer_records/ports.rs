//! Ports of customers and leads, besides their system.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    customer::ConversationCustomer,
    lead::{AfterTry, DueLead, LeadState},
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    events::Event,
    fence::Fence,
    ids::{ConversationId, LeadId, WorkspaceId},
    sending::KeyClaim,
    systems::LeadPush,
};

/// Source of the customers of conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CustomerStore: Send + Sync {
    /// Loads the conversation's customer; `None` if the workspace has no such conversation.
    async fn customer_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<ConversationCustomer>, StoreError>;
}

/// A lead to write, with all that is written with it.
#[derive(Debug, Clone)]
pub struct NewLead {
    pub id: LeadId,
    pub conversation: ConversationId,
    /// Lead that a system is to be told of; `None` if none is.
    pub push: Option<LeadPush>,
    pub key: Option<KeyClaim>,
    pub fence: Option<Fence>,
    pub event: Event,
    pub entry: AuditEntry,
}

/// The lead that an idempotency key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadHolder {
    pub request_hash: [u8; 32],
    pub id: LeadId,
    pub state: LeadState,
}

/// Storage of leads, and of what systems are to be told of them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LeadStore: Send + Sync {
    /// Writes a lead, what a system is to be told of it, the deliveries of its event and the audit entry, in
    /// one transaction; the event's time comes after all earlier events of the conversation. If the key was
    /// used before, writes nothing and returns the lead that has it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the conversation is not there any more, or something has passed the fence.
    async fn capture(&self, workspace: WorkspaceId, lead: &NewLead)
    -> Result<Option<LeadHolder>, StoreError>;

    /// Lists the workspaces with leads due by `now`; claims none.
    async fn workspaces_with_leads(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims a lead due by `now`, and counts the attempt that begins. The lead is due again at
    /// `lease_until`, whatever becomes of the claimant. `None` if none is due, or another worker was faster.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueLead>, StoreError>;

    /// Records what follows an attempt, unless another has begun since. Once a lead has ended, what a system
    /// was to be told of it is deleted.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        lead: LeadId,
        attempt: u32,
        then: AfterTry,
    ) -> Result<(), StoreError>;
}
