//! Which workspaces have something to do, and taking it.

use diesel::{
    QueryableByName,
    pg::Pg,
    sql_types::{BigInt, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{errors::StoreError, ids::WorkspaceId};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

#[derive(QueryableByName)]
pub(crate) struct Owner {
    #[diesel(sql_type = Uuid)]
    pub(crate) workspace_id: uuid::Uuid,
}

impl PgStore {
    /// What `query`, which takes a time, finds across workspaces.
    pub(crate) async fn workspaces(
        &self,
        query: &'static str,
        at: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.connection().await?;
        let found: Vec<Owner> =
            sql(query).bind::<Timestamptz, _>(at).load(&mut connection).await.map_err(failed)?;
        Ok(found.into_iter().map(|owner| owner.workspace_id.into()).collect())
    }

    /// What `claim`, which takes workspace, time, end of the lease and limit, takes of a workspace's queue.
    pub(crate) async fn claimed<Row>(
        &self,
        claim: &'static str,
        workspace: WorkspaceId,
        (now, lease_until): (OffsetDateTime, OffsetDateTime),
        limit: u32,
    ) -> Result<Vec<Row>, StoreError>
    where
        Row: QueryableByName<Pg> + Send + 'static,
    {
        let mut connection = self.connection().await?;
        sql(claim)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(lease_until)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)
    }
}
