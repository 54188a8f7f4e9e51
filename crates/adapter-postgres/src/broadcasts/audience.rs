//! Audiences of broadcasts: groups and lists.

use diesel::{ExpressionMethods, PgAnyJsonExpressionMethods, QueryDsl, dsl::exists};
use domain::{broadcasts::BroadcastState, errors::StoreError, ids::WorkspaceId};

use crate::{Database, error::failed, schema::broadcasts, sql::RunQueryDsl};

/// Whether a broadcast in one of these states has `id` at this path of its audience. No index is needed,
/// since broadcasts that are not over are few.
pub(crate) async fn is_audience(
    database: &Database,
    workspace: WorkspaceId,
    states: &[BroadcastState],
    path: &[&'static str],
    id: String,
) -> Result<bool, StoreError> {
    let states: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
    let named = broadcasts::table
        .filter(broadcasts::workspace_id.eq(workspace.uuid()))
        .filter(broadcasts::state.eq_any(states))
        .filter(broadcasts::audience.retrieve_by_path_as_text(path.to_vec()).eq(id))
        .select(broadcasts::id);
    let mut connection = database.connection().await?;
    diesel::select(exists(named)).get_result(&mut connection).await.map_err(failed)
}
