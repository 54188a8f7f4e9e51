//! Conversations in which nothing happens.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Bool, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    automations::ports::{QuietConversations, QuietStore},
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};
use time::OffsetDateTime;

use super::PgAutomations;
use crate::{error::failed, owners::Owner, sql::statement};

/// One or two looks at an index for each workspace that has turned a sweeper on.
pub(super) const TO_SWEEP: &str = "
    SELECT workspace_id FROM conversation_settings setting
    WHERE EXISTS (
        SELECT 1 FROM conversations conversation
        WHERE conversation.workspace_id = setting.workspace_id AND conversation.status <> 'closed'
          AND greatest(conversation.last_message_at, conversation.moved_at)
              <= :now - setting.idle_close_minutes * interval '1 minute')
    OR EXISTS (
        SELECT 1 FROM conversations conversation
        WHERE conversation.workspace_id = setting.workspace_id AND conversation.status = 'open'
          AND conversation.answered_at IS DISTINCT FROM conversation.last_message_at
          AND greatest(conversation.last_message_at, conversation.moved_at)
              <= :now - setting.unanswered_return_minutes * interval '1 minute')";

/// Names the statuses as the index does that holds no others.
pub(super) const IDLE: &str = "
    SELECT id, true AS waiting FROM conversations
    WHERE workspace_id = :workspace AND status <> 'closed' AND greatest(last_message_at, moved_at) <= :since
    ORDER BY greatest(last_message_at, moved_at) LIMIT :limit";

pub(super) const UNANSWERED: &str = "
    WITH quiet AS MATERIALIZED (
        SELECT id, last_message_at FROM conversations
        WHERE workspace_id = :workspace AND status = 'open' AND answered_at IS DISTINCT FROM last_message_at
          AND greatest(last_message_at, moved_at) <= :since
        ORDER BY greatest(last_message_at, moved_at) LIMIT :limit
    ), judged AS MATERIALIZED (
        SELECT id, last_message_at, coalesce((
            SELECT role = 'customer' FROM messages
            WHERE workspace_id = :workspace AND conversation_id = quiet.id AND role <> 'system'
            ORDER BY created_at DESC, id DESC LIMIT 1), false) AS waiting
        FROM quiet
    ), answered AS (
        UPDATE conversations conversation SET answered_at = judged.last_message_at
        FROM judged
        WHERE conversation.workspace_id = :workspace AND conversation.id = judged.id AND NOT judged.waiting
          AND conversation.last_message_at = judged.last_message_at
    )
    SELECT id, waiting FROM judged";

#[derive(QueryableByName)]
struct QuietRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    waiting: bool,
}

impl PgAutomations {
    async fn quiet(
        &self,
        text: &'static str,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<QuietConversations, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<QuietRow> = statement(text)
            .of(workspace)
            .bind::<Timestamptz, _>("since", since)
            .bind::<BigInt, _>("limit", i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let looked_at = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let waiting = rows.into_iter().filter(|row| row.waiting).map(|row| row.id.into()).collect();
        Ok(QuietConversations { waiting, looked_at })
    }
}

#[async_trait]
impl QuietStore for PgAutomations {
    async fn workspaces_to_sweep(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found: Vec<Owner> = statement(TO_SWEEP)
            .bind::<Timestamptz, _>("now", now)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(found.into_iter().map(|owner| owner.workspace_id.into()).collect())
    }

    async fn idle(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        Ok(self.quiet(IDLE, workspace, since, limit).await?.waiting)
    }

    async fn unanswered(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<QuietConversations, StoreError> {
        self.quiet(UNANSWERED, workspace, since, limit).await
    }
}
