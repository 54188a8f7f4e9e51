//! Deliveries owed by a change, written in the same transaction.

use diesel::{
    ExpressionMethods, PgArrayExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    events::Event,
    ids::{DeliveryId, WorkspaceId},
    webhooks::{AddressState, DeliveryState},
};
use time::OffsetDateTime;

use crate::{
    Database,
    error::locked,
    places,
    schema::{delivery_log, delivery_queue, webhook_addresses},
    sql::{RunQueryDsl, insert},
    transaction::Flight,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_addresses)]
pub(crate) struct Subscriber {
    id: uuid::Uuid,
    events: Vec<String>,
    state: String,
}

/// Loads the subscribers to any of these events. Read once, in the transaction's first flight: an address
/// that is disabled by then gets the event logged, without an attempt.
pub(crate) fn subscribers<'c, 'e>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    events: impl IntoIterator<Item = &'e Event>,
) -> impl Future<Output = QueryResult<Vec<Subscriber>>> + Send + 'c {
    let mut kinds: Vec<&str> = events.into_iter().map(|event| event.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    webhook_addresses::table
        .filter(webhook_addresses::workspace_id.eq(workspace.uuid()))
        .filter(webhook_addresses::state.ne("deleted"))
        .filter(webhook_addresses::events.overlaps_with(kinds))
        .select(Subscriber::as_select())
        .load(&mut { connection })
}

/// A delivery to be written, with its body sealed.
pub(crate) struct PendingDelivery {
    id: uuid::Uuid,
    address: uuid::Uuid,
    event: &'static str,
    message: Option<uuid::Uuid>,
    contact: Option<uuid::Uuid>,
    body: Vec<u8>,
    undelivered: Option<&'static str>,
    once: bool,
    created_at: OffsetDateTime,
    /// Trace of its cause, if there is one.
    trace_parent: Option<String>,
}

impl PendingDelivery {
    pub(crate) fn id(&self) -> DeliveryId {
        self.id.into()
    }

    /// Sets the trace of the cause, for deliveries that another task writes.
    pub(crate) fn traced(self, trace_parent: Option<&str>) -> Self {
        Self { trace_parent: trace_parent.map(str::to_owned), ..self }
    }

    /// Makes the delivery be attempted once, even if the address is disabled.
    pub(crate) fn whatever_the_state(self) -> Self {
        Self { once: self.undelivered.is_some(), undelivered: None, ..self }
    }
}

impl Database {
    /// Creates a delivery of each event for each address that subscribes to it.
    pub(crate) fn deliveries<'e>(
        &self,
        workspace: WorkspaceId,
        subscribers: &[Subscriber],
        events: impl IntoIterator<Item = &'e Event>,
    ) -> Result<Vec<PendingDelivery>, StoreError> {
        let mut pending = Vec::new();
        for event in events {
            let hears =
                |subscriber: &&Subscriber| subscriber.events.iter().any(|name| name == event.kind.as_str());
            for subscriber in subscribers.iter().filter(hears) {
                pending.push(self.delivery(workspace, subscriber, event)?);
            }
        }
        Ok(pending)
    }

    /// Creates a delivery to an address, whatever it subscribes to.
    pub(crate) fn delivery(
        &self,
        workspace: WorkspaceId,
        subscriber: &Subscriber,
        event: &Event,
    ) -> Result<PendingDelivery, StoreError> {
        let id = DeliveryId::new(&*self.ids);
        let body = event.body(id, workspace);
        let is_enabled = subscriber.state == AddressState::Enabled.as_str();
        Ok(PendingDelivery {
            id: id.uuid(),
            address: subscriber.id,
            event: event.kind.as_str(),
            message: event.message().map(domain::ids::MessageId::uuid),
            contact: event.contact().map(domain::ids::ContactId::uuid),
            body: self.vault.seal(&body, &places::delivery_body(workspace, id)).map_err(locked)?,
            undelivered: (!is_enabled).then_some(DeliveryState::Held.as_str()),
            once: false,
            created_at: event.created_at,
            trace_parent: trace_context::current(),
        })
    }
}

/// Adds the log entries of these deliveries, and the queue entries of those to be attempted.
pub(crate) fn enqueue(flight: &mut Flight<'_>, workspace: WorkspaceId, pending: &[PendingDelivery]) {
    let queued: Vec<&PendingDelivery> =
        pending.iter().filter(|delivery| delivery.undelivered.is_none()).collect();
    flight.insert(
        insert(delivery_log::table, workspace, pending)
            .column(delivery_log::id, |delivery| delivery.id)
            .column(delivery_log::address_id, |delivery| delivery.address)
            .column(delivery_log::event, |delivery| delivery.event)
            .column(delivery_log::message_id, |delivery| delivery.message)
            .column(delivery_log::contact_id, |delivery| delivery.contact)
            .column(delivery_log::body_sealed, |delivery| delivery.body.as_slice())
            .column(delivery_log::undelivered, |delivery| delivery.undelivered)
            .column(delivery_log::created_at, |delivery| delivery.created_at)
            .column(delivery_log::trace_parent, |delivery| delivery.trace_parent.as_deref()),
    );
    flight.insert(
        insert(delivery_queue::table, workspace, &queued)
            .column(delivery_queue::delivery_id, |delivery| delivery.id)
            .column(delivery_queue::address_id, |delivery| delivery.address)
            .column(delivery_queue::attempt, |_| 1)
            .column(delivery_queue::due_at, |delivery| delivery.created_at)
            .column(delivery_queue::once, |delivery| delivery.once)
            .column(delivery_queue::created_at, |delivery| delivery.created_at),
    );
}
