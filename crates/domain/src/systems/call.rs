//! Calling a workspace's system: the one way that leads to it, but for verifications.

use std::{sync::Arc, time::Duration};

use futures_util::future::join;

use super::{
    Answered, CallError, CallOutcome, Capabilities, Capability, ConnectedSystem, ExternalId, FailedCall,
    Introduction, Route, Unavailable,
    ports::{CustomSystem, SystemCall},
    record::RecordCall,
};
use crate::{
    access::audit::Acting,
    appointments::{Appointment, Booking, SlotQuery, Slots},
    catalogue::{Product, ProductQuery},
    customer_records::{CustomerRecord, LeadPush},
    errors::StoreError,
    ids::{SystemId, WorkspaceId},
    orders::{LookedUpOrder, Order, OrderReference, OrderRequest},
    phone::PhoneNumber,
    text::PlainText,
};

/// It says how long a system may take to answer (custom system contract v2, Limits): who waits for less would
/// take a slow system for one that fails.
pub const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// The call was not made, or came to nothing that can be used.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The workspace has connected no system.
    #[error("the workspace has connected no system of its own")]
    NoSystem,
    /// The system has not declared that it can do that.
    #[error("the system does not declare `{}`", .0.as_str())]
    NotDeclared(Capability),
    /// The system is not called now.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The call failed. What it may have done all the same is said by [`CallError::is_open`].
    #[error(transparent)]
    Call(#[from] CallError),
    /// The store failed, before anything but a read was asked of the system.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It opens workspaces' systems for calls.
#[derive(Clone)]
pub struct CallSystem {
    pub system: Arc<dyn CustomSystem>,
    /// It keeps systems, and what became of calls.
    pub record: RecordCall,
}

/// It is a workspace's system, as it was when it was opened. Each of its calls is refused at once where the
/// system has not declared what it asks for, or is not called now; each that was made is logged, whatever
/// became of it, and moves the connection.
pub struct OpenedSystem {
    by: CallSystem,
    workspace: WorkspaceId,
    connected: ConnectedSystem,
    call: SystemCall,
}

impl CallSystem {
    /// Opens the workspace's system for calls that may take `within` each, a retry included; see [`ANSWERS_WITHIN`].
    ///
    /// # Errors
    /// [`SystemError::NoSystem`], and those of the store.
    pub async fn open(&self, workspace: WorkspaceId, within: Duration) -> Result<OpenedSystem, SystemError> {
        let connected = self.record.store.open(workspace).await?.ok_or(SystemError::NoSystem)?;
        let (base, secret) = (connected.connection.base.clone(), connected.secret.clone());
        let call = SystemCall { workspace, base, secret, within };
        Ok(OpenedSystem { by: self.clone(), workspace, connected, call })
    }

    /// Returns what the workspace's system declares that it can do; `None` where none is connected.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn declared(&self, workspace: WorkspaceId) -> Result<Option<Capabilities>, StoreError> {
        let connected = self.record.store.open(workspace).await?;
        Ok(connected.map(|connected| connected.connection.introduction.capabilities))
    }
}

/// They are the contract's calls.
impl OpenedSystem {
    pub const fn id(&self) -> SystemId {
        self.connected.connection.id
    }

    /// Says how the system last introduced itself: what it can do, and what its prices are in.
    pub const fn introduction(&self) -> &Introduction {
        &self.connected.connection.introduction
    }

    /// Says whether a call of that route would be made now.
    ///
    /// # Errors
    /// [`SystemError::NotDeclared`] and [`SystemError::Unavailable`].
    pub fn may_call(&self, route: Route) -> Result<(), SystemError> {
        let missing = route.capability().filter(|&it| !self.introduction().capabilities.has(it));
        if let Some(capability) = missing {
            return Err(SystemError::NotDeclared(capability));
        }
        Ok(self.connected.connection.health.may_call(self.by.record.deps.clock.now())?)
    }

    /// Returns the products that the system's own search finds.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn search_products(&self, query: &ProductQuery) -> Result<Vec<Product>, SystemError> {
        self.make(Route::SearchProducts, self.by.system.search_products(&self.call, query)).await
    }

    /// Returns one product.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn product(&self, id: &ExternalId) -> Result<Product, SystemError> {
        self.make(Route::Product, self.by.system.product(&self.call, id)).await
    }

    /// Places an order, or finds the one that was placed with its key.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn place_order(&self, order: &OrderRequest) -> Result<Order, SystemError> {
        self.make(Route::PlaceOrder, self.by.system.place_order(&self.call, order)).await
    }

    /// Looks an order up.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn order(&self, reference: &OrderReference) -> Result<LookedUpOrder, SystemError> {
        self.make(Route::Order, self.by.system.order(&self.call, reference)).await
    }

    /// Cancels an order. `None` where the system does not say how it stands then.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn cancel_order(
        &self,
        reference: &OrderReference,
        reason: &PlainText,
    ) -> Result<Option<Order>, SystemError> {
        let answer = self.by.system.cancel_order(&self.call, reference, reason);
        self.make(Route::CancelOrder, answer).await
    }

    /// Returns what the system lets the customer with that verified number hear.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn customer(&self, phone: &PhoneNumber) -> Result<Option<CustomerRecord>, SystemError> {
        self.make(Route::Customer, self.by.system.customer(&self.call, phone)).await
    }

    /// Tells of a lead. `None` where the system took it without saying as whom.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn push_lead(&self, lead: &LeadPush) -> Result<Option<ExternalId>, SystemError> {
        self.make(Route::PushLead, self.by.system.push_lead(&self.call, lead)).await
    }

    /// Returns times that can be booked.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn slots(&self, query: &SlotQuery) -> Result<Slots, SystemError> {
        self.make(Route::Slots, self.by.system.slots(&self.call, query)).await
    }

    /// Books a slot, or finds the appointment that was booked with its key.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn book(&self, booking: &Booking) -> Result<Appointment, SystemError> {
        self.make(Route::Book, self.by.system.book(&self.call, booking)).await
    }

    /// Makes a call. `answer` does nothing before it is waited for.
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
        // What the system has done counts more than our record of it: it is told all the same.
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
