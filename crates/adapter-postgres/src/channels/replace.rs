//! Making an account's numbers those that the network lists.

use std::collections::HashSet;

use diesel::{
    QueryableByName,
    sql_types::{Array, Integer, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::{Account, ListedNumber},
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
    transaction::Transaction,
};

/// One reading of an account at a time.
pub(super) const LOCK: &str = "
    SELECT id FROM accounts WHERE workspace_id = $1 AND id = $2 AND disconnected_at IS NULL FOR UPDATE";

/// A number that the workspace knows, be it from another account, keeps all but what the network says.
pub(super) const CONNECT: &str = "
    INSERT INTO channels AS known
        (workspace_id, id, kind, account_id, network_id, phone, connected_at, position)
    SELECT $1, listed.id, 'whatsapp', $2, listed.network_id, listed.phone, $7, listed.position
    FROM unnest($3, $4, $5, $6) AS listed (id, network_id, phone, position)
    ON CONFLICT (workspace_id, network_id) DO UPDATE SET
        account_id = excluded.account_id, phone = excluded.phone, disconnected_at = NULL
    WHERE (known.account_id, known.phone) IS DISTINCT FROM (excluded.account_id, excluded.phone)
        OR known.disconnected_at IS NOT NULL";

pub(super) const DISCONNECT: &str = "
    UPDATE channels SET disconnected_at = $4
    WHERE workspace_id = $1 AND account_id = $2 AND network_id <> ALL ($3) AND disconnected_at IS NULL";

/// Routes outlive the connection: what was sent before still gets its statuses.
pub(super) const ROUTE: &str = "
    INSERT INTO channel_routes AS known (network_id, workspace_id, channel_id, send_only)
    SELECT network_id, workspace_id, id, send_only FROM channels
    WHERE workspace_id = $1 AND network_id = ANY ($2) ORDER BY network_id
    ON CONFLICT (network_id) DO UPDATE SET
        workspace_id = excluded.workspace_id, channel_id = excluded.channel_id,
        send_only = excluded.send_only, disconnected = false
    WHERE known.channel_id <> excluded.channel_id OR known.disconnected";

pub(super) const HELD_ELSEWHERE: &str = "
    SELECT workspace_id, channel_id FROM channel_routes
    WHERE network_id = ANY ($2) AND workspace_id <> $1 ORDER BY network_id FOR UPDATE";

pub(super) const DISCONNECT_ELSEWHERE: &str = "
    UPDATE channels SET disconnected_at = $3 WHERE workspace_id = $1 AND id = $2 AND disconnected_at IS NULL";

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Uuid)]
    #[expect(dead_code, reason = "only its presence counts")]
    id: uuid::Uuid,
}

#[derive(QueryableByName)]
struct Route {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
}

/// The numbers that can send, column by column, each once.
#[derive(Default)]
struct Listed<'a> {
    ids: Vec<uuid::Uuid>,
    network_ids: Vec<&'a str>,
    phones: Vec<&'a str>,
    positions: Vec<i32>,
}

impl PgStore {
    pub(super) async fn replace_listed(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        numbers: &[ListedNumber],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let listed = self.listed(numbers);
        let mut transaction = self.begin().await?;
        let lock = sql(LOCK).bind::<Uuid, _>(workspace.uuid()).bind::<Uuid, _>(account.id.uuid());
        let locked = lock.get_results::<Locked>(&mut transaction).await.map_err(failed)?;
        if locked.is_empty() {
            return Err(StoreError::Stale);
        }
        sql(CONNECT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.id.uuid())
            .bind::<Array<Uuid>, _>(&listed.ids)
            .bind::<Array<Text>, _>(&listed.network_ids)
            .bind::<Array<Text>, _>(&listed.phones)
            .bind::<Array<Integer>, _>(&listed.positions)
            .bind::<Timestamptz, _>(now)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        sql(DISCONNECT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.id.uuid())
            .bind::<Array<Text>, _>(&listed.network_ids)
            .bind::<Timestamptz, _>(now)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        take_routes(&mut transaction, workspace, &listed.network_ids, now).await?;
        transaction.commit().await
    }

    fn listed<'a>(&self, numbers: &'a [ListedNumber]) -> Listed<'a> {
        let mut listed = Listed::default();
        let mut seen = HashSet::new();
        let able = numbers.iter().filter(|number| number.can_send && seen.insert(&number.network_id));
        for (position, number) in (0..).zip(able) {
            listed.ids.push(ChannelId::new(&*self.ids).uuid());
            listed.network_ids.push(&number.network_id);
            listed.phones.push(number.phone.as_str());
            listed.positions.push(position);
        }
        listed
    }
}

/// Routes the numbers to the workspace. One that another workspace held has moved, and is disconnected there.
pub(super) async fn take_routes(
    transaction: &mut Transaction,
    workspace: WorkspaceId,
    network_ids: &[&str],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let held_elsewhere = sql(HELD_ELSEWHERE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Text>, _>(network_ids)
        .get_results::<Route>(transaction)
        .await
        .map_err(failed)?;
    for route in held_elsewhere {
        sql(DISCONNECT_ELSEWHERE)
            .bind::<Uuid, _>(route.workspace_id)
            .bind::<Uuid, _>(route.channel_id)
            .bind::<Timestamptz, _>(now)
            .execute(transaction)
            .await
            .map_err(failed)?;
    }
    sql(ROUTE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Text>, _>(network_ids)
        .execute(transaction)
        .await
        .map_err(failed)?;
    Ok(())
}
