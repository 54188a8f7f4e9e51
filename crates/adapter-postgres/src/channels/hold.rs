//! Claiming an account for a workspace.

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use domain::{
    channels::{Account, ConnectError},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};
use futures_util::future::try_join;
use secrecy::ExposeSecret;
use time::OffsetDateTime;

use crate::{
    Database,
    error::{failed, locked},
    places,
    schema::{account_routes, accounts},
    sql::{RunQueryDsl, insert},
    transaction::Transaction,
};

/// Stores the account for the workspace, unless another one holds it. The caller ends the transaction.
pub(super) async fn hold_account(
    database: &Database,
    transaction: &Transaction,
    workspace: WorkspaceId,
    account: &Account,
    now: OffsetDateTime,
) -> Result<AccountId, ConnectError> {
    // An account that the workspace has, or had, keeps its id.
    let known = accounts::table
        .filter(accounts::workspace_id.eq(workspace.uuid()))
        .filter(accounts::network_id.eq(&account.network_id))
        .select(accounts::id)
        .get_result::<uuid::Uuid>(&mut &**transaction);
    let known = transaction.begin_with(async { known.await.optional() }).await.map_err(failed)?;
    // Serializes workspaces that claim the account at the same time.
    let hold = diesel::insert_into(account_routes::table)
        .values((
            account_routes::network_id.eq(&account.network_id),
            account_routes::workspace_id.eq(workspace.uuid()),
            account_routes::account_id.eq(known.unwrap_or_else(|| account.id.uuid())),
        ))
        .on_conflict_do_nothing()
        .execute(&mut &**transaction);
    let holder = account_routes::table
        .find(&account.network_id)
        .select((account_routes::workspace_id, account_routes::account_id))
        .for_update()
        .get_result::<(uuid::Uuid, uuid::Uuid)>(&mut &**transaction);
    let holder = transaction.send(async { try_join(hold, holder).await.optional() }).await;
    // The account was disconnected in between.
    let Some((_, (holder, id))) = holder.map_err(failed)? else { return Err(StoreError::Stale.into()) };
    if WorkspaceId::from(holder) != workspace {
        return Err(ConnectError::Elsewhere);
    }
    let id = AccountId::from(id);
    let place = places::token(workspace, id);
    let token = database.vault.seal(account.token.expose_secret().as_bytes(), &place).map_err(locked)?;
    // A disconnected account starts afresh.
    let anew = diesel::update(accounts::table.find((workspace.uuid(), id.uuid())))
        .filter(accounts::disconnected_at.is_not_null())
        .set((
            accounts::disconnected_at.eq(None::<OffsetDateTime>),
            accounts::standing.eq(None::<serde_json::Value>),
            accounts::standing_at.eq(None::<OffsetDateTime>),
            accounts::connected_at.eq(now),
            accounts::templates_due_at.eq(now),
        ))
        .execute(&mut &**transaction);
    // A new account's templates are due at once.
    let token = [token];
    let kept = insert(accounts::table, workspace, &token)
        .column(accounts::id, |_| id.uuid())
        .column(accounts::network_id, |_| account.network_id.as_str())
        .column(accounts::token_sealed, Vec::as_slice)
        .column(accounts::connected_at, |_| now)
        .column(accounts::templates_due_at, |_| now)
        .on_conflict((accounts::id,))
        .set_excluded(accounts::token_sealed)
        .execute(&mut &**transaction);
    match transaction.send(try_join(anew, kept)).await.map_err(failed)? {
        (_, 0) => Err(ConnectError::UnknownWorkspace),
        _ => Ok(id),
    }
}
