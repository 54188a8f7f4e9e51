//! Ports that call customers' systems and store their connections and call logs.

use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    address::{SystemBase, SystemSecret},
    answered::{Answered, FailedCall},
    appointment::{Appointment, Booking, SlotQuery, Slots},
    call_log::{CallFilter, CallRecord},
    capability::Introduction,
    connection::{ConnectedSystem, SystemConnection},
    customer_record::{CustomerRecord, LeadPush},
    product::{Product, ProductQuery},
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    external_id::ExternalId,
    ids::{SystemId, WorkspaceId},
    orders::{LookedUpOrder, Order, OrderReference, OrderRequest},
    paging::PageRequest,
    phone::PhoneNumber,
    text::PlainText,
};

/// System to call, and how long the caller waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCall {
    pub workspace: WorkspaceId,
    pub base: SystemBase,
    pub secret: SystemSecret,
    /// Time for the whole call, a retry included. One exchange takes ten seconds at most, however much is
    /// left.
    pub within: Duration,
}

/// The contract's ten calls. A read, or a creation with its key, is tried once more if it got no answer for a
/// reason that may pass, or the answer that the system is down; other calls are not. Whether a system may be
/// called is decided by [`super::Health`], not here.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CustomSystem: Send + Sync {
    /// Asks the system to introduce itself.
    async fn verify(&self, call: &SystemCall) -> Result<Answered<Introduction>, FailedCall>;

    /// Searches products by the system's own search. Unusable ones are left out.
    async fn search_products(
        &self,
        call: &SystemCall,
        query: &ProductQuery,
    ) -> Result<Answered<Vec<Product>>, FailedCall>;

    /// Returns a product.
    async fn product(&self, call: &SystemCall, id: &ExternalId) -> Result<Answered<Product>, FailedCall>;

    /// Places an order, or returns the one already placed with its key.
    async fn place_order(
        &self,
        call: &SystemCall,
        order: &OrderRequest,
    ) -> Result<Answered<Order>, FailedCall>;

    /// Looks up an order, which only [`LookedUpOrder::shown_to`] gives out.
    async fn order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
    ) -> Result<Answered<LookedUpOrder>, FailedCall>;

    /// Cancels an order; returns it if the system says how it stands.
    async fn cancel_order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
        reason: &PlainText,
    ) -> Result<Answered<Option<Order>>, FailedCall>;

    /// Returns what the system lets the customer with this verified number hear; `None` if it does not know
    /// them.
    async fn customer(
        &self,
        call: &SystemCall,
        phone: &PhoneNumber,
    ) -> Result<Answered<Option<CustomerRecord>>, FailedCall>;

    /// Pushes a lead; returns the id that the system gave them, `None` if it named none.
    async fn push_lead(
        &self,
        call: &SystemCall,
        lead: &LeadPush,
    ) -> Result<Answered<Option<ExternalId>>, FailedCall>;

    /// Lists times that can be booked.
    async fn slots(&self, call: &SystemCall, query: &SlotQuery) -> Result<Answered<Slots>, FailedCall>;

    /// Books a slot, or returns the appointment already booked with its key.
    async fn book(&self, call: &SystemCall, booking: &Booking) -> Result<Answered<Appointment>, FailedCall>;
}

/// Error for an address that may not be called, with the reason in words for its owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ForbiddenSystem(pub String);

/// Guard of the addresses that may be called.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SystemAddresses: Send + Sync {
    /// Checks an address as a call would, name look-up included, without calling it.
    async fn check(&self, base: &SystemBase) -> Result<(), ForbiddenSystem>;
}

/// State of a connection after a call.
#[derive(Debug, Clone)]
pub struct ConnectionChange {
    /// The connection with its new state, and with the version at which it was read.
    pub after: SystemConnection,
    /// Entry for the log of changes; `None` if the change is no news to the team.
    pub entry: Option<AuditEntry>,
}

/// Storage of connections. A change is written in one transaction with its audit entry.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SystemStore: Send + Sync {
    /// Finds the workspace's connection; `None` if it has connected no system.
    async fn find(&self, workspace: WorkspaceId) -> Result<Option<SystemConnection>, StoreError>;

    /// Finds the workspace's connection with its secret.
    async fn open(&self, workspace: WorkspaceId) -> Result<Option<ConnectedSystem>, StoreError>;

    /// Stores a connection, its secret sealed, in place of the former one; `false` if there is no such
    /// workspace.
    async fn connect(
        &self,
        workspace: WorkspaceId,
        connected: &ConnectedSystem,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Writes a connection's new state.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the connection was changed since it was read.
    async fn settle(&self, workspace: WorkspaceId, change: &ConnectionChange) -> Result<(), StoreError>;

    /// Disconnects a system; `false` if it is not connected any more.
    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        id: SystemId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists workspaces whose connection is due for verification at `now`. Only reads.
    async fn workspaces_to_verify(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims the verification due at `now` until `lease_until`, when it is due again whatever became of the
    /// claimant; `false` if none is due or another node has claimed it.
    async fn claim_verification(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// Log of calls.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CallLog: Send + Sync {
    /// Adds a call, the system's message sealed; does nothing if there is no such workspace.
    async fn add(&self, workspace: WorkspaceId, call: &CallRecord) -> Result<(), StoreError>;

    /// Lists calls, newest first, up to one more than the page holds.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: CallFilter,
        page: PageRequest,
    ) -> Result<Vec<CallRecord>, StoreError>;

    /// Lists workspaces with calls older than `before`. Only reads.
    async fn workspaces_with_old_calls(&self, before: OffsetDateTime)
    -> Result<Vec<WorkspaceId>, StoreError>;

    /// Removes some calls older than `before`; `false` if none is left.
    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;
}
