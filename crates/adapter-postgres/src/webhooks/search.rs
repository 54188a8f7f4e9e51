//! Searching the log over all addresses.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, QueryDsl,
    sql_types::{BigInt, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    paging::PageRequest,
    webhooks::{Delivery, DeliverySubject},
};

use super::{
    line::{LineRow, line},
    log::{place, rows},
};
use crate::{Database, error::failed, schema::delivery_log, sql::statement};

/// Of a person, under every id that they have had.
pub(super) const BY_CONTACT: &str = "
    SELECT page.*,
           (SELECT due_at FROM delivery_queue queue
            WHERE queue.workspace_id = :workspace AND queue.delivery_id = page.id) AS due_at,
           (SELECT count(*) FROM delivery_attempts attempt
            WHERE attempt.workspace_id = :workspace AND attempt.delivery_id = page.id
              AND attempt.created_at = page.created_at) AS attempts
    FROM (
        SELECT log.* FROM (
            SELECT coalesce((SELECT contact_id FROM contact_aliases
                             WHERE workspace_id = :workspace AND id = :contact), :contact) AS id
            UNION ALL
            SELECT id FROM contact_aliases WHERE workspace_id = :workspace AND contact_id = coalesce(
                (SELECT contact_id FROM contact_aliases WHERE workspace_id = :workspace AND id = :contact),
                :contact)
        ) who CROSS JOIN LATERAL (
            SELECT id, address_id, event, undelivered, created_at FROM delivery_log
            WHERE workspace_id = :workspace AND contact_id = who.id
              AND created_at <= :at AND (created_at, id) < (:at, :id)
            ORDER BY created_at DESC, id DESC LIMIT :rows
        ) log ORDER BY log.created_at DESC, log.id DESC LIMIT :rows
    ) page ORDER BY page.created_at DESC, page.id DESC";

/// No event of a message is much older than its send: messages of one moment are moved behind each other.
pub(super) const BY_REFERENCE: &str = "
    SELECT page.*,
           (SELECT due_at FROM delivery_queue queue
            WHERE queue.workspace_id = :workspace AND queue.delivery_id = page.id) AS due_at,
           (SELECT count(*) FROM delivery_attempts attempt
            WHERE attempt.workspace_id = :workspace AND attempt.delivery_id = page.id
              AND attempt.created_at = page.created_at) AS attempts
    FROM (
        SELECT log.* FROM (
            SELECT id, created_at FROM sends WHERE workspace_id = :workspace AND reference = :reference
              AND created_at <= :at + interval '1 minute'
            ORDER BY created_at DESC LIMIT 200
        ) send CROSS JOIN LATERAL (
            SELECT id, address_id, event, undelivered, created_at FROM delivery_log
            WHERE workspace_id = :workspace AND message_id = send.id
              AND created_at >= send.created_at - interval '1 minute'
              AND created_at <= :at AND (created_at, id) < (:at, :id)
            ORDER BY created_at DESC, id DESC LIMIT :rows
        ) log ORDER BY log.created_at DESC, log.id DESC LIMIT :rows
    ) page ORDER BY page.created_at DESC, page.id DESC";

/// A page of the deliveries about something.
pub(super) async fn search(
    database: &Database,
    workspace: WorkspaceId,
    subject: &DeliverySubject,
    page: PageRequest,
) -> Result<Vec<Delivery>, StoreError> {
    let (at, id) = place(page);
    let written_out = |text| {
        statement(text)
            .of(workspace)
            .bind::<Timestamptz, _>("at", at)
            .bind::<Uuid, _>("id", id)
            .bind::<BigInt, _>("rows", rows(page))
    };
    let mut connection = database.delivering().await?;
    let found: Result<Vec<LineRow>, _> = match subject {
        DeliverySubject::Contact(contact) => {
            let of = written_out(BY_CONTACT).bind::<Uuid, _>("contact", contact.uuid());
            of.load(&mut connection).await
        }
        DeliverySubject::Message(message) => {
            delivery_log::table
                .filter(delivery_log::workspace_id.eq(workspace.uuid()))
                .filter(delivery_log::message_id.eq(message.uuid()))
                .filter(delivery_log::created_at.le(at))
                .filter(delivery_log::created_at.lt(at).or(delivery_log::id.lt(id)))
                .order((delivery_log::created_at.desc(), delivery_log::id.desc()))
                .limit(rows(page))
                .select(line(workspace.uuid()))
                .load(&mut connection)
                .await
        }
        DeliverySubject::Reference(reference) => {
            let of = written_out(BY_REFERENCE).bind::<Text, _>("reference", reference);
            of.load(&mut connection).await
        }
    };
    found.map_err(failed)?.iter().map(LineRow::read).collect()
}
