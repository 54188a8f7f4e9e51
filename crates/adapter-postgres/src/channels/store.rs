//! The store of accounts and numbers.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Binary, Bool, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    channels::{
        Account, ListedAccount, ListedNumber, Number,
        ports::{AccountStore, Connected},
    },
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    phone::PhoneNumber,
};
use secrecy::ExposeSecret;
use time::OffsetDateTime;

use super::{account, list::listed};
use crate::{
    PgStore,
    access::write_audit,
    error::{failed, is_missing_reference, locked},
    places,
    sql::{Bind, sql},
    transaction::Transaction,
};

/// An account that the workspace has, or had, keeps its id.
pub(super) const KNOWN: &str = "SELECT id FROM accounts WHERE workspace_id = $1 AND network_id = $2";

/// Answers who holds the account, and makes others wait who would hold it as well.
pub(super) const HOLD: &str = "
    INSERT INTO account_routes (network_id, workspace_id, account_id) VALUES ($1, $2, $3)
    ON CONFLICT (network_id) DO UPDATE SET network_id = excluded.network_id
    RETURNING workspace_id, account_id";

/// Its templates are due at once, unless it is connected already.
pub(super) const CONNECT: &str = "
    INSERT INTO accounts (workspace_id, id, network_id, token_sealed, connected_at, templates_due_at)
    VALUES ($1, $2, $3, $4, $5, $5)
    ON CONFLICT (workspace_id, id) DO UPDATE SET
        token_sealed = excluded.token_sealed, disconnected_at = NULL,
        standing = CASE WHEN accounts.disconnected_at IS NULL THEN accounts.standing END,
        standing_at = CASE WHEN accounts.disconnected_at IS NULL THEN accounts.standing_at END,
        connected_at = CASE WHEN accounts.disconnected_at IS NULL THEN accounts.connected_at
                            ELSE excluded.connected_at END,
        templates_due_at = CASE WHEN accounts.disconnected_at IS NULL THEN accounts.templates_due_at
                                ELSE excluded.templates_due_at END";

pub(super) const FIND: &str = "
    SELECT workspace_id, id, network_id, token_sealed FROM accounts
    WHERE workspace_id = $1 AND id = $2 AND disconnected_at IS NULL";

pub(super) const FIND_BY_NETWORK_ID: &str = "
    SELECT workspace_id, id, network_id, token_sealed FROM accounts
    WHERE workspace_id = $1 AND network_id = $2 AND disconnected_at IS NULL";

pub(super) const SET_SEND_ONLY: &str = "
    WITH number AS (
        UPDATE channels SET send_only = $3
        WHERE workspace_id = $1 AND phone = $2 AND disconnected_at IS NULL
        RETURNING network_id
    )
    UPDATE channel_routes route SET send_only = $3 FROM number
    WHERE route.network_id = number.network_id AND route.workspace_id = $1";

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[derive(QueryableByName)]
struct Holder {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    account_id: uuid::Uuid,
}

#[async_trait]
impl AccountStore for PgStore {
    async fn connect(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        entry: &AuditEntry,
    ) -> Result<Connected, StoreError> {
        let mut transaction = self.begin().await?;
        let connected = hold_account(self, &mut transaction, workspace, account, entry.at).await?;
        if let Connected::As(_) = connected {
            write_audit(&mut transaction, workspace, entry).await?;
            transaction.commit().await?;
        }
        Ok(connected)
    }

    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        self.disconnect_account(workspace, account, entry).await
    }

    async fn accounts(&self, workspace: WorkspaceId) -> Result<Vec<ListedAccount>, StoreError> {
        listed(&mut *self.connection().await?, workspace).await
    }

    async fn find(&self, workspace: WorkspaceId, account: AccountId) -> Result<Option<Account>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.uuid())
            .get_result::<account::Row>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| self.read_account(row)).transpose()
    }

    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
    ) -> Result<Option<Account>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND_BY_NETWORK_ID)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(network_id)
            .get_result::<account::Row>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| self.read_account(row)).transpose()
    }

    async fn replace_numbers(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        numbers: &[ListedNumber],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.replace_listed(workspace, account, numbers, now).await
    }

    async fn numbers(&self, workspace: WorkspaceId) -> Result<Vec<Number>, StoreError> {
        super::connected(&mut *self.connection().await?, workspace).await
    }

    async fn set_send_only(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        send_only: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let found = sql(SET_SEND_ONLY)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(phone.as_str())
            .bind::<Bool, _>(send_only)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if found == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Keeps the account for the workspace, unless another one holds it, in a transaction that the caller ends.
pub(super) async fn hold_account(
    store: &PgStore,
    transaction: &mut Transaction,
    workspace: WorkspaceId,
    account: &Account,
    now: OffsetDateTime,
) -> Result<Connected, StoreError> {
    let known = sql(KNOWN)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Text, _>(&account.network_id)
        .get_result::<NumberRow>(transaction)
        .await
        .optional()
        .map_err(failed)?;
    let holder = sql(HOLD)
        .bind::<Text, _>(&account.network_id)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(known.map_or(account.id.uuid(), |known| known.id))
        .get_result::<Holder>(transaction)
        .await
        .map_err(failed)?;
    if WorkspaceId::from(holder.workspace_id) != workspace {
        return Ok(Connected::Elsewhere);
    }
    let id = AccountId::from(holder.account_id);
    let place = places::token(workspace, id);
    let sealed = store.vault.seal(account.token.expose_secret().as_bytes(), &place);
    let connected = sql(CONNECT)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(id.uuid())
        .bind::<Text, _>(&account.network_id)
        .bind::<Binary, _>(sealed.map_err(locked)?)
        .bind::<Timestamptz, _>(now)
        .execute(transaction)
        .await;
    match connected {
        Ok(_) => Ok(Connected::As(id)),
        Err(error) if is_missing_reference(&error) => Ok(Connected::NoWorkspace),
        Err(error) => Err(failed(error)),
    }
}
