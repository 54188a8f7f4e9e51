//! Customers' messages that may set rules off.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper, dsl::exists};
use diesel_async::RunQueryDsl;
use domain::{
    automations::{
        PlannedStep, Trigger,
        ports::{DueTrigger, TriggerQueue},
    },
    conversations::StepOf,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
};
use futures_util::future::try_join;
use serde_json::Value;
use time::OffsetDateTime;

use super::rules::json;
use crate::{
    automations::PgAutomations,
    error::{failed, unreadable},
    schema::{automation_triggers, messages, workspaces},
    sql::{first_and_last, update},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = automation_triggers)]
struct TriggerRow {
    message_id: uuid::Uuid,
    began: bool,
    steps: Option<Value>,
    done: i32,
    attempts: i32,
    due_at: OffsetDateTime,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = messages)]
struct MessageRow {
    id: uuid::Uuid,
    conversation_id: uuid::Uuid,
    content: String,
    created_at: OffsetDateTime,
}

impl TriggerRow {
    /// Reads it as it is once it is taken up.
    fn read(self, message: MessageRow) -> Result<DueTrigger, StoreError> {
        let steps = self.steps.map(serde_json::from_value).transpose();
        Ok(DueTrigger {
            trigger: Trigger {
                message: self.message_id.into(),
                conversation: message.conversation_id.into(),
                began: self.began,
                text: message.content,
                at: message.created_at,
            },
            planned: steps.map_err(|_| unreadable("planned steps"))?,
            done: u32::try_from(self.done).unwrap_or_default(),
            attempts: u32::try_from(self.attempts).unwrap_or_default().saturating_add(1),
        })
    }
}

#[async_trait]
impl TriggerQueue for PgAutomations {
    async fn workspaces_with_triggers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look at the index for each workspace, however much is due.
        let due = automation_triggers::table
            .filter(automation_triggers::workspace_id.eq(workspaces::workspace_id))
            .filter(automation_triggers::due_at.le(now));
        let owners = workspaces::table.filter(exists(due)).select(workspaces::workspace_id);
        self.database.workspaces(owners).await
    }

    async fn claim_triggers(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueTrigger>, StoreError> {
        let transaction = self.database.transaction().await?;
        let due = automation_triggers::table
            .filter(automation_triggers::workspace_id.eq(workspace.uuid()))
            .filter(automation_triggers::due_at.le(now))
            .order((automation_triggers::due_at, automation_triggers::message_id))
            .limit(i64::from(limit))
            .select(TriggerRow::as_select())
            .for_update()
            .skip_locked()
            .load::<TriggerRow>(&mut &*transaction);
        let rows = transaction.begin_with(due).await.map_err(failed)?;
        let Some(within) = first_and_last(rows.iter().map(|row| row.due_at)) else { return Ok(Vec::new()) };
        let ids: Vec<uuid::Uuid> = rows.iter().map(|row| row.message_id).collect();
        // By their keys, and no later than the last of them is due: whichever index was chosen when the table was empty,
        // it goes through none behind them.
        let leased = update(automation_triggers::table, workspace, &rows)
            .key(automation_triggers::message_id, |row| row.message_id)
            .set(automation_triggers::due_at, |_| lease_until)
            .set(automation_triggers::attempts, |row| row.attempts.saturating_add(1))
            .within(automation_triggers::due_at, within)
            .execute(&mut &*transaction);
        let messages = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .filter(messages::id.eq_any(&ids))
            .order((messages::created_at, messages::id))
            .select(MessageRow::as_select())
            .load::<MessageRow>(&mut &*transaction);
        let (_, messages) = transaction.commit_with(try_join(leased, messages)).await.map_err(failed)?;
        drop(transaction);
        let mut rows: HashMap<_, _> = rows.into_iter().map(|row| (row.message_id, row)).collect();
        let due = |message: MessageRow| rows.remove(&message.id).map(|row| row.read(message));
        messages.into_iter().filter_map(due).collect()
    }

    async fn write_plan(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        steps: &[PlannedStep],
    ) -> Result<(), StoreError> {
        let steps = json(&steps)?;
        let mut connection = self.database.connection().await?;
        let trigger = automation_triggers::table.find((workspace.uuid(), message.uuid()));
        let written = diesel::update(trigger.filter(automation_triggers::steps.is_null()))
            .set(automation_triggers::steps.eq(steps))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        if written == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }

    async fn step_done(&self, workspace: WorkspaceId, step: StepOf) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let done = i32::try_from(step.place).unwrap_or(i32::MAX);
        let trigger = automation_triggers::table.find((workspace.uuid(), step.message.uuid()));
        diesel::update(trigger.filter(automation_triggers::done.eq(done)))
            .set(automation_triggers::done.eq(automation_triggers::done + 1))
            .execute(&mut connection)
            .await
            .map(drop)
            .map_err(failed)
    }

    async fn finish_triggers(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        // Each by its key: for a list of them, a plan that was made while the table was empty goes through all rows of
        // the workspace.
        for message in messages {
            flight.add(diesel::delete(automation_triggers::table.find((workspace.uuid(), message.uuid()))));
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn postpone_trigger(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        diesel::update(automation_triggers::table.find((workspace.uuid(), message.uuid())))
            .set(automation_triggers::due_at.eq(due_at))
            .execute(&mut connection)
            .await
            .map(drop)
            .map_err(failed)
    }
}
