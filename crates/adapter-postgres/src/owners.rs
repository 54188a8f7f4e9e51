//! Which workspaces have something to do.
//!
//! Whoever looks for work asks all workspaces at once. On a cluster such a question goes to every node, and fails when one
//! of them is missing. Then every workspace is looked at that lives on another node: a worker that is gone harms only
//! its own.

use diesel::{
    AppearsOnTable, QueryDsl, QueryResult, QueryableByName,
    expression::NonAggregate,
    pg::Pg,
    query_builder::QueryFragment,
    sql_types::{BoolOrNullableBool, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{errors::StoreError, ids::WorkspaceId};

use crate::{
    Database,
    error::failed,
    schema::workspaces,
    sql::{Topology, statement},
};

/// The workspaces that live on nodes that answer, whatever becomes of the others.
const LIVING: &str = "SELECT living.workspace_id FROM run_command_on_shards('workspaces',
        $$ SELECT coalesce(array_agg(workspace_id), '{}') FROM %s $$) shard
    CROSS JOIN LATERAL unnest(CASE WHEN shard.success THEN shard.result::uuid[] END) living (workspace_id)";

#[derive(QueryableByName)]
pub(crate) struct Owner {
    #[diesel(sql_type = Uuid)]
    pub(crate) workspace_id: uuid::Uuid,
}

impl Database {
    /// The workspaces of which this holds. Whoever looks for work has it say with one look at an index for each, however much
    /// is due.
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

    /// What was found across workspaces, or, where a node is missing, what stands for each workspace that lives on another.
    ///
    /// # Errors
    /// That of the question, where it is none of a single node.
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
        // What is wrong with the question itself stays an error.
        if self.topology() == Topology::OneServer || !matches!(error, StoreError::Unavailable(_)) {
            return Err(error);
        }
        let Ok(living) = statement(LIVING).load::<Owner>(connection).await else { return Err(error) };
        Ok(living.into_iter().map(|owner| each(owner.workspace_id)).collect())
    }
}
