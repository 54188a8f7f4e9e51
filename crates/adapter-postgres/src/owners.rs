//! Which workspaces have something to do.

use diesel::{
    QueryableByName,
    sql_types::{Timestamptz, Uuid},
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
}
