//! Data for planning a send, in one round trip.

use std::sync::Arc;

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use domain::{errors::StoreError, ids::WorkspaceId, sending::Catalogue};
use futures_util::future::try_join3;

use crate::{
    channels::connected, error::failed, schema::workspaces, sending::PgSends, sql::RunQueryDsl,
    templates::named, workspaces::WorkspaceRow,
};

impl PgSends {
    pub(super) async fn read_catalogue(
        &self,
        workspace: WorkspaceId,
        template: &str,
    ) -> Result<Catalogue, StoreError> {
        let (store, name) = (self.clone(), template.to_owned());
        let load = move || {
            let (store, name) = (store.clone(), name.clone());
            async move { store.read_catalogue_alone(workspace, &name).await.map(Arc::new) }
        };
        let catalogue = self.batches.catalogue.share((workspace, template.to_owned()), load).await?;
        Ok(Arc::unwrap_or_clone(catalogue))
    }

    async fn read_catalogue_alone(
        &self,
        workspace: WorkspaceId,
        template: &str,
    ) -> Result<Catalogue, StoreError> {
        let connection = self.database.connection().await?;
        let found = async {
            let row = workspaces::table
                .filter(workspaces::workspace_id.eq(workspace.uuid()))
                .select(WorkspaceRow::as_select())
                .get_result(&mut &*connection)
                .await;
            row.optional().map_err(failed)
        };
        let (numbers, templates) =
            (connected(&connection, workspace), named(&connection, workspace, template));
        let (row, numbers, templates) = try_join3(found, numbers, templates).await?;
        drop(connection);
        let row = row.ok_or_else(|| StoreError::Internal("there is no such workspace".to_owned()))?;
        Ok(Catalogue { workspace: row.read(workspace)?, numbers, templates })
    }
}
