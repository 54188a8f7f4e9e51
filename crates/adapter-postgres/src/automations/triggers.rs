//! Customers' messages that may set rules off.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
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
use serde_json::Value;
use time::OffsetDateTime;

use super::rules::json;
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, at_places, sql, with_keys},
};

/// One look at the index for each workspace, however much is due.
pub(super) const WITH_TRIGGERS: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM automation_triggers waiting
        WHERE waiting.workspace_id = workspace.workspace_id AND waiting.due_at <= $1)";

pub(super) const CLAIM: &str = concat!(
    "WITH due AS MATERIALIZED (
        SELECT ctid AS place FROM automation_triggers
        WHERE workspace_id = $1 AND due_at <= $2
        ORDER BY due_at, message_id LIMIT $4
        FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE automation_triggers claimed SET due_at = $3, attempts = claimed.attempts + 1 WHERE ",
    at_places!("claimed", "SELECT place FROM due"),
    " RETURNING claimed.message_id, claimed.began, claimed.steps, claimed.done, claimed.attempts
    )
    SELECT claimed.*, message.conversation_id, message.content, message.created_at
    FROM claimed JOIN messages message
      ON message.workspace_id = $1 AND message.id = claimed.message_id
    ORDER BY message.created_at, message.id"
);

pub(super) const PLAN: &str = "
    UPDATE automation_triggers SET steps = $3
    WHERE workspace_id = $1 AND message_id = $2 AND steps IS NULL";

pub(super) const DONE: &str = "
    UPDATE automation_triggers SET done = done + 1
    WHERE workspace_id = $1 AND message_id = $2 AND done = $3";

pub(super) const FINISH: &str =
    concat!("DELETE FROM automation_triggers WHERE ", with_keys!("automation_triggers", "message_id", "$2"));

pub(super) const POSTPONE: &str =
    "UPDATE automation_triggers SET due_at = $3 WHERE workspace_id = $1 AND message_id = $2";

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
impl TriggerQueue for PgStore {
    async fn workspaces_with_triggers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.workspaces(WITH_TRIGGERS, now).await
    }

    async fn claim_triggers(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueTrigger>, StoreError> {
        let rows: Vec<TriggerRow> = self.claimed(CLAIM, workspace, (now, lease_until), limit).await?;
        rows.into_iter().map(TriggerRow::read).collect()
    }

    async fn write_plan(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        steps: &[PlannedStep],
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let written = sql(PLAN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(message.uuid())
            .bind::<Jsonb, _>(json(&steps)?)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        if written == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }

    async fn step_done(&self, workspace: WorkspaceId, step: StepOf) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        sql(DONE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(step.message.uuid())
            .bind::<Integer, _>(i32::try_from(step.place).unwrap_or(i32::MAX))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn finish_triggers(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        sql(FINISH)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(messages.iter().map(|id| id.uuid()).collect::<Vec<_>>())
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn postpone_trigger(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        sql(POSTPONE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(message.uuid())
            .bind::<Timestamptz, _>(due_at)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}
