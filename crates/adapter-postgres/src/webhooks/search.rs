//! Search of the log over all addresses.

use std::cmp::Reverse;

use diesel::{
    BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult,
    sql_types::{BigInt, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    paging::PageRequest,
    webhooks::{Delivery, DeliverySubject},
};
use futures_util::future::{try_join, try_join_all};

use super::{
    line::{LineRow, line},
    log::{place, rows},
};
use crate::{
    Database,
    contacts::current_contact,
    error::failed,
    schema::{contact_aliases, delivery_log},
    sql::{RunQueryDsl, statement},
};

/// Bounded in time: events are hardly older than their sends; messages of one moment get later times in turn.
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

pub(super) async fn search(
    database: &Database,
    workspace: WorkspaceId,
    subject: &DeliverySubject,
    page: PageRequest,
) -> Result<Vec<Delivery>, StoreError> {
    let (at, id) = place(page);
    let mut connection = database.delivering().await?;
    let found: Result<Vec<LineRow>, _> = match subject {
        DeliverySubject::Contact(contact) => of_contact(&connection, workspace, *contact, page).await,
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
            let of = statement(BY_REFERENCE)
                .of(workspace)
                .bind::<Timestamptz, _>("at", at)
                .bind::<Uuid, _>("id", id)
                .bind::<BigInt, _>("rows", rows(page))
                .bind::<Text, _>("reference", reference);
            of.load(&mut connection).await
        }
    };
    found.map_err(failed)?.iter().map(LineRow::read).collect()
}

/// Lists a page of the deliveries about a person, merged from one page for each of their ids.
async fn of_contact(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    contact: ContactId,
    page: PageRequest,
) -> QueryResult<Vec<LineRow>> {
    let (at, id) = place(page);
    let before = |contact: uuid::Uuid| {
        contact_aliases::table
            .filter(contact_aliases::workspace_id.eq(workspace.uuid()))
            .filter(contact_aliases::contact_id.eq(contact))
            .select(contact_aliases::id)
    };
    let asked = contact.uuid();
    let current =
        diesel::select(current_contact(workspace, contact)).get_result::<uuid::Uuid>(&mut { connection });
    let others = before(asked).load::<uuid::Uuid>(&mut { connection });
    let (current, mut others) = try_join(current, others).await?;
    if current != asked {
        others = before(current).load(&mut { connection }).await?;
    }
    let page_of = |contact: uuid::Uuid| async move {
        let of = delivery_log::table
            .filter(delivery_log::workspace_id.eq(workspace.uuid()))
            .filter(delivery_log::contact_id.eq(contact))
            .filter(delivery_log::created_at.le(at))
            .filter(delivery_log::created_at.lt(at).or(delivery_log::id.lt(id)))
            .order((delivery_log::created_at.desc(), delivery_log::id.desc()))
            .limit(rows(page))
            .select(line(workspace.uuid()));
        of.load::<LineRow>(&mut { connection }).await
    };
    let pages = try_join_all([current].into_iter().chain(others).map(page_of)).await?;
    let mut lines: Vec<LineRow> = pages.into_iter().flatten().collect();
    lines.sort_unstable_by_key(|line| Reverse(line.place()));
    lines.truncate(usize::try_from(rows(page)).unwrap_or(usize::MAX));
    Ok(lines)
}
