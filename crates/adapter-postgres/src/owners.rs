//! Workspaces that have work to do.
//!
//! Searches for work ask all workspaces at once. On a cluster such a query goes to every node, and fails if
//! one is missing. Then every workspace on the remaining nodes is treated as if it had work, so that a lost
//! worker harms only its own.

use diesel::{
    AppearsOnTable, QueryDsl, QueryResult, QueryableByName,
    expression::NonAggregate,
    pg::Pg,
    query_builder::QueryFragment,
    sql_types::{BoolOrNullableBool, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{errors::StoreError, ids::WorkspaceId};

use crate::{
    Database,
    error::failed,
    schema::workspaces,
    sql::{RunQueryDsl, Topology, statement},
};

/// The workspaces on nodes that answer.
const LIVING: &str = "SELECT living.workspace_id FROM run_command_on_shards('workspaces',
        $$ SELECT coalesce(array_agg(workspace_id), '{}') FROM %s $$) shard
    CROSS JOIN LATERAL unnest(CASE WHEN shard.success THEN shard.result::uuid[] END) living (workspace_id)";

#[derive(QueryableByName)]
pub(crate) struct Owner {
    #[diesel(sql_type = Uuid)]
    pub(crate) workspace_id: uuid::Uuid,
}

impl Database {
    /// Lists the workspaces that fulfil the condition, which should take one look-up in an index for each.
    pub(crate) async fn workspaces<P>(&self, have_work: P) -> Result<Vec<WorkspaceId>, StoreError>
    where
        P: AppearsOnTable<workspaces::table, SqlType: BoolOrNullableBool>
            + NonAggregate
            + QueryFragment<Pg>
            + Send,
    {
        let mut connection = self.connection().await?;
        let found: QueryResult<Vec<uuid::Uuid>> = workspaces::table
            .select(workspaces::workspace_id)
            .into_boxed()
            .filter(have_work)
            .load(&mut connection)
            .await;
        let found = self.or_living(&mut connection, found, |workspace| workspace).await?;
        Ok(found.into_iter().map(WorkspaceId::from).collect())
    }

    /// Returns what was found across workspaces or, if a node is missing, `each` of the workspaces on the
    /// others.
    ///
    /// # Errors
    /// The query's error, unless it is about a missing node.
    pub(crate) async fn or_living<T>(
        &self,
        connection: &mut AsyncPgConnection,
        found: QueryResult<Vec<T>>,
        each: impl Fn(uuid::Uuid) -> T + Send,
    ) -> Result<Vec<T>, StoreError> {
        let error = match found.map_err(failed) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        // Errors of the query itself stay.
        if self.topology() == Topology::OneServer || !matches!(error, StoreError::Unavailable(_)) {
            return Err(error);
        }
        let Ok(living) = statement(LIVING).load::<Owner>(connection).await else { return Err(error) };
        Ok(living.into_iter().map(|owner| each(owner.workspace_id)).collect())
    }
}
