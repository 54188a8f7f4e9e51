//! Which workspaces have something to do.

use diesel::{QueryableByName, sql_types::Uuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl, methods::LoadQuery};
use domain::{errors::StoreError, ids::WorkspaceId};

use crate::{Database, error::failed};

#[derive(QueryableByName)]
pub(crate) struct Owner {
    #[diesel(sql_type = Uuid)]
    pub(crate) workspace_id: uuid::Uuid,
}

impl Database {
    /// The workspaces that are selected. Whoever looks for work selects those with one look at its index for each, however
    /// much is due.
    pub(crate) async fn workspaces<'q, Q>(&self, selected: Q) -> Result<Vec<WorkspaceId>, StoreError>
    where
        Q: LoadQuery<'q, AsyncPgConnection, uuid::Uuid> + Send + 'q,
    {
        let mut connection = self.connection().await?;
        let found: Vec<uuid::Uuid> = selected.load(&mut *connection).await.map_err(failed)?;
        Ok(found.into_iter().map(WorkspaceId::from).collect())
    }
}
