//! What an account lists: its connections, and where what is written to them goes.

use diesel::{
    ExpressionMethods, QueryDsl, QueryResult,
    sql_types::{Array, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::ids::{AccountId, WorkspaceId};
use time::OffsetDateTime;

use crate::{
    schema::{channel_routes, channels},
    sql::statement,
    transaction::Flight,
};

/// Routes outlive the connection: what was sent before still gets its statuses.
pub(super) const ROUTE: &str = "
    INSERT INTO channel_routes AS known (network_id, workspace_id, channel_id, send_only)
    SELECT network_id, workspace_id, id, send_only FROM channels
    WHERE workspace_id = :workspace AND network_id = ANY (:network_ids) ORDER BY network_id
    ON CONFLICT (network_id) DO UPDATE SET
        workspace_id = excluded.workspace_id, channel_id = excluded.channel_id,
        send_only = excluded.send_only, disconnected = false
    WHERE known.channel_id <> excluded.channel_id OR known.disconnected";

/// A connection of another workspace: its workspace and its id.
pub(super) type Elsewhere = (uuid::Uuid, uuid::Uuid);

/// The connections of other workspaces that these numbers are routed to, held until the transaction ends.
pub(super) fn held_elsewhere<'a>(
    connection: &'a AsyncPgConnection,
    workspace: WorkspaceId,
    network_ids: &'a [&'a str],
) -> impl Future<Output = QueryResult<Vec<Elsewhere>>> + Send + 'a {
    channel_routes::table
        .filter(channel_routes::network_id.eq_any(network_ids))
        .filter(channel_routes::workspace_id.ne(workspace.uuid()))
        .order(channel_routes::network_id)
        .select((channel_routes::workspace_id, channel_routes::channel_id))
        .for_update()
        .load(&mut { connection })
}

/// Disconnects what the account has and does not list, behind the statement that connects what it lists.
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

/// Routes the numbers to the workspace. One that another workspace held has moved, and is disconnected there.
pub(super) fn take_routes(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    network_ids: &[&str],
    held: Vec<Elsewhere>,
    now: OffsetDateTime,
) {
    for elsewhere in held {
        flight.add(
            diesel::update(channels::table.find(elsewhere))
                .filter(channels::disconnected_at.is_null())
                .set(channels::disconnected_at.eq(now)),
        );
    }
    flight.add(statement(ROUTE).of(workspace).bind::<Array<Text>, _>("network_ids", network_ids));
}
