//! The deliveries that a change owes, written by the statement that makes the change.

use diesel::{
    QueryableByName,
    pg::Pg,
    query_builder::{Query, QueryFragment, QueryId},
    sql_types::{Array, BigInt, Binary, Text, Timestamptz, Untyped, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::Event,
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, locked},
    places,
    sql::{Bind, sql},
};

/// Common table expressions that write deliveries and queue them. The statement they stand in takes what
/// [`owing`] binds as `$1` to `$6` and has before them a table `owing` with one row when the change took place.
///
/// An address that is disabled by the time of the change has the event logged, without an attempt.
macro_rules! enqueue_deliveries {
    () => {
        "delivery AS (
            INSERT INTO delivery_log
                (workspace_id, id, address_id, event, message_id, contact_id, body_sealed, undelivered, created_at)
            SELECT $1, owed.id, address.id, split_part(owed.event, ' ', 1),
                   nullif(split_part(owed.event, ' ', 2), '')::uuid,
                   nullif(split_part(owed.event, ' ', 3), '')::uuid, owed.body_sealed,
                   CASE address.state WHEN 'enabled' THEN NULL ELSE 'held' END, owed.created_at
            FROM owing, unnest($2, $3, $4, $5, $6) AS owed (id, address_id, event, body_sealed, created_at)
            JOIN webhook_addresses address
              ON address.workspace_id = $1 AND address.id = owed.address_id AND address.state <> 'deleted'
            RETURNING id, address_id, undelivered, created_at
        ), queued AS (
            INSERT INTO delivery_queue (workspace_id, delivery_id, address_id, attempt, due_at, created_at)
            SELECT $1, id, address_id, 1, created_at, created_at FROM delivery WHERE undelivered IS NULL
        )"
    };
}
pub(crate) use enqueue_deliveries;

pub(super) const SUBSCRIBERS: &str =
    "SELECT id, events FROM webhook_addresses WHERE workspace_id = $1 AND events && $2";

/// Deliveries to write, column by column. Their bodies are sealed.
#[derive(Default)]
pub(crate) struct PendingDeliveries {
    ids: Vec<uuid::Uuid>,
    addresses: Vec<uuid::Uuid>,
    /// Of each the name, the message and the contact that it is about, with blanks between.
    events: Vec<String>,
    bodies: Vec<Vec<u8>>,
    created_at: Vec<OffsetDateTime>,
}

/// The statement with `$1` to `$6` bound.
pub(crate) fn owing<'a>(
    statement: &'static str,
    workspace: WorkspaceId,
    owed: &'a PendingDeliveries,
) -> impl Bind + Query<SqlType = Untyped> + QueryFragment<Pg> + QueryId + use<'a> {
    sql(statement)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(&owed.ids)
        .bind::<Array<Uuid>, _>(&owed.addresses)
        .bind::<Array<Text>, _>(&owed.events)
        .bind::<Array<Binary>, _>(&owed.bodies)
        .bind::<Array<Timestamptz>, _>(&owed.created_at)
}

/// How many rows a statement has made or changed, where the statement itself says so.
#[derive(QueryableByName)]
pub(crate) struct Count {
    #[diesel(sql_type = BigInt)]
    pub(crate) count: i64,
}

#[derive(QueryableByName)]
struct Subscriber {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Array<Text>)]
    events: Vec<String>,
}

impl PgStore {
    /// One delivery of each event for each address that subscribes to it.
    pub(crate) async fn owed(
        &self,
        connection: &mut AsyncPgConnection,
        workspace: WorkspaceId,
        events: &[&Event],
    ) -> Result<PendingDeliveries, StoreError> {
        let mut owed = PendingDeliveries::default();
        if events.is_empty() {
            return Ok(owed);
        }
        let mut names: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let subscribers: Vec<Subscriber> = sql(SUBSCRIBERS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Text>, _>(names)
            .load(connection)
            .await
            .map_err(failed)?;
        for event in events {
            for subscriber in &subscribers {
                if subscriber.events.iter().any(|name| name == event.kind.as_str()) {
                    self.add(&mut owed, workspace, subscriber.id.into(), event)?;
                }
            }
        }
        Ok(owed)
    }

    fn add(
        &self,
        owed: &mut PendingDeliveries,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
    ) -> Result<(), StoreError> {
        let id = DeliveryId::new(&*self.ids);
        let place = places::delivery_body(workspace, id);
        let body = self.vault.seal(&event.body(id, workspace), &place).map_err(locked)?;
        owed.ids.push(id.uuid());
        owed.addresses.push(address.uuid());
        let message = event.message().map(|message| message.to_string()).unwrap_or_default();
        let contact = event.contact().map(|contact| contact.to_string()).unwrap_or_default();
        owed.events.push(format!("{} {message} {contact}", event.kind.as_str()));
        owed.bodies.push(body);
        owed.created_at.push(event.created_at);
        Ok(())
    }
}
