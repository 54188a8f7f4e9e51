//! The rules and the settings of a workspace.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    result::{DatabaseErrorKind, Error},
    sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    automations::{
        Automation, AutomationName, Minutes, Settings,
        ports::{AutomationStore, RuleWritten},
    },
    errors::StoreError,
    ids::{AutomationId, WorkspaceId},
};
use serde_json::Value;

use crate::{
    PgStore,
    access::write_audit,
    error::{failed, is_missing_reference, unreadable},
    sql::{Bind, sql},
    transaction::Transaction,
};

pub(super) const AUTOMATIONS: &str = "
    SELECT id, name, author_id, enabled, rule FROM automations
    WHERE workspace_id = $1 ORDER BY created_at, id";

pub(super) const ADD: &str = "
    INSERT INTO automations (workspace_id, id, name, author_id, enabled, rule, created_at)
    SELECT $1, $2, $3, $4, $5, $6, $7
    WHERE (SELECT count(*) FROM automations WHERE workspace_id = $1) < $8";

pub(super) const REPLACE: &str = "
    UPDATE automations SET name = $3, author_id = $4, enabled = $5, rule = $6
    WHERE workspace_id = $1 AND id = $2";

pub(super) const REMOVE: &str = "DELETE FROM automations WHERE workspace_id = $1 AND id = $2";

pub(super) const SETTINGS: &str = "
    SELECT hours, idle_close_minutes, unanswered_return_minutes FROM conversation_settings
    WHERE workspace_id = $1";

pub(super) const SET: &str = "
    INSERT INTO conversation_settings AS known
        (workspace_id, hours, idle_close_minutes, unanswered_return_minutes)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (workspace_id) DO UPDATE
    SET hours = excluded.hours, idle_close_minutes = excluded.idle_close_minutes,
        unanswered_return_minutes = excluded.unanswered_return_minutes";

#[derive(QueryableByName)]
struct AutomationRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Uuid)]
    author_id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    enabled: bool,
    #[diesel(sql_type = Jsonb)]
    rule: Value,
}

#[derive(QueryableByName)]
struct SettingsRow {
    #[diesel(sql_type = Nullable<Jsonb>)]
    hours: Option<Value>,
    #[diesel(sql_type = Nullable<Integer>)]
    idle_close_minutes: Option<i32>,
    #[diesel(sql_type = Nullable<Integer>)]
    unanswered_return_minutes: Option<i32>,
}

impl AutomationRow {
    fn read(self) -> Result<Automation, StoreError> {
        Ok(Automation {
            id: self.id.into(),
            name: AutomationName::try_from(self.name).map_err(|_| unreadable("name of a rule"))?,
            author: self.author_id.into(),
            enabled: self.enabled,
            rule: serde_json::from_value(self.rule).map_err(|_| unreadable("rule"))?,
        })
    }
}

impl SettingsRow {
    fn read(self) -> Result<Settings, StoreError> {
        let hours = self.hours.map(serde_json::from_value).transpose();
        Ok(Settings {
            hours: hours.map_err(|_| unreadable("opening hours"))?,
            idle_close: minutes(self.idle_close_minutes)?,
            unanswered_return: minutes(self.unanswered_return_minutes)?,
        })
    }
}

fn minutes(kept: Option<i32>) -> Result<Option<Minutes>, StoreError> {
    let read = |minutes| u32::try_from(minutes).ok().and_then(|minutes| Minutes::try_from(minutes).ok());
    kept.map(|minutes| read(minutes).ok_or_else(|| unreadable("waiting time"))).transpose()
}

/// A value of ours as JSON, which cannot fail.
pub(super) fn json(value: &impl serde::Serialize) -> Result<Value, StoreError> {
    serde_json::to_value(value).map_err(|error| StoreError::Internal(error.to_string()))
}

/// Writes the entry and makes both last, if a rule was written; `none` tells why none was.
async fn written(
    mut transaction: Transaction,
    workspace: WorkspaceId,
    rows: Result<usize, Error>,
    none: RuleWritten,
    entry: &AuditEntry,
) -> Result<RuleWritten, StoreError> {
    match rows {
        Ok(0) => Ok(none),
        Ok(_) => {
            write_audit(&mut transaction, workspace, entry).await?;
            transaction.commit().await?;
            Ok(RuleWritten::Yes)
        }
        Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => Ok(RuleWritten::NameTaken),
        Err(error) => Err(failed(error)),
    }
}

#[async_trait]
impl AutomationStore for PgStore {
    async fn automations(&self, workspace: WorkspaceId) -> Result<Vec<Automation>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<AutomationRow> =
            sql(AUTOMATIONS).bind::<Uuid, _>(workspace.uuid()).load(&mut connection).await.map_err(failed)?;
        rows.into_iter().map(AutomationRow::read).collect()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<RuleWritten, StoreError> {
        let mut transaction = self.begin().await?;
        let added = sql(ADD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(automation.id.uuid())
            .bind::<Text, _>(automation.name.as_str())
            .bind::<Uuid, _>(automation.author.uuid())
            .bind::<Bool, _>(automation.enabled)
            .bind::<Jsonb, _>(json(&automation.rule)?)
            .bind::<Timestamptz, _>(entry.at)
            .bind::<BigInt, _>(i64::from(most))
            .execute(&mut transaction)
            .await;
        written(transaction, workspace, added, RuleWritten::TooMany, entry).await
    }

    async fn replace(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        entry: &AuditEntry,
    ) -> Result<RuleWritten, StoreError> {
        let mut transaction = self.begin().await?;
        let replaced = sql(REPLACE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(automation.id.uuid())
            .bind::<Text, _>(automation.name.as_str())
            .bind::<Uuid, _>(automation.author.uuid())
            .bind::<Bool, _>(automation.enabled)
            .bind::<Jsonb, _>(json(&automation.rule)?)
            .execute(&mut transaction)
            .await;
        written(transaction, workspace, replaced, RuleWritten::Unknown, entry).await
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let removed = sql(REMOVE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if removed == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn settings(&self, workspace: WorkspaceId) -> Result<Settings, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<SettingsRow> = sql(SETTINGS)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map_or_else(|| Ok(Settings::default()), SettingsRow::read)
    }

    async fn set(
        &self,
        workspace: WorkspaceId,
        settings: &Settings,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let minutes = |minutes: Option<Minutes>| {
            minutes.map(|minutes| i32::try_from(u32::from(minutes)).unwrap_or(i32::MAX))
        };
        let mut transaction = self.begin().await?;
        let set = sql(SET)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Jsonb>, _>(settings.hours.as_ref().map(json).transpose()?)
            .bind::<Nullable<Integer>, _>(minutes(settings.idle_close))
            .bind::<Nullable<Integer>, _>(minutes(settings.unanswered_return))
            .execute(&mut transaction)
            .await;
        match set {
            Ok(_) => {
                write_audit(&mut transaction, workspace, entry).await?;
                transaction.commit().await?;
                Ok(true)
            }
            Err(error) if is_missing_reference(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}
