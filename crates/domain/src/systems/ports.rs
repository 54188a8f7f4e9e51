//! Calling a customer's system.

use std::time::Duration;

use async_trait::async_trait;

use super::{Answered, CallError, ExternalId, Introduction, SystemBase, SystemSecret};
use crate::{
    appointments::{Appointment, Booking, SlotQuery, Slots},
    catalogue::{Product, ProductQuery},
    customer_records::{CustomerRecord, LeadPush},
    orders::{LookedUpOrder, Order, OrderReference, OrderRequest},
    phone::PhoneNumber,
    text::PlainText,
};

/// Which system is called, and how long the caller waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCall {
    /// Where it is.
    pub base: SystemBase,
    /// What it knows us by.
    pub secret: SystemSecret,
    /// For everything together, a retry included. One exchange takes ten seconds at most, however much there is.
    pub within: Duration,
}

/// The contract's ten calls. A read that fails without an answer is tried once more, and so is a creation, with its
/// key; nothing else is. Nothing here judges whether a system may be called: that is [`super::Health`]'s.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CustomSystem: Send + Sync {
    /// Asks how the system introduces itself.
    ///
    /// # Errors
    /// [`CallError`], as every call's.
    async fn verify(&self, call: &SystemCall) -> Result<Answered<Introduction>, CallError>;

    /// Products that the system's own search finds. What cannot be used is left out.
    async fn search_products(
        &self,
        call: &SystemCall,
        query: &ProductQuery,
    ) -> Result<Answered<Vec<Product>>, CallError>;

    /// One product.
    async fn product(&self, call: &SystemCall, id: &ExternalId) -> Result<Answered<Product>, CallError>;

    /// Places an order, or finds the one that was placed with its key.
    async fn place_order(
        &self,
        call: &SystemCall,
        order: &OrderRequest,
    ) -> Result<Answered<Order>, CallError>;

    /// Looks an order up; see [`LookedUpOrder::shown_to`] for whom.
    async fn order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
    ) -> Result<Answered<LookedUpOrder>, CallError>;

    /// Cancels an order, and tells how it stands where the system says so.
    async fn cancel_order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
        reason: &PlainText,
    ) -> Result<Answered<Option<Order>>, CallError>;

    /// What the system lets the customer with that verified number hear; `None` when it does not know them.
    async fn customer(
        &self,
        call: &SystemCall,
        phone: &PhoneNumber,
    ) -> Result<Answered<Option<CustomerRecord>>, CallError>;

    /// Tells of a lead. `None` where the system took it without saying as whom.
    async fn push_lead(
        &self,
        call: &SystemCall,
        lead: &LeadPush,
    ) -> Result<Answered<Option<ExternalId>>, CallError>;

    /// Times that can be booked.
    async fn slots(&self, call: &SystemCall, query: &SlotQuery) -> Result<Answered<Slots>, CallError>;

    /// Books a slot, or finds the appointment that was booked with its key.
    async fn book(&self, call: &SystemCall, booking: &Booking) -> Result<Answered<Appointment>, CallError>;
}
