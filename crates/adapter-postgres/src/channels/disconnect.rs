//! Disconnecting an account.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Binary, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

use crate::{
    PgStore,
    access::write_audit,
    error::{failed, locked},
    places,
    sql::{Bind, sql},
};

/// What reads the token finds an empty one: files and names that are still asked for are refused by the network and
/// given up like any others.
pub(super) const LET_GO: &str = "
    UPDATE accounts SET token_sealed = $3, disconnected_at = $4, templates_due_at = 'infinity'
    WHERE workspace_id = $1 AND id = $2 AND disconnected_at IS NULL
    RETURNING network_id";

pub(super) const CONNECTIONS: &str = "
    UPDATE channels SET disconnected_at = $3
    WHERE workspace_id = $1 AND account_id = $2 AND disconnected_at IS NULL";

/// Routes stay: what was sent before still gets its statuses.
pub(super) const ROUTES: &str = "
    UPDATE channel_routes SET disconnected = true
    WHERE workspace_id = $1 AND network_id = ANY (
        ARRAY(SELECT network_id FROM channels WHERE workspace_id = $1 AND account_id = $2))";

/// Another workspace may connect the account.
pub(super) const PLACE: &str = "DELETE FROM account_routes WHERE network_id = $2 AND workspace_id = $1";

#[derive(QueryableByName)]
struct Gone {
    #[diesel(sql_type = Text)]
    network_id: String,
}

impl PgStore {
    pub(super) async fn disconnect_account(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let nothing = self.vault.seal(&[], &places::token(workspace, account)).map_err(locked)?;
        let mut transaction = self.begin().await?;
        let gone = sql(LET_GO)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.uuid())
            .bind::<Binary, _>(nothing)
            .bind::<Timestamptz, _>(entry.at)
            .get_result::<Gone>(&mut transaction)
            .await
            .optional();
        let Some(gone) = gone.map_err(failed)? else { return Ok(false) };
        sql(CONNECTIONS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.uuid())
            .bind::<Timestamptz, _>(entry.at)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        sql(ROUTES)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        sql(PLACE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(gone.network_id)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
