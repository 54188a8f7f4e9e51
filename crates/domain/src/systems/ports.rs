//! Calling a customer's system, and what is kept of it.

use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    Answered, CallFilter, CallRecord, ConnectedSystem, ExternalId, FailedCall, Introduction, SystemBase,
    SystemConnection, SystemSecret,
};
use crate::{
    access::audit::AuditEntry,
    appointments::{Appointment, Booking, SlotQuery, Slots},
    catalogue::{Product, ProductQuery},
    customer_records::{CustomerRecord, LeadPush},
    errors::StoreError,
    ids::{SystemId, WorkspaceId},
    orders::{LookedUpOrder, Order, OrderReference, OrderRequest},
    paging::PageRequest,
    phone::PhoneNumber,
    text::PlainText,
};

/// It says which system is called, and how long the caller waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCall {
    /// It is this workspace's system.
    pub workspace: WorkspaceId,
    pub base: SystemBase,
    /// The system knows us by it.
    pub secret: SystemSecret,
    /// It is for everything together, a retry included. One exchange takes ten seconds at most, however much
    /// there is.
    pub within: Duration,
}

/// It makes the contract's ten calls. A read that fails without an answer is tried once more, and so is a
/// creation, with its key; nothing else is. Nothing here judges whether a system may be called: that is
/// [`super::Health`]'s.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CustomSystem: Send + Sync {
    /// Asks how the system introduces itself.
    ///
    /// # Errors
    /// [`FailedCall`], as every call's.
    async fn verify(&self, call: &SystemCall) -> Result<Answered<Introduction>, FailedCall>;

    /// Products that the system's own search finds. What cannot be used is left out.
    async fn search_products(
        &self,
        call: &SystemCall,
        query: &ProductQuery,
    ) -> Result<Answered<Vec<Product>>, FailedCall>;

    /// Returns one product.
    async fn product(&self, call: &SystemCall, id: &ExternalId) -> Result<Answered<Product>, FailedCall>;

    /// Places an order, or finds the one that was placed with its key.
    async fn place_order(
        &self,
        call: &SystemCall,
        order: &OrderRequest,
    ) -> Result<Answered<Order>, FailedCall>;

    /// Looks an order up; see [`LookedUpOrder::shown_to`] for whom.
    async fn order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
    ) -> Result<Answered<LookedUpOrder>, FailedCall>;

    /// Cancels an order, and tells how it stands where the system says so.
    async fn cancel_order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
        reason: &PlainText,
    ) -> Result<Answered<Option<Order>>, FailedCall>;

    /// Returns what the system lets the customer with that verified number hear; `None` when it does not know
    /// them.
    async fn customer(
        &self,
        call: &SystemCall,
        phone: &PhoneNumber,
    ) -> Result<Answered<Option<CustomerRecord>>, FailedCall>;

    /// Tells of a lead. `None` where the system took it without saying as whom.
    async fn push_lead(
        &self,
        call: &SystemCall,
        lead: &LeadPush,
    ) -> Result<Answered<Option<ExternalId>>, FailedCall>;

    /// Returns times that can be booked.
    async fn slots(&self, call: &SystemCall, query: &SlotQuery) -> Result<Answered<Slots>, FailedCall>;

    /// Books a slot, or finds the appointment that was booked with its key.
    async fn book(&self, call: &SystemCall, booking: &Booking) -> Result<Answered<Appointment>, FailedCall>;
}

/// The address may not be called; the text says why, in words for its owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ForbiddenSystem(pub String);

/// It says which addresses may be called.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SystemAddresses: Send + Sync {
    /// Judges an address as a call to it would be judged, look-up included, without calling it.
    ///
    /// # Errors
    /// Why it may not be called.
    async fn check(&self, base: &SystemBase) -> Result<(), ForbiddenSystem>;
}

/// It says where a connection stands after a call.
#[derive(Debug, Clone)]
pub struct ConnectionChange {
    /// It is the connection, with the version that it was read at.
    pub after: SystemConnection,
    /// The log of changes is told this, where it is.
    pub entry: Option<AuditEntry>,
}

/// It keeps the connections. A change comes with the entry that tells of it and is written together with it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SystemStore: Send + Sync {
    /// Returns the workspace's; `None` when it has connected none.
    async fn find(&self, workspace: WorkspaceId) -> Result<Option<SystemConnection>, StoreError>;

    /// Returns the same with its secret.
    async fn open(&self, workspace: WorkspaceId) -> Result<Option<ConnectedSystem>, StoreError>;

    /// Connects a system, its secret sealed, in place of what was connected before; `false` when there is no such
    /// workspace.
    async fn connect(
        &self,
        workspace: WorkspaceId,
        connected: &ConnectedSystem,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Writes where a connection stands now, unless it was changed since it was read.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when it was.
    async fn settle(&self, workspace: WorkspaceId, change: &ConnectionChange) -> Result<(), StoreError>;

    /// Disconnects a system; `false` when it is not connected any more.
    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        id: SystemId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspaces whose connection is to be verified by `now`. It only reads.
    async fn workspaces_to_verify(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes the verification that is due by `now` until `lease_until`, when it is due again whatever became of the
    /// taker; `false` when none is due, or somebody else has it.
    async fn claim_verification(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// It is the log of calls.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CallLog: Send + Sync {
    /// Adds a call, what the system said sealed. Nothing where there is no such workspace.
    async fn add(&self, workspace: WorkspaceId, call: &CallRecord) -> Result<(), StoreError>;

    /// Lists up to one row more than the page holds, the newest first.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: CallFilter,
        page: PageRequest,
    ) -> Result<Vec<CallRecord>, StoreError>;

    /// Lists the workspaces with calls from before that time. It only reads.
    async fn workspaces_with_old_calls(&self, before: OffsetDateTime)
    -> Result<Vec<WorkspaceId>, StoreError>;

    /// Forgets some calls from before that time; `false` when none is left.
    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;
}
