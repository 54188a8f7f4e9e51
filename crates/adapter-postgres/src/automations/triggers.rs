//! Customers' messages that may trigger rules.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, QueryDsl, QueryableByName,
    dsl::exists,
    sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    automations::{
        PlannedStep, Trigger,
        ports::{DueTrigger, TriggerQueue},
    },
    conversations::StepOf,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
};
use serde_json::Value;
use time::OffsetDateTime;

use super::rules::json;
use crate::{
    automations::PgAutomations,
    error::{failed, unreadable},
    schema::{automation_triggers, workspaces},
    sql::{RunQueryDsl, statement},
};

/// Rows are found again by their keys, and only up to the latest due time among them: whichever index the
/// plan chose while the table was empty, no rows behind them are read.
pub(super) const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT message_id, due_at FROM automation_triggers
        WHERE workspace_id = :workspace AND due_at <= :now
        ORDER BY due_at, message_id LIMIT :limit
        FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE automation_triggers claimed SET due_at = :lease_until, attempts = claimed.attempts + 1
        WHERE claimed.workspace_id = :workspace AND claimed.message_id = ANY(ARRAY(SELECT message_id FROM due))
          AND claimed.due_at <= (SELECT max(due_at) FROM due)
        RETURNING claimed.message_id, claimed.began, claimed.steps, claimed.done, claimed.attempts
    )
    SELECT claimed.*, message.conversation_id, message.content, message.created_at
    FROM claimed JOIN messages message
      ON message.workspace_id = :workspace AND message.id = claimed.message_id
    ORDER BY message.created_at, message.id";

#[derive(QueryableByName)]
struct TriggerRow {
    #[diesel(sql_type = Uuid)]
    message_id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    began: bool,
    #[diesel(sql_type = Nullable<Jsonb>)]
    steps: Option<Value>,
    #[diesel(sql_type = Integer)]
    done: i32,
    #[diesel(sql_type = Integer)]
    attempts: i32,
    #[diesel(sql_type = Uuid)]
    conversation_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    content: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl TriggerRow {
    fn read(self) -> Result<DueTrigger, StoreError> {
        let steps = self.steps.map(serde_json::from_value).transpose();
        Ok(DueTrigger {
            trigger: Trigger {
                message: self.message_id.into(),
                conversation: self.conversation_id.into(),
                began: self.began,
                text: self.content,
                at: self.created_at,
            },
            planned: steps.map_err(|_| unreadable("planned steps"))?,
            done: u32::try_from(self.done).unwrap_or_default(),
            attempts: u32::try_from(self.attempts).unwrap_or_default(),
        })
    }
}

#[async_trait]
impl TriggerQueue for PgAutomations {
    async fn workspaces_with_triggers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up in the index for each workspace, however much is due.
        let due = automation_triggers::table
            .filter(automation_triggers::workspace_id.eq(workspaces::workspace_id))
            .filter(automation_triggers::due_at.le(now));
        self.database.workspaces(exists(due)).await
    }

    async fn claim_triggers(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueTrigger>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<TriggerRow> = statement(CLAIM)
            .of(workspace)
            .bind::<Timestamptz, _>("now", now)
            .bind::<Timestamptz, _>("lease_until", lease_until)
            .bind::<BigInt, _>("limit", i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(TriggerRow::read).collect()
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
        // Each by key: for a list, a plan made while the table was empty reads all of the workspace's rows.
        for message in messages {
            flight.add(diesel::delete(automation_triggers::table.find((workspace.uuid(), message.uuid()))));
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn postpone_trigger(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        attempt: u32,
        due_at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let attempt = i32::try_from(attempt).unwrap_or(i32::MAX);
        let trigger = automation_triggers::table.find((workspace.uuid(), message.uuid()));
        let postponed = diesel::update(trigger.filter(automation_triggers::attempts.eq(attempt)))
            .set(automation_triggers::due_at.eq(due_at))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(postponed > 0)
    }
}
