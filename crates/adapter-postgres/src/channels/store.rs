//! The store of accounts and numbers.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, SelectableHelper,
};
use domain::{
    audit::AuditEntry,
    channels::{
        Account, ListedAccount, ListedNumber, Number,
        ports::{AccountStore, ConnectError, Held},
    },
    errors::StoreError,
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
};
use futures_util::future::{try_join, try_join3};
use time::OffsetDateTime;

use super::{
    account, connected, health,
    hold::hold_account,
    list::{AccountRow, ConnectionRow, listed},
    never::Never,
    routes::{connections, disconnect_unlisted, held_routes, take_routes},
};
use crate::{
    audit::{audit, commit_audited, still_owner},
    channels::PgChannels,
    error::{failed, locked},
    places,
    schema::{account_routes, accounts, channel_routes, channels},
    sql::{RunQueryDsl, insert},
};

#[async_trait]
impl AccountStore for PgChannels {
    async fn connect(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        entry: &AuditEntry,
    ) -> Result<AccountId, ConnectError> {
        let transaction = self.database.transaction().await?;
        let id = hold_account(&self.database, &transaction, workspace, account, entry.at).await?;
        still_owner(&transaction, workspace, entry).await?;
        commit_audited(&transaction, workspace, entry).await?;
        Ok(id)
    }

    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        // Readers find an empty token: the network refuses files and names that are still to be fetched with
        // it, and they are given up like any others.
        let nothing = self.database.vault.seal(&[], &places::token(workspace, account)).map_err(locked)?;
        let transaction = self.database.transaction().await?;
        let connected = accounts::table
            .find((workspace.uuid(), account.uuid()))
            .filter(accounts::disconnected_at.is_null());
        let gone = diesel::update(connected)
            .set((
                accounts::token_sealed.eq(nothing),
                accounts::disconnected_at.eq(entry.at),
                accounts::templates_due_at.eq(Never),
                accounts::page_due_at.eq(None::<OffsetDateTime>),
            ))
            .returning(accounts::network_id)
            .load::<String>(&mut &*transaction);
        let connections = channels::table
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::account_id.eq(account.uuid()))
            .select(channels::network_id)
            .load::<String>(&mut &*transaction);
        let (gone, connections) =
            transaction.begin_with(try_join(gone, connections)).await.map_err(failed)?;
        let Some(network_id) = gone.into_iter().next() else { return Ok(false) };
        let mut flight = transaction.flight();
        disconnect_unlisted(&mut flight, workspace, account, &[], entry.at);
        // Routes stay, so that earlier sends still get their statuses.
        flight.add(
            diesel::update(channel_routes::table)
                .filter(channel_routes::workspace_id.eq(workspace.uuid()))
                .filter(channel_routes::network_id.eq_any(connections))
                .set(channel_routes::disconnected.eq(true)),
        );
        // Another workspace may now connect the account.
        flight.add(
            diesel::delete(account_routes::table.find(network_id))
                .filter(account_routes::workspace_id.eq(workspace.uuid())),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn accounts(&self, workspace: WorkspaceId) -> Result<Vec<ListedAccount>, StoreError> {
        let mut connection = self.database.connection().await?;
        let of_account =
            channels::workspace_id.eq(workspace.uuid()).and(channels::account_id.eq(accounts::id));
        let rows = accounts::table
            .left_join(channels::table.on(of_account))
            .filter(accounts::workspace_id.eq(workspace.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .order((accounts::connected_at, accounts::id))
            .then_order_by((channels::connected_at, channels::position, channels::id))
            .select((AccountRow::as_select(), Option::<ConnectionRow>::as_select()))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        listed(rows)
    }

    async fn find(&self, workspace: WorkspaceId, account: AccountId) -> Result<Option<Account>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = accounts::table
            .find((workspace.uuid(), account.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .select(account::Row::as_select())
            .get_result(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| self.read_account(row)).transpose()
    }

    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
    ) -> Result<Option<Account>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = accounts::table
            .filter(accounts::workspace_id.eq(workspace.uuid()))
            .filter(accounts::network_id.eq(network_id))
            .filter(accounts::disconnected_at.is_null())
            .select(account::Row::as_select())
            .get_result(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| self.read_account(row)).transpose()
    }

    async fn held(&self, workspace: WorkspaceId, network_ids: &[String]) -> Result<Vec<Held>, StoreError> {
        let connection = self.database.connection().await?;
        let accounts = account_routes::table
            .filter(account_routes::network_id.eq_any(network_ids))
            .select((account_routes::network_id, account_routes::workspace_id))
            .load::<(String, uuid::Uuid)>(&mut &*connection);
        let channels = channel_routes::table
            .filter(channel_routes::network_id.eq_any(network_ids))
            .filter(channel_routes::disconnected.eq(false))
            .select((channel_routes::network_id, channel_routes::workspace_id))
            .load::<(String, uuid::Uuid)>(&mut &*connection);
        let (accounts, channels) = try_join(accounts, channels).await.map_err(failed)?;
        let held = accounts.into_iter().chain(channels);
        Ok(held.map(|(network_id, holder)| Held { network_id, here: holder == workspace.uuid() }).collect())
    }

    async fn replace_numbers(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        numbers: &[ListedNumber],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let id = account.id;
        // Numbers that can send, each once.
        let mut seen = HashSet::new();
        let able = numbers.iter().filter(|number| number.can_send && seen.insert(&number.network_id));
        let listed: Vec<(i32, &ListedNumber)> = (0..).zip(able).collect();
        let network_ids: Vec<&str> = listed.iter().map(|(_, number)| number.network_id.as_str()).collect();
        let transaction = self.database.transaction().await?;
        // Locked, so that only one reading of the account is written at a time.
        let known = accounts::table
            .find((workspace.uuid(), id.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .select(accounts::id)
            .for_update()
            .load::<uuid::Uuid>(&mut &*transaction);
        let held = held_routes(&transaction, &network_ids);
        let stood = health::known(&transaction, workspace, id);
        let (known, held, stood) =
            transaction.begin_with(try_join3(known, held, stood)).await.map_err(failed)?;
        if known.is_empty() {
            return Err(StoreError::Stale);
        }
        let mut flight = transaction.flight();
        // A number that the workspace knows, even from another account, keeps all but the network's data.
        flight.insert(
            insert(channels::table, workspace, &listed)
                .column(channels::id, |_| ChannelId::new(&*self.database.ids).uuid())
                .column(channels::kind, |_| Number::NETWORK.as_str())
                .column(channels::account_id, |_| id.uuid())
                .column(channels::network_id, |(_, number)| number.network_id.as_str())
                .column(channels::phone, |(_, number)| Some(number.phone.as_str()))
                .column(channels::connected_at, |_| now)
                .column(channels::position, |(position, _)| *position)
                .on_conflict((channels::network_id,))
                .set_excluded(channels::account_id)
                .set_excluded(channels::phone)
                .set_excluded(channels::disconnected_at)
                .where_distinct(),
        );
        disconnect_unlisted(&mut flight, workspace, id, &network_ids, now);
        // Routes are on another node: the connections they lead to are read before they are written.
        let written = try_join(flight.counts(), connections(&transaction, workspace, &network_ids));
        let (_, connections) = transaction.send(written).await.map_err(failed)?;
        let mut flight = transaction.flight();
        take_routes(&mut flight, workspace, connections, &held, now);
        let mut seen = HashSet::new();
        let all: Vec<&ListedNumber> =
            numbers.iter().filter(|number| seen.insert(&number.network_id)).collect();
        let account = (id, account.network_id.as_str());
        health::keep_health(&mut flight, &self.database, workspace, account, &all, &stood, now);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn numbers(&self, workspace: WorkspaceId) -> Result<Vec<Number>, StoreError> {
        connected(&*self.database.connection().await?, workspace).await
    }

    async fn set_send_only(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        send_only: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let numbers = diesel::update(channels::table)
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::phone.eq(phone.as_str()))
            .filter(channels::disconnected_at.is_null())
            .set(channels::send_only.eq(send_only))
            .returning(channels::network_id)
            .load::<String>(&mut &*transaction);
        let numbers = transaction.begin_with(numbers).await.map_err(failed)?;
        let routed = diesel::update(channel_routes::table)
            .filter(channel_routes::network_id.eq_any(numbers))
            .filter(channel_routes::workspace_id.eq(workspace.uuid()))
            .set(channel_routes::send_only.eq(send_only))
            .execute(&mut &*transaction);
        if transaction.send(routed).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        commit_audited(&transaction, workspace, entry).await?;
        Ok(true)
    }
}
