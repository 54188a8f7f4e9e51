//! Limits on how much a workspace has.
//!
//! Whoever adds something limited counts what exists after locking the workspace's row, and writes in the
//! same transaction: concurrent additions each see what those before them have written.

use diesel::{ExpressionMethods, QueryDsl, QueryResult};
use diesel_async::AsyncPgConnection;
use domain::{errors::StoreError, ids::WorkspaceId};
use futures_util::future::try_join;

use crate::{error::failed, schema::workspaces, sql::RunQueryDsl, transaction::Transaction};

/// Locks the workspace's row until the transaction ends; `false` if it does not exist. The counting query is
/// sent after this. The lock is `FOR NO KEY UPDATE`: inserts that reference the workspace need not wait.
pub(crate) fn in_turn(
    transaction: &Transaction,
    workspace: WorkspaceId,
) -> impl Future<Output = QueryResult<bool>> + Send + '_ {
    let connection: &AsyncPgConnection = transaction;
    let held = workspaces::table
        .filter(workspaces::workspace_id.eq(workspace.uuid()))
        .select(workspaces::workspace_id)
        .for_no_key_update()
        .load::<uuid::Uuid>(&mut { connection });
    async { held.await.map(|rows| !rows.is_empty()) }
}

/// Begins the transaction with [`in_turn`]; returns whether `counted` is below `most`.
pub(crate) async fn has_room(
    transaction: &Transaction,
    workspace: WorkspaceId,
    counted: impl Future<Output = QueryResult<i64>>,
    most: u32,
) -> Result<bool, StoreError> {
    let both = try_join(in_turn(transaction, workspace), counted);
    let (_, known) = transaction.begin_with(both).await.map_err(failed)?;
    Ok(known < i64::from(most))
}
