//! The store of templates.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, SelectableHelper, TextExpressionMethods,
};
use domain::{
    audit::AuditEntry,
    channels::{Account, Number},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    live::LiveKind,
    templates::{
        Category, ListedTemplate, Template, TemplateFilter, TemplateKey, TemplateStatus, VariableLabels,
        ports::{DueAccount, TemplateStore},
    },
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::row::{Row, listed, read_templates};
use crate::{
    audit::{audit, commit_audited},
    error::failed,
    live::tell,
    schema::{accounts, channels, templates},
    sql::{RunQueryDsl, insert},
    templates::PgTemplates,
};

const AT_ONCE: i64 = 500;

/// Separator of a name and a language, neither of which contains a line break.
const BETWEEN: &str = "\n";

#[async_trait]
impl TemplateStore for PgTemplates {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: TemplateFilter,
    ) -> Result<Vec<ListedTemplate>, StoreError> {
        let connection = self.database.connection().await?;
        let numbers = channels::table
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::kind.eq(Number::NETWORK.as_str()))
            .filter(channels::disconnected_at.is_null())
            .filter(channels::phone.is_not_null())
            .order((channels::connected_at, channels::position, channels::id))
            .select((channels::account_id, channels::phone));
        let account = accounts::workspace_id.eq(workspace.uuid()).and(accounts::id.eq(templates::account_id));
        let mut rows = templates::table
            .inner_join(accounts::table.on(account))
            .filter(templates::workspace_id.eq(workspace.uuid()))
            .select((Row::as_select(), accounts::network_id))
            .into_boxed();
        if let Some(status) = filter.status.map(TemplateStatus::as_str) {
            rows = rows.filter(templates::status.eq(status));
        }
        if let Some(category) = filter.category.map(Category::as_str) {
            rows = rows.filter(templates::category.eq(category));
        }
        let (rows, numbers) =
            try_join(rows.load(&mut &*connection), numbers.load(&mut &*connection)).await.map_err(failed)?;
        listed(rows, numbers)
    }

    async fn replace(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        templates: &[Template],
        now: OffsetDateTime,
        asked: Option<AuditEntry>,
    ) -> Result<(), StoreError> {
        let read = read_templates(templates)?;
        let account = account.id.uuid();
        let transaction = self.database.transaction().await?;
        // The lock also makes concurrent readings of an account wait for each other.
        let connected =
            accounts::table.find((workspace.uuid(), account)).filter(accounts::disconnected_at.is_null());
        let synced =
            diesel::update(connected).set(accounts::templates_synced_at.eq(now)).execute(&mut &*transaction);
        if transaction.begin_with(synced).await.map_err(failed)? == 0 {
            return Err(StoreError::Stale);
        }
        let listed: Vec<String> = read
            .iter()
            .map(|read| format!("{}{BETWEEN}{}", read.template.name, read.template.language))
            .collect();
        let mut flight = transaction.flight();
        flight.add(
            diesel::delete(templates::table)
                .filter(templates::workspace_id.eq(workspace.uuid()))
                .filter(templates::account_id.eq(account))
                .filter(templates::name.concat(BETWEEN).concat(templates::language).ne_all(listed)),
        );
        // Most templates have not changed since the last reading, and cost no write.
        flight.insert(
            insert(templates::table, workspace, &read)
                .column(templates::account_id, |_| account)
                .column(templates::name, |read| read.template.name.as_str())
                .column(templates::language, |read| read.template.language.as_str())
                .column(templates::network_id, |read| read.template.network_id.as_str())
                .column(templates::category, |read| read.template.category.as_str())
                .column(templates::status, |read| read.template.status.as_str())
                .column(templates::rejection_reason, |read| read.template.rejection_reason.as_deref())
                .column(templates::content, |read| &read.content)
                .column(templates::send_ttl_seconds, |read| read.template.send_ttl_seconds)
                .column(templates::validity_problem, |read| read.template.validity_problem.as_deref())
                .on_conflict((templates::name, templates::language, templates::account_id))
                .set_excluded(templates::network_id)
                .set_excluded(templates::category)
                .set_excluded(templates::status)
                .set_excluded(templates::rejection_reason)
                .set_excluded(templates::content)
                .set_excluded(templates::send_ttl_seconds)
                .set_excluded(templates::validity_problem)
                .where_distinct(),
        );
        let written = transaction.send(flight.counts()).await.map_err(failed)?;
        let mut flight = transaction.flight();
        if written.iter().any(|rows| *rows > 0) {
            tell(&mut flight, workspace, LiveKind::TemplatesChanged, &[(None, None)]);
        }
        if let Some(entry) = &asked {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn label(
        &self,
        workspace: WorkspaceId,
        key: &TemplateKey,
        labels: &VariableLabels,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let labels = serde_json::to_value(labels).map_err(|error| StoreError::Internal(error.to_string()))?;
        let transaction = self.database.transaction().await?;
        let template =
            templates::table.find((workspace.uuid(), &key.name, &key.language, key.account.uuid()));
        let labelled = diesel::update(template).set(templates::labels.eq(labels)).execute(&mut &*transaction);
        if transaction.begin_with(labelled).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        commit_audited(&transaction, workspace, entry).await?;
        Ok(true)
    }

    async fn due(&self, now: OffsetDateTime) -> Result<Vec<DueAccount>, StoreError> {
        let mut connection = self.database.connection().await?;
        let due: Vec<(uuid::Uuid, uuid::Uuid)> = accounts::table
            .filter(accounts::templates_due_at.le(now))
            .order(accounts::templates_due_at)
            .limit(AT_ONCE)
            .select((accounts::workspace_id, accounts::id))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(workspace, account): (uuid::Uuid, uuid::Uuid)| DueAccount {
            workspace: workspace.into(),
            account: account.into(),
        };
        Ok(due.into_iter().map(read).collect())
    }

    async fn claim_due(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let account = accounts::table.find((workspace.uuid(), account.uuid()));
        let claimed = diesel::update(account.filter(accounts::templates_due_at.le(now)))
            .set(accounts::templates_due_at.eq(next))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(claimed > 0)
    }
}
