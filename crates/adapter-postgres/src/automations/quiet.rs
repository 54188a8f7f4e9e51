//! Conversations without recent activity.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, NullableExpressionMethods, PgExpressionMethods, QueryDsl, sql_types::Timestamptz,
};
use domain::{
    automations::ports::{QuietConversations, QuietStore},
    conversation::ConversationStatus,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    messages::Role,
};
use time::OffsetDateTime;

use super::PgAutomations;
use crate::{
    conversations::last_role,
    error::failed,
    owners::Owner,
    schema::conversations,
    sql::{RunQueryDsl, greatest, statement, update, word},
};

/// One or two look-ups in an index for each workspace that has a sweeper on.
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

#[async_trait]
impl QuietStore for PgAutomations {
    async fn workspaces_to_sweep(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found = statement(TO_SWEEP).bind::<Timestamptz, _>("now", now).load(&mut connection).await;
        let found =
            self.database.or_living(&mut connection, found, |workspace_id| Owner { workspace_id }).await?;
        Ok(found.into_iter().map(|owner| owner.workspace_id.into()).collect())
    }

    async fn idle(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let quiet_since = || greatest(conversations::last_message_at, conversations::moved_at);
        let mut connection = self.database.connection().await?;
        // The status is a literal, as it is in the index over conversations that are not closed.
        let idle: Vec<uuid::Uuid> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::status.ne(word(ConversationStatus::Closed.as_str())))
            .filter(quiet_since().le(since))
            .order(quiet_since())
            .limit(i64::from(limit))
            .select(conversations::id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(idle.into_iter().map(Into::into).collect())
    }

    async fn unanswered(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<QuietConversations, StoreError> {
        type Row = (uuid::Uuid, OffsetDateTime, Option<String>);
        let quiet_since = || greatest(conversations::last_message_at, conversations::moved_at);
        let mut connection = self.database.connection().await?;
        // The conditions are those of the index over open, unanswered conversations.
        let rows: Vec<Row> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::status.eq(word(ConversationStatus::Open.as_str())))
            .filter(conversations::answered_at.is_distinct_from(conversations::last_message_at.nullable()))
            .filter(quiet_since().le(since))
            .order(quiet_since())
            .limit(i64::from(limit))
            .select((conversations::id, conversations::last_message_at, last_role(workspace)))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let looked_at = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let waits = |(.., role): &Row| role.as_deref() == Some(Role::Customer.as_str());
        let (waiting, answered): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(waits);
        if !answered.is_empty() {
            // Keeps them from being looked at again before their next message.
            update(conversations::table, workspace, &answered)
                .key(conversations::id, |(id, ..)| *id)
                .guard(conversations::last_message_at, |(_, at, _)| *at)
                .set(conversations::answered_at, |(_, at, _)| Some(*at))
                .execute(&mut connection)
                .await
                .map_err(failed)?;
        }
        Ok(QuietConversations { waiting: waiting.into_iter().map(|(id, ..)| id.into()).collect(), looked_at })
    }
}
