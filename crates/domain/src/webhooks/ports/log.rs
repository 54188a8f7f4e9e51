//! The log of deliveries.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
    paging::PageRequest,
    webhooks::{Delivery, DeliveryDetail, DeliveryFilter, DeliverySubject, Resend, ResendWindow},
};

/// It says what became of asking for one delivery again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resent {
    /// It is due at once.
    Yes,
    /// There is no such delivery in the log.
    Unknown,
}

/// It says what became of asking for a window again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResendOutcome {
    /// It is written down.
    Yes(Resend),
    /// The workspace has no such address.
    Unknown,
    /// The address is not delivered to.
    Disabled,
    /// As many windows as may be have not ended.
    TooMany,
}

/// It says what a node did for re-sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendStep {
    /// Deliveries are due again, and there are more.
    More,
    /// Nothing is left of what this workspace asked for, or another node is at it.
    Nothing,
}

/// It keeps the log, by workspace. What somebody asks for comes with the entry that tells of it, happens at
/// the entry's time, and is written together with it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Lists deliveries of one address, newest first; one more than the page holds where there are more.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Lists deliveries about something, over all addresses, newest first; one more than the page holds where
    /// there are more.
    async fn search(
        &self,
        workspace: WorkspaceId,
        subject: &DeliverySubject,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Returns one delivery with its body and its attempts; `None` when the workspace has no such.
    async fn find(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Option<DeliveryDetail>, StoreError>;

    /// Makes a delivery due at once, for one more attempt; one that waits for its next attempt no longer does. Where its
    /// address is disabled, no attempt follows that one.
    async fn resend(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
        entry: &AuditEntry,
    ) -> Result<Resent, StoreError>;

    /// Writes down that a window is to be sent again, with how many deliveries failed, were held or wait in it, unless `most`
    /// of the workspace have not ended.
    async fn begin_resend(
        &self,
        workspace: WorkspaceId,
        id: ResendId,
        window: &ResendWindow,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<ResendOutcome, StoreError>;

    /// Says how far one has come; `None` when the workspace has no such.
    async fn find_resend(
        &self,
        workspace: WorkspaceId,
        resend: ResendId,
    ) -> Result<Option<Resend>, StoreError>;

    /// Lists the re-sends of one address, the newest first, 50 at most.
    async fn list_resends(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Vec<Resend>, StoreError>;

    /// Lists the workspaces with re-sends that have not ended. It only reads.
    async fn workspaces_resending(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Puts up to `limit` more deliveries of the workspace's oldest re-send back in the queue, or has them due at once
    /// where they wait there, in one transaction with how far it has come.
    async fn step_resend(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<ResendStep, StoreError>;
}

/// It keeps the log short.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LogKeeper: Send + Sync {
    /// Returns the time by the store's own clock.
    async fn now(&self) -> Result<OffsetDateTime, StoreError>;

    /// Makes room for what will be created up to `until`, so that dropping it later costs nothing, and drops what
    /// was created before `before`, and the addresses that were deleted before. Any number of nodes may do so at once.
    async fn keep(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        before: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
