//! Storage of the log of deliveries.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::super::{
    delivery::{Delivery, DeliveryDetail, DeliveryFilter, DeliverySubject},
    resend::{Resend, ResendError, ResendWindow},
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
    paging::PageRequest,
};

/// Outcome of one step of a workspace's re-sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendStep {
    /// A step was made, and there may be more to do.
    More,
    /// No re-send is left, or another node holds it.
    Nothing,
}

/// Log of deliveries, by workspace. A re-send happens at the time of its audit entry and is written in one
/// transaction with it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Lists deliveries of one address, newest first, up to one more than the page holds.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Searches the deliveries of all addresses by their subject, newest first, up to one more than the page
    /// holds.
    async fn search(
        &self,
        workspace: WorkspaceId,
        subject: &DeliverySubject,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Finds a delivery with its body and attempts; `None` if the workspace has none of that id.
    async fn find(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Option<DeliveryDetail>, StoreError>;

    /// Makes a delivery due at once for one more attempt, also one that waits for a later one. If its address
    /// is disabled, no other attempt follows that one.
    async fn resend(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
        entry: &AuditEntry,
    ) -> Result<(), ResendError>;

    /// Begins a re-send and counts what failed, is held or waits in its window, unless `most` re-sends of the
    /// workspace have not ended.
    async fn begin_resend(
        &self,
        workspace: WorkspaceId,
        id: ResendId,
        window: &ResendWindow,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<Resend, ResendError>;

    /// Finds a re-send with its progress; `None` if the workspace has none of that id.
    async fn find_resend(
        &self,
        workspace: WorkspaceId,
        resend: ResendId,
    ) -> Result<Option<Resend>, StoreError>;

    /// Lists the newest 50 re-sends of an address, newest first.
    async fn list_resends(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Vec<Resend>, StoreError>;

    /// Lists workspaces with re-sends that have not ended. Only reads.
    async fn workspaces_resending(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Puts up to `limit` more deliveries of the workspace's oldest re-send back in the queue, or makes those
    /// that wait there due at once, in one transaction with its progress.
    async fn step_resend(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<ResendStep, StoreError>;
}

/// Retention of the log of deliveries.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LogKeeper: Send + Sync {
    /// Returns the time by the store's own clock.
    async fn now(&self) -> Result<OffsetDateTime, StoreError>;

    /// Makes room for what will be created up to `until`, so that dropping it later costs nothing, and drops
    /// what was created, and addresses that were deleted, before `before`. Several nodes may do so at once.
    async fn keep(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        before: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
