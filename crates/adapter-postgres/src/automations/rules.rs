//! The rules of a workspace and their settings.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, Queryable, Selectable, SelectableHelper,
    result::{DatabaseErrorKind, Error},
};
use domain::{
    audit::AuditEntry,
    automations::{Automation, AutomationError, AutomationName, Minutes, Settings, ports::AutomationStore},
    errors::StoreError,
    ids::{AutomationId, MemberId, WorkspaceId},
};
use serde_json::Value;

use crate::{
    audit::commit_audited,
    automations::PgAutomations,
    bounds,
    error::{failed, unreadable},
    schema::{automations, conversation_settings},
    sql::{RunQueryDsl, insert},
    transaction::Transaction,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = automations)]
struct AutomationRow {
    id: uuid::Uuid,
    name: String,
    author_id: uuid::Uuid,
    enabled: bool,
    rule: Value,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = conversation_settings)]
struct SettingsRow {
    hours: Option<Value>,
    idle_close_minutes: Option<i32>,
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

pub(super) fn json(value: &impl serde::Serialize) -> Result<Value, StoreError> {
    serde_json::to_value(value).map_err(|error| StoreError::Internal(error.to_string()))
}

/// Commits with the entry if a rule was written; otherwise returns `none`, the reason why not.
async fn written(
    transaction: &Transaction,
    workspace: WorkspaceId,
    rows: QueryResult<usize>,
    none: AutomationError,
    entry: &AuditEntry,
) -> Result<(), AutomationError> {
    match rows {
        Ok(0) => Err(none),
        Ok(_) => {
            commit_audited(transaction, workspace, entry).await?;
            Ok(())
        }
        Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => Err(AutomationError::NameTaken),
        Err(error) => Err(failed(error).into()),
    }
}

#[async_trait]
impl AutomationStore for PgAutomations {
    async fn automations(&self, workspace: WorkspaceId) -> Result<Vec<Automation>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows = automations::table
            .filter(automations::workspace_id.eq(workspace.uuid()))
            .order((automations::created_at, automations::id))
            .select(AutomationRow::as_select())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(AutomationRow::read).collect()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<(), AutomationError> {
        let rule = json(&automation.rule)?;
        let transaction = self.database.transaction().await?;
        let known = automations::table
            .filter(automations::workspace_id.eq(workspace.uuid()))
            .count()
            .get_result::<i64>(&mut &*transaction);
        if !bounds::has_room(&transaction, workspace, known, most).await? {
            return Err(AutomationError::TooMany);
        }
        let added = diesel::insert_into(automations::table)
            .values((
                automations::workspace_id.eq(workspace.uuid()),
                automations::id.eq(automation.id.uuid()),
                automations::name.eq(automation.name.as_str()),
                automations::author_id.eq(automation.author.uuid()),
                automations::enabled.eq(automation.enabled),
                automations::rule.eq(rule),
                automations::created_at.eq(entry.at),
            ))
            .execute(&mut &*transaction)
            .await;
        written(&transaction, workspace, added, AutomationError::TooMany, entry).await
    }

    async fn replace(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        entry: &AuditEntry,
    ) -> Result<(), AutomationError> {
        let rule = json(&automation.rule)?;
        let transaction = self.database.transaction().await?;
        let known = automations::table.find((workspace.uuid(), automation.id.uuid()));
        let replaced = diesel::update(known)
            .set((
                automations::name.eq(automation.name.as_str()),
                automations::author_id.eq(automation.author.uuid()),
                automations::enabled.eq(automation.enabled),
                automations::rule.eq(rule),
            ))
            .execute(&mut &*transaction);
        let replaced = transaction.begin_with(replaced).await;
        written(&transaction, workspace, replaced, AutomationError::NotFound, entry).await
    }

    async fn switch(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        author: MemberId,
        enabled: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let known = automations::table.find((workspace.uuid(), id.uuid()));
        let switched = diesel::update(known)
            .set((automations::author_id.eq(author.uuid()), automations::enabled.eq(enabled)))
            .execute(&mut &*transaction);
        if transaction.begin_with(switched).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        commit_audited(&transaction, workspace, entry).await?;
        Ok(true)
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let known = automations::table.find((workspace.uuid(), id.uuid()));
        let removed = diesel::delete(known).execute(&mut &*transaction);
        if transaction.begin_with(removed).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        commit_audited(&transaction, workspace, entry).await?;
        Ok(true)
    }

    async fn settings(&self, workspace: WorkspaceId) -> Result<Settings, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = conversation_settings::table
            .find(workspace.uuid())
            .select(SettingsRow::as_select())
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
        let rows = [SettingsRow {
            hours: settings.hours.as_ref().map(json).transpose()?,
            idle_close_minutes: minutes(settings.idle_close),
            unanswered_return_minutes: minutes(settings.unanswered_return),
        }];
        let transaction = self.database.transaction().await?;
        let set = insert(conversation_settings::table, workspace, &rows)
            .column(conversation_settings::hours, |row| row.hours.as_ref())
            .column(conversation_settings::idle_close_minutes, |row| row.idle_close_minutes)
            .column(conversation_settings::unanswered_return_minutes, |row| row.unanswered_return_minutes)
            .on_conflict(())
            .set_excluded(conversation_settings::hours)
            .set_excluded(conversation_settings::idle_close_minutes)
            .set_excluded(conversation_settings::unanswered_return_minutes)
            .execute(&mut &*transaction);
        // The workspace may not exist.
        if transaction.begin_with(set).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        commit_audited(&transaction, workspace, entry).await?;
        Ok(true)
    }
}
