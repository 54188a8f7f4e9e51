//! Bounds on how much a workspace has.
//!
//! Whoever adds something that is bounded counts what there is behind the workspace's row, and writes in the same
//! transaction: of those that come at the same time, each sees what those before it have written.

use diesel::{ExpressionMethods, QueryDsl, QueryResult};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{errors::StoreError, ids::WorkspaceId};
use futures_util::future::try_join;

use crate::{error::failed, schema::workspaces, transaction::Transaction};

/// Holds the workspace's row to the transaction's end, and says whether there is such a workspace. What counts is sent
/// behind it. It is held without KEY: what refers to the workspace need not wait.
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

/// Begins the transaction in turn, and says whether one more may be added: there are fewer than `most` by what counts them.
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
