//! The ten calls of the contract.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use domain::{
    clock::Clock,
    external_id::ExternalId,
    orders::{CreationKey, LookedUpOrder, Order, OrderReference, OrderRequest},
    phone::PhoneNumber,
    systems::{
        Answered, Appointment, Booking, CallError, CustomerRecord, FailedCall, Introduction, LeadPush,
        MAX_SEARCH_LIMIT, Product, ProductQuery, Route, SlotQuery, Slots,
        ports::{CustomSystem, SystemCall},
    },
    text::PlainText,
};
use guarded_http::{Bytes, GuardedClient, Url};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    body,
    json::Node,
    judge::Taken,
    read,
    room::Answers,
    send::{Ask, Sender},
};

/// Client of customers' systems, by the contract's second version.
pub struct CustomSystemClient(Sender);

/// Error for an id that no address can hold: no system can have it.
const NO_ADDRESS: CallError = CallError::NOT_FOUND;
const UNWRITTEN: CallError = CallError::NotMade("the request could not be written");

impl CustomSystemClient {
    /// Makes a client over `client`, which was made with [`crate::LIMITS`] and whose policy decides which
    /// hosts may be called.
    pub fn new(client: GuardedClient, clock: Arc<dyn Clock>) -> Self {
        Self(Sender { client, clock, answers: Answers::default() })
    }

    async fn get<T>(
        &self,
        call: &SystemCall,
        route: Route,
        url: Url,
        read: impl FnOnce(&Node<'_, '_>) -> Option<T> + Send,
    ) -> Result<Answered<T>, FailedCall> {
        answered(self.0.send(call, Ask { route, url, body: None, key: None }).await?, read)
    }

    async fn post(
        &self,
        call: &SystemCall,
        route: Route,
        segments: &[&str],
        body: Option<Bytes>,
        key: Option<&CreationKey>,
    ) -> Result<Taken, FailedCall> {
        let url = call.base.join(segments).ok_or(NO_ADDRESS)?;
        let body = Some(body.ok_or(UNWRITTEN)?);
        self.0.send(call, Ask { route, url, body, key }).await
    }
}

fn answered<T>(
    taken: Taken,
    read: impl FnOnce(&Node<'_, '_>) -> Option<T>,
) -> Result<Answered<T>, FailedCall> {
    let Taken { body, exchange } = taken;
    let unreadable = |unusable| FailedCall {
        error: CallError::Unreadable { status: exchange.status, unusable },
        bytes: Some(exchange.bytes),
    };
    let (value, unusable) = read::read(&body, read).map_err(unreadable)?;
    Ok(Answered { value, unusable, exchange })
}

/// Reads an answer as [`answered`] does, or accepts an empty one.
fn answered_if_any<T>(
    taken: Taken,
    read: impl FnOnce(&Node<'_, '_>) -> Option<T>,
) -> Result<Answered<Option<T>>, FailedCall> {
    if taken.body.trim_ascii().is_empty() {
        return Ok(Answered { value: None, unusable: Vec::new(), exchange: taken.exchange });
    }
    answered(taken, |node| Some(read(node)))
}

/// Appends a query. Spaces become `%20`, which every reader of queries takes for a space.
fn with_query(mut url: Url, parameters: &[(&str, Option<&str>)]) -> Url {
    let mut query = url.query_pairs_mut();
    for (name, value) in parameters {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    drop(query);
    // A literal plus sign is `%2B` by now.
    let spaced = url.query().map(|query| query.replace('+', "%20"));
    url.set_query(spaced.as_deref());
    url
}

fn rfc3339(at: OffsetDateTime) -> Result<String, CallError> {
    at.format(&Rfc3339).map_err(|_| UNWRITTEN)
}

#[async_trait]
impl CustomSystem for CustomSystemClient {
    async fn verify(&self, call: &SystemCall) -> Result<Answered<Introduction>, FailedCall> {
        let url = call.base.join(&["verify"]).ok_or(NO_ADDRESS)?;
        self.get(call, Route::Verify, url, read::introduction).await
    }

    async fn search_products(
        &self,
        call: &SystemCall,
        query: &ProductQuery,
    ) -> Result<Answered<Vec<Product>>, FailedCall> {
        let url = call.base.join(&["products"]).ok_or(NO_ADDRESS)?;
        let limit = query.limit.clamp(1, MAX_SEARCH_LIMIT).to_string();
        let category = query.category.as_ref().map(PlainText::as_str);
        let parameters = [("q", Some(query.words.as_str())), ("limit", Some(&limit)), ("category", category)];
        self.get(call, Route::SearchProducts, with_query(url, &parameters), read::products).await
    }

    async fn product(&self, call: &SystemCall, id: &ExternalId) -> Result<Answered<Product>, FailedCall> {
        let url = call.base.join(&["products", id.as_str()]).ok_or(NO_ADDRESS)?;
        self.get(call, Route::Product, url, read::product).await
    }

    async fn place_order(
        &self,
        call: &SystemCall,
        order: &OrderRequest,
    ) -> Result<Answered<Order>, FailedCall> {
        let taken =
            self.post(call, Route::PlaceOrder, &["orders"], body::order(order), Some(&order.key)).await?;
        answered(taken, read::order)
    }

    async fn order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
    ) -> Result<Answered<LookedUpOrder>, FailedCall> {
        let url = call.base.join(&["orders", reference.as_str()]).ok_or(NO_ADDRESS)?;
        self.get(call, Route::Order, url, read::looked_up).await
    }

    async fn cancel_order(
        &self,
        call: &SystemCall,
        reference: &OrderReference,
        reason: &PlainText,
    ) -> Result<Answered<Option<Order>>, FailedCall> {
        let segments = ["orders", reference.as_str(), "cancel"];
        let taken = self.post(call, Route::CancelOrder, &segments, body::cancellation(reason), None).await?;
        answered_if_any(taken, read::cancelled)
    }

    async fn customer(
        &self,
        call: &SystemCall,
        phone: &PhoneNumber,
    ) -> Result<Answered<Option<CustomerRecord>>, FailedCall> {
        let url = call.base.join(&["customers", "lookup"]).ok_or(NO_ADDRESS)?;
        let url = with_query(url, &[("phone", Some(phone.as_str()))]);
        Ok(self.get(call, Route::Customer, url, read::record).await?.map(Option::from))
    }

    async fn push_lead(
        &self,
        call: &SystemCall,
        lead: &LeadPush,
    ) -> Result<Answered<Option<ExternalId>>, FailedCall> {
        let taken = self.post(call, Route::PushLead, &["customers"], body::lead(lead), None).await?;
        answered_if_any(taken, read::lead)
    }

    async fn slots(&self, call: &SystemCall, query: &SlotQuery) -> Result<Answered<Slots>, FailedCall> {
        let url = call.base.join(&["appointments", "slots"]).ok_or(NO_ADDRESS)?;
        let (from, to) = (rfc3339(query.from)?, rfc3339(query.to)?);
        let service = query.service.as_ref().map(PlainText::as_str);
        let url = with_query(url, &[("from", Some(&from)), ("to", Some(&to)), ("service", service)]);
        let now = self.0.clock.now();
        self.get(call, Route::Slots, url, |node| read::slots(node, query, now)).await
    }

    async fn book(&self, call: &SystemCall, booking: &Booking) -> Result<Answered<Appointment>, FailedCall> {
        let segments = ["appointments"];
        let taken =
            self.post(call, Route::Book, &segments, body::booking(booking), Some(&booking.key)).await?;
        answered(taken, read::appointment)
    }
}

impl fmt::Debug for CustomSystemClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomSystemClient(…)")
    }
}
