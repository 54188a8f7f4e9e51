//! The connections that an account lists, and the routes of inbound updates to them.

use diesel::{ExpressionMethods, QueryDsl, QueryResult, upsert::excluded};
use diesel_async::AsyncPgConnection;
use domain::ids::{AccountId, WorkspaceId};
use time::OffsetDateTime;

use crate::{
    schema::{channel_routes, channels},
    sql::RunQueryDsl,
    transaction::Flight,
};

/// Route of a number's updates: network id, workspace, connection, and whether that is disconnected.
pub(super) type Route = (String, uuid::Uuid, uuid::Uuid, bool);

/// A connection of the workspace: network id, id, and whether it only sends.
pub(super) type Connection = (String, uuid::Uuid, bool);

/// Loads the routes of these numbers and locks them until the transaction ends.
pub(super) fn held_routes<'a>(
    connection: &'a AsyncPgConnection,
    network_ids: &'a [&'a str],
) -> impl Future<Output = QueryResult<Vec<Route>>> + Send + 'a {
    channel_routes::table
        .filter(channel_routes::network_id.eq_any(network_ids))
        .order(channel_routes::network_id)
        .select((
            channel_routes::network_id,
            channel_routes::workspace_id,
            channel_routes::channel_id,
            channel_routes::disconnected,
        ))
        .for_update()
        .load(&mut { connection })
}

/// Loads the workspace's own connections of these numbers, in the order of their network ids.
pub(super) fn connections<'a>(
    connection: &'a AsyncPgConnection,
    workspace: WorkspaceId,
    network_ids: &'a [&'a str],
) -> impl Future<Output = QueryResult<Vec<Connection>>> + Send + 'a {
    channels::table
        .filter(channels::workspace_id.eq(workspace.uuid()))
        .filter(channels::network_id.eq_any(network_ids))
        .order(channels::network_id)
        .select((channels::network_id, channels::id, channels::send_only))
        .load(&mut { connection })
}

/// Disconnects what the account no longer lists. Belongs after the statement that connects what it lists.
pub(super) fn disconnect_unlisted(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    account: AccountId,
    network_ids: &[&str],
    now: OffsetDateTime,
) {
    flight.add(
        diesel::update(channels::table)
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::account_id.eq(account.uuid()))
            .filter(channels::network_id.ne_all(network_ids))
            .filter(channels::disconnected_at.is_null())
            .set(channels::disconnected_at.eq(now)),
    );
}

/// Adds the routes of the numbers to the workspace's connections. A number that another workspace held has
/// moved, and is disconnected there. Routes outlive their connections, so that earlier sends still get their
/// statuses.
pub(super) fn take_routes(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    connections: Vec<Connection>,
    held: &[Route],
    now: OffsetDateTime,
) {
    for (_, elsewhere, channel, _) in held.iter().filter(|(_, owner, _, _)| *owner != workspace.uuid()) {
        flight.add(
            diesel::update(channels::table.find((*elsewhere, *channel)))
                .filter(channels::disconnected_at.is_null())
                .set(channels::disconnected_at.eq(now)),
        );
    }
    let is_routed = |(number, id, _): &Connection| {
        held.iter().any(|(known, _, channel, disconnected)| known == number && channel == id && !disconnected)
    };
    let routes: Vec<_> = connections
        .into_iter()
        .filter(|connection| !is_routed(connection))
        .map(|(network_id, id, send_only)| {
            (
                channel_routes::network_id.eq(network_id),
                channel_routes::workspace_id.eq(workspace.uuid()),
                channel_routes::channel_id.eq(id),
                channel_routes::send_only.eq(send_only),
                channel_routes::disconnected.eq(false),
            )
        })
        .collect();
    if routes.is_empty() {
        return;
    }
    flight.add(
        diesel::insert_into(channel_routes::table)
            .values(routes)
            .on_conflict(channel_routes::network_id)
            .do_update()
            .set((
                channel_routes::workspace_id.eq(excluded(channel_routes::workspace_id)),
                channel_routes::channel_id.eq(excluded(channel_routes::channel_id)),
                channel_routes::send_only.eq(excluded(channel_routes::send_only)),
                channel_routes::disconnected.eq(excluded(channel_routes::disconnected)),
            )),
    );
}
