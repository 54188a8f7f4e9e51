//! Calls to a workspace's system: the one way to it but for verifications.

use std::{sync::Arc, time::Duration};

use futures_util::future::join;

use super::{
    answered::{Answered, CallError, FailedCall},
    appointment::{Appointment, Booking, SlotQuery, Slots},
    capability::{Capabilities, Capability, Introduction},
    connection::{CallOutcome, ConnectedSystem},
    customer_record::{CustomerRecord, LeadPush},
    health::Unavailable,
    ports::{CustomSystem, SystemCall},
    product::{Product, ProductQuery},
    record::RecordCall,
    route::Route,
};
use crate::{
    audit::Acting,
    errors::StoreError,
    external_id::ExternalId,
    ids::{SystemId, WorkspaceId},
    orders::{LookedUpOrder, Order, OrderReference, OrderRequest},
    phone::PhoneNumber,
    text::PlainText,
};

/// Time that a system may take to answer (custom system contract v2, Limits): a caller that waits for less
/// would take a slow system for one that fails.
pub const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// Reason why a call was not made or gave no usable result.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    #[error("the workspace has connected no system of its own")]
    NoSystem,
    #[error("the system does not declare `{}`", .0.as_str())]
    NotDeclared(Capability),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The call failed. [`CallError::is_open`] tells whether it may have taken effect all the same.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The store failed; nothing but a read was asked of the system.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens workspaces' systems for calls.
#[derive(Clone)]
pub struct CallSystem {
    pub system: Arc<dyn CustomSystem>,
    pub record: RecordCall,
}

/// A workspace's system as it was when it was opened. A call is refused at once if the system has not
/// declared its capability or is not to be called now; each call made is logged, whatever its result, and
/// moves the connection's health.
pub struct OpenedSystem {
    by: CallSystem,
    workspace: WorkspaceId,
    connected: ConnectedSystem,
    call: SystemCall,
}

impl CallSystem {
    /// Opens the workspace's system for calls that may take `within` each, a retry included; see
    /// [`ANSWERS_WITHIN`].
    pub async fn open(&self, workspace: WorkspaceId, within: Duration) -> Result<OpenedSystem, SystemError> {
        let connected = self.record.store.open(workspace).await?.ok_or(SystemError::NoSystem)?;
        let (base, secret) = (connected.connection.base.clone(), connected.secret.clone());
        let call = SystemCall { workspace, base, secret, within };
        Ok(OpenedSystem { by: self.clone(), workspace, connected, call })
    }

    /// Returns the capabilities that the workspace's system declares; `None` if none is connected.
    pub async fn declared(&self, workspace: WorkspaceId) -> Result<Option<Capabilities>, StoreError> {
        let connected = self.record.store.open(workspace).await?;
        Ok(connected.map(|connected| connected.connection.introduction.capabilities))
    }
}

// The contract's calls.
impl OpenedSystem {
    pub const fn id(&self) -> SystemId {
        self.connected.connection.id
    }

    /// Returns the system's last introduction: its name, currency and capabilities.
    pub const fn introduction(&self) -> &Introduction {
        &self.connected.connection.introduction
    }

    /// Checks whether a call of this route would be made now.
    ///
    /// # Errors
    /// [`SystemError::NotDeclared`] or [`SystemError::Unavailable`].
    pub fn may_call(&self, route: Route) -> Result<(), SystemError> {
        let missing = route.capability().filter(|&it| !self.introduction().capabilities.has(it));
        if let Some(capability) = missing {
            return Err(SystemError::NotDeclared(capability));
        }
        Ok(self.connected.connection.health.may_call(self.by.record.deps.clock.now())?)
    }

    /// Searches products by the system's own search.
    pub async fn search_products(&self, query: &ProductQuery) -> Result<Vec<Product>, SystemError> {
        self.make(Route::SearchProducts, self.by.system.search_products(&self.call, query)).await
    }

    /// Returns a product.
    pub async fn product(&self, id: &ExternalId) -> Result<Product, SystemError> {
        self.make(Route::Product, self.by.system.product(&self.call, id)).await
    }

    /// Places an order, or returns the one already placed with its key.
    pub async fn place_order(&self, order: &OrderRequest) -> Result<Order, SystemError> {
        self.make(Route::PlaceOrder, self.by.system.place_order(&self.call, order)).await
    }

    /// Looks up an order.
    pub async fn order(&self, reference: &OrderReference) -> Result<LookedUpOrder, SystemError> {
        self.make(Route::Order, self.by.system.order(&self.call, reference)).await
    }

    /// Cancels an order; `None` if the system does not say how it stands then.
    pub async fn cancel_order(
        &self,
        reference: &OrderReference,
        reason: &PlainText,
    ) -> Result<Option<Order>, SystemError> {
        let answer = self.by.system.cancel_order(&self.call, reference, reason);
        self.make(Route::CancelOrder, answer).await
    }

    /// Returns what the system lets the customer with this verified number hear; `None` if it does not know
    /// them.
    pub async fn customer(&self, phone: &PhoneNumber) -> Result<Option<CustomerRecord>, SystemError> {
        self.make(Route::Customer, self.by.system.customer(&self.call, phone)).await
    }

    /// Pushes a lead; returns the id that the system gave them, `None` if it named none.
    pub async fn push_lead(&self, lead: &LeadPush) -> Result<Option<ExternalId>, SystemError> {
        self.make(Route::PushLead, self.by.system.push_lead(&self.call, lead)).await
    }

    /// Lists times that can be booked.
    pub async fn slots(&self, query: &SlotQuery) -> Result<Slots, SystemError> {
        self.make(Route::Slots, self.by.system.slots(&self.call, query)).await
    }

    /// Books a slot, or returns the appointment already booked with its key.
    pub async fn book(&self, booking: &Booking) -> Result<Appointment, SystemError> {
        self.make(Route::Book, self.by.system.book(&self.call, booking)).await
    }

    /// Makes a call and records it. `answer` does nothing before it is awaited.
    async fn make<T: Sync>(
        &self,
        route: Route,
        answer: impl Future<Output = Result<Answered<T>, FailedCall>> + Send,
    ) -> Result<T, SystemError> {
        self.may_call(route)?;
        let record = &self.by.record;
        let began = record.deps.clock.now();
        let result = answer.await;
        let told = CallOutcome::of_call(&result);
        let acting = Acting::service(self.workspace);
        let written = join(
            record.log(self.workspace, route, &result, began),
            record.settle(acting, &self.connected.connection, &told),
        );
        let (logged, settled) = written.await;
        let answered = result.map_err(|failed| failed.error)?;
        // What the system has done counts more than our record of it, so it is returned all the same.
        if route.is_read() {
            logged?;
            settled?;
        }
        Ok(answered.value)
    }
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
