//! Wishes for appointments, where no system has a calendar.

use std::sync::Arc;

use super::ports::{BookingRequestStore, NewBookingRequest};
use crate::{
    audit::{Acting, Action},
    customer_records::ports::CustomerStore,
    deps::Deps,
    errors::{MayBeStale, StoreError, retry_stale},
    events::{BookingWish, Customer, Event},
    fence::Fence,
    ids::{BookingRequestId, ConversationId},
    sending::{IdempotencyKey, KeyClaim},
    systems::{Capability, LONGEST_LABEL, SystemConnection, ports::SystemStore},
    text::PlainText,
    vault::Vault,
};

/// Longest service and longest preferred time of a wish, in characters each.
pub const LONGEST_WISH: usize = 200;
/// Most tries of a write that loses races.
const TRIES: usize = 20;

/// Request to record a customer's wish for an appointment.
#[derive(Clone)]
pub struct BookingRequest {
    pub conversation: ConversationId,
    /// The contact's name is taken if absent.
    pub name: Option<String>,
    pub service: String,
    /// In the customer's own words.
    pub preferred_time: Option<String>,
    pub key: Option<IdempotencyKey>,
    /// Fence of the assistant's turn that asks: nothing is written once something has passed it.
    pub fence: Option<Fence>,
}

/// Reason a wish was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum RequestBookingError {
    #[error("{0}")]
    Invalid(String),
    #[error("there is no conversation with this id")]
    UnknownConversation,
    /// The workspace's own system has a calendar, whose slots are booked instead.
    #[error("the workspace's own system takes bookings: propose one of its slots")]
    SystemBooks,
    #[error("this Idempotency-Key was used for a different request")]
    KeyReused,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayBeStale for RequestBookingError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_stale())
    }
}

/// A recorded wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookingAsked {
    pub id: BookingRequestId,
    /// Whether an earlier request with the same key recorded it.
    pub replayed: bool,
}

/// Use case that records wishes for appointments.
pub struct RequestBooking {
    pub requests: Arc<dyn BookingRequestStore>,
    pub customers: Arc<dyn CustomerStore>,
    pub systems: Arc<dyn SystemStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl RequestBooking {
    /// Records a wish, with the event that tells of it, for a person to confirm.
    pub async fn run(
        &self,
        acting: Acting,
        request: &BookingRequest,
    ) -> Result<BookingAsked, RequestBookingError> {
        let name = request.name.as_deref().map(|name| read(name, LONGEST_LABEL, "name")).transpose()?;
        let service = read(&request.service, LONGEST_WISH, "service")?;
        let preferred = request.preferred_time.as_deref();
        let preferred = preferred.map(|time| read(time, LONGEST_WISH, "preferredTime")).transpose()?;
        let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
        let words = (name, service, preferred);
        // What has passed a fence stays passed.
        let tries = if request.fence.is_some() { 1 } else { TRIES };
        retry_stale(tries, || self.try_once(acting, request, &words, claim)).await
    }

    async fn try_once(
        &self,
        acting: Acting,
        request: &BookingRequest,
        (name, service, preferred): &(Option<PlainText>, PlainText, Option<PlainText>),
        claim: Option<KeyClaim>,
    ) -> Result<BookingAsked, RequestBookingError> {
        let workspace = acting.workspace;
        let customer = self.customers.customer_of(workspace, request.conversation).await?;
        let customer = customer.ok_or(RequestBookingError::UnknownConversation)?;
        let books = |it: &SystemConnection| it.introduction.capabilities.has(Capability::Appointments);
        if self.systems.find(workspace).await?.as_ref().is_some_and(books) {
            return Err(RequestBookingError::SystemBooks);
        }
        let called = || customer.contact.name.clone();
        let text = |text: &PlainText| text.as_str().to_owned();
        let wish = BookingWish {
            name: name.as_ref().map(text).or_else(called),
            phone: customer.verified_phone().cloned(),
            service: Some(text(service)),
            preferred_time: preferred.as_ref().map(text),
        };
        let (now, id) = (self.deps.clock.now(), BookingRequestId::new(&*self.deps.ids));
        let conversation = customer.conversation;
        let event = Event::booking_wished(conversation, wish, Customer::of(&customer.contact), now);
        let entry = acting.does(Action::BookingRequested, now, &*self.deps.ids).to(conversation);
        let entry = entry.with("bookingRequestId", id.to_string());
        let new = NewBookingRequest { id, conversation, key: claim, fence: request.fence, event, entry };
        match self.requests.add(workspace, &new).await? {
            None => {
                self.deps.signals.deliveries_due(workspace);
                Ok(BookingAsked { id, replayed: false })
            }
            Some(holder) if claim.is_some_and(|claim| claim.request_hash == holder.request_hash) => {
                Ok(BookingAsked { id: holder.id, replayed: true })
            }
            Some(_) => Err(RequestBookingError::KeyReused),
        }
    }
}

fn read(typed: &str, longest: usize, field: &str) -> Result<PlainText, RequestBookingError> {
    let read = PlainText::read_whole(typed, longest).filter(|(_, whole)| *whole);
    let rule = || {
        RequestBookingError::Invalid(format!(
            "`{field}` must be 1 to {longest} characters that show something"
        ))
    };
    read.map(|(text, _)| text).ok_or_else(rule)
}

#[cfg(test)]
mod tests;
