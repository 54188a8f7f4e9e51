//! The store of templates.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    channels::Account,
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    templates::{
        ListedTemplate, Template, TemplateFilter, TemplateKey, VariableLabels,
        ports::{DueAccount, TemplateStore},
    },
};
use time::OffsetDateTime;

use super::row::filtered;
use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

pub(super) const DUE: &str = "
    SELECT workspace_id, id FROM accounts WHERE templates_due_at <= $1 ORDER BY templates_due_at LIMIT 500";

pub(super) const CLAIM_DUE: &str = "
    UPDATE accounts SET templates_due_at = $4
    WHERE workspace_id = $1 AND id = $2 AND templates_due_at <= $3";

#[derive(QueryableByName)]
struct Due {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[async_trait]
impl TemplateStore for PgStore {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: TemplateFilter,
    ) -> Result<Vec<ListedTemplate>, StoreError> {
        let mut connection = self.connection().await?;
        filtered(&mut connection, workspace, filter).await
    }

    async fn replace(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        templates: &[Template],
        now: OffsetDateTime,
        asked: Option<AuditEntry>,
    ) -> Result<(), StoreError> {
        self.replace_templates(workspace, account, templates, now, asked).await
    }

    async fn label(
        &self,
        workspace: WorkspaceId,
        key: &TemplateKey,
        labels: &VariableLabels,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        self.label_variables(workspace, key, labels, entry).await
    }

    async fn due(&self, now: OffsetDateTime) -> Result<Vec<DueAccount>, StoreError> {
        let mut connection = self.connection().await?;
        let due = sql(DUE).bind::<Timestamptz, _>(now).get_results::<Due>(&mut connection).await;
        let read = |due: Due| DueAccount { workspace: due.workspace_id.into(), account: due.id.into() };
        Ok(due.map_err(failed)?.into_iter().map(read).collect())
    }

    async fn claim_due(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let claimed = sql(CLAIM_DUE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(next)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(claimed > 0)
    }
}
