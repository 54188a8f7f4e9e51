//! What a workspace's owners call the variables of a template.

use diesel::sql_types::{Jsonb, Text, Uuid};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::WorkspaceId,
    templates::{TemplateKey, VariableLabels},
};

use crate::{
    PgStore,
    access::write_audit,
    error::failed,
    sql::{Bind, sql},
};

pub(super) const LABEL: &str = "
    UPDATE templates SET labels = $5
    WHERE workspace_id = $1 AND account_id = $2 AND name = $3 AND language = $4";

impl PgStore {
    pub(super) async fn label_variables(
        &self,
        workspace: WorkspaceId,
        key: &TemplateKey,
        labels: &VariableLabels,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let labels = serde_json::to_value(labels).map_err(|error| StoreError::Internal(error.to_string()))?;
        let mut transaction = self.begin().await?;
        let labelled = sql(LABEL)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(key.account.uuid())
            .bind::<Text, _>(&key.name)
            .bind::<Text, _>(&key.language)
            .bind::<Jsonb, _>(labels)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if labelled == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
