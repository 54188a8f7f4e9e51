//! Numbers that a broadcast no longer sends from.

use diesel::{BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, QueryResult};
use diesel_async::AsyncPgConnection;
use domain::{
    broadcasts::{Bar, LeftOutNumber, LeftOutReason},
    errors::StoreError,
    ids::{BroadcastId, ChannelId, WorkspaceId},
    live::LiveKind,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use crate::{
    Database,
    error::{failed, unreadable},
    live::tell,
    schema::{broadcast_left_out, channels},
    sql::{RunQueryDsl, insert},
    transaction::Flight,
};

/// A number that was left out: id, phone number, reason, the network's code, and time.
pub(super) type LeftOutRow = (uuid::Uuid, Option<String>, String, Option<i64>, OffsetDateTime);

/// Loads the rows of a broadcast in the order in which they were left out.
pub(super) async fn rows(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    id: BroadcastId,
) -> QueryResult<Vec<LeftOutRow>> {
    let channel =
        channels::workspace_id.eq(workspace.uuid()).and(channels::id.eq(broadcast_left_out::channel_id));
    broadcast_left_out::table
        .inner_join(channels::table.on(channel))
        .filter(broadcast_left_out::workspace_id.eq(workspace.uuid()))
        .filter(broadcast_left_out::broadcast_id.eq(id.uuid()))
        .order((broadcast_left_out::left_out_at, broadcast_left_out::channel_id))
        .select((
            broadcast_left_out::channel_id,
            channels::phone,
            broadcast_left_out::reason,
            broadcast_left_out::code,
            broadcast_left_out::left_out_at,
        ))
        .load(&mut { connection })
        .await
}

pub(super) fn read(rows: Vec<LeftOutRow>) -> Result<Vec<LeftOutNumber>, StoreError> {
    let number = |(channel, phone, reason, code, at): LeftOutRow| {
        Ok(LeftOutNumber {
            channel: channel.into(),
            phone: phone.and_then(|phone| PhoneNumber::from_e164(&phone).ok()),
            reason: LeftOutReason::read(&reason).ok_or_else(|| unreadable("reason of a number"))?,
            code,
            at,
        })
    };
    rows.into_iter().map(number).collect()
}

pub(super) async fn left_out(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
) -> Result<Vec<LeftOutNumber>, StoreError> {
    let connection = database.connection().await?;
    read(rows(&connection, workspace, id).await.map_err(failed)?)
}

pub(super) async fn leave_out(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
    numbers: &[ChannelId],
    bar: Bar,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    let transaction = database.transaction().await?;
    let mut flight = transaction.flight();
    flight.insert(
        insert(broadcast_left_out::table, workspace, numbers)
            .column(broadcast_left_out::broadcast_id, |_| id.uuid())
            .column(broadcast_left_out::channel_id, |number| number.uuid())
            .column(broadcast_left_out::reason, |_| bar.reason.as_str())
            .column(broadcast_left_out::code, |_| bar.code)
            .column(broadcast_left_out::left_out_at, |_| at)
            .in_order_of(broadcast_left_out::channel_id)
            .on_conflict_do_nothing(),
    );
    tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
    transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
}

pub(super) fn take_back_all(flight: &mut Flight<'_>, workspace: WorkspaceId, id: BroadcastId) {
    flight.add(
        diesel::delete(broadcast_left_out::table)
            .filter(broadcast_left_out::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_left_out::broadcast_id.eq(id.uuid())),
    );
}
