//! Making an account's templates those that the network lists.

use std::collections::HashSet;

use diesel::sql_types::{Array, BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry, channels::Account, errors::StoreError, ids::WorkspaceId, templates::Template,
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    access::write_audit,
    error::failed,
    sql::{Bind, sql},
};

/// Also lets one reading of an account be written at a time.
pub(super) const SYNCED: &str = "
    UPDATE accounts SET templates_synced_at = $3
    WHERE workspace_id = $1 AND id = $2 AND disconnected_at IS NULL";

pub(super) const FORGET: &str = "
    DELETE FROM templates WHERE workspace_id = $1 AND account_id = $2 AND NOT EXISTS (
        SELECT FROM unnest($3, $4) AS listed (name, language)
        WHERE listed.name = templates.name AND listed.language = templates.language)";

/// Most templates are what they were at the last reading, and cost no write. Labels are the workspace's own.
pub(super) const KEEP: &str = "
    INSERT INTO templates AS known
        (workspace_id, account_id, name, language, network_id, category, status, rejection_reason, content,
         send_ttl_seconds, validity_problem)
    SELECT $1, $2, listed.* FROM unnest($3, $4, $5, $6, $7, $8, $9, $10, $11) AS listed
    ON CONFLICT (workspace_id, name, language, account_id) DO UPDATE SET
        network_id = excluded.network_id, category = excluded.category, status = excluded.status,
        rejection_reason = excluded.rejection_reason, content = excluded.content,
        send_ttl_seconds = excluded.send_ttl_seconds, validity_problem = excluded.validity_problem
    WHERE (known.network_id, known.category, known.status, known.rejection_reason, known.content,
           known.send_ttl_seconds, known.validity_problem)
       IS DISTINCT FROM (excluded.network_id, excluded.category, excluded.status, excluded.rejection_reason,
           excluded.content, excluded.send_ttl_seconds, excluded.validity_problem)";

/// Templates column by column, each name and language once.
#[derive(Default)]
struct Columns<'a> {
    names: Vec<&'a str>,
    languages: Vec<&'a str>,
    network_ids: Vec<&'a str>,
    categories: Vec<&'a str>,
    statuses: Vec<&'a str>,
    rejection_reasons: Vec<Option<&'a str>>,
    contents: Vec<serde_json::Value>,
    send_ttls: Vec<Option<i64>>,
    validity_problems: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn of(templates: &'a [Template]) -> Result<Self, StoreError> {
        let mut columns = Self::default();
        let mut seen = HashSet::new();
        for template in templates {
            if !seen.insert((&template.name, &template.language)) {
                continue;
            }
            let content = serde_json::to_value(&template.content);
            columns.contents.push(content.map_err(|error| StoreError::Internal(error.to_string()))?);
            columns.names.push(&template.name);
            columns.languages.push(&template.language);
            columns.network_ids.push(&template.network_id);
            columns.categories.push(&template.category);
            columns.statuses.push(template.status.as_str());
            columns.rejection_reasons.push(template.rejection_reason.as_deref());
            columns.send_ttls.push(template.send_ttl_seconds);
            columns.validity_problems.push(template.validity_problem.as_deref());
        }
        Ok(columns)
    }
}

impl PgStore {
    pub(super) async fn replace_templates(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        templates: &[Template],
        now: OffsetDateTime,
        asked: Option<AuditEntry>,
    ) -> Result<(), StoreError> {
        let columns = Columns::of(templates)?;
        let mut transaction = self.begin().await?;
        let synced = sql(SYNCED)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.id.uuid())
            .bind::<Timestamptz, _>(now)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if synced == 0 {
            return Err(StoreError::Stale);
        }
        sql(FORGET)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.id.uuid())
            .bind::<Array<Text>, _>(&columns.names)
            .bind::<Array<Text>, _>(&columns.languages)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        sql(KEEP)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.id.uuid())
            .bind::<Array<Text>, _>(&columns.names)
            .bind::<Array<Text>, _>(&columns.languages)
            .bind::<Array<Text>, _>(&columns.network_ids)
            .bind::<Array<Text>, _>(&columns.categories)
            .bind::<Array<Text>, _>(&columns.statuses)
            .bind::<Array<Nullable<Text>>, _>(&columns.rejection_reasons)
            .bind::<Array<Jsonb>, _>(&columns.contents)
            .bind::<Array<Nullable<BigInt>>, _>(&columns.send_ttls)
            .bind::<Array<Nullable<Text>>, _>(&columns.validity_problems)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if let Some(entry) = asked {
            write_audit(&mut transaction, workspace, &entry).await?;
        }
        transaction.commit().await
    }
}
