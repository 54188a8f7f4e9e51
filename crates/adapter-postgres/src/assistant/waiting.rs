//! Customers who write on while they wait for a person.

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, dsl::exists};
use domain::{
    assistant::ports::{WaitingCustomer, WaitingStore},
    conversation::ConversationStatus,
    errors::StoreError,
    ids::WorkspaceId,
    lease::LEASE,
    messages::PreparedReply,
};
use time::OffsetDateTime;

use super::PgAssistants;
use crate::{
    error::failed,
    schema::{assistant_turns, conversations, workspaces},
    sql::RunQueryDsl,
};

#[async_trait]
impl WaitingStore for PgAssistants {
    async fn workspaces_where_customers_wait(
        &self,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = assistant_turns::table
            .filter(assistant_turns::workspace_id.eq(workspaces::workspace_id))
            .filter(assistant_turns::waits_on_at.le(now))
            .select(assistant_turns::conversation_id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim_waiting(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<WaitingCustomer>, StoreError> {
        type Row = (uuid::Uuid, Option<OffsetDateTime>, Option<OffsetDateTime>);
        let mut connection = self.database.connection().await?;
        let conversation = conversations::workspace_id
            .eq(workspace.uuid())
            .and(conversations::id.eq(assistant_turns::conversation_id));
        let found: Option<Row> = assistant_turns::table
            .inner_join(conversations::table.on(conversation))
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::waits_on_at.le(now))
            .order(assistant_turns::waits_on_at)
            .limit(1)
            .select((
                assistant_turns::conversation_id,
                assistant_turns::waits_on_at,
                conversations::handed_over_at,
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((conversation, waits_on_at, handed_over_at)) = found else { return Ok(None) };
        let claimed = diesel::update(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(conversation))
            .filter(assistant_turns::waits_on_at.eq(waits_on_at))
            .set(assistant_turns::waits_on_at.eq(lease_until))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        // Of one that has been moved since, nothing is settled but the claim.
        let handed_over_at = handed_over_at.unwrap_or(now);
        let waiting = WaitingCustomer { conversation: conversation.into(), handed_over_at, lease_until };
        Ok((claimed > 0).then_some(waiting))
    }

    async fn settle_waiting(
        &self,
        workspace: WorkspaceId,
        waiting: &WaitingCustomer,
        says: Option<PreparedReply>,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection = &*transaction;
        let is_said = async {
            let Some(says) = &says else { return Ok(0) };
            diesel::update(conversations::table)
                .filter(conversations::workspace_id.eq(workspace.uuid()))
                .filter(conversations::id.eq(waiting.conversation.uuid()))
                .filter(conversations::status.eq(ConversationStatus::Open.as_str()))
                .filter(conversations::handed_over_at.eq(waiting.handed_over_at))
                .filter(conversations::more_message_id.is_null())
                .set(conversations::more_message_id.eq(says.id.uuid()))
                .execute(&mut connection)
                .await
        };
        let is_said = transaction.begin_with(is_said).await.map_err(failed)? > 0;
        let mut flight = transaction.flight();
        if let Some(says) = says.filter(|_| is_said) {
            self.database.add_prepared(&mut flight, workspace, &says, waiting.lease_until - LEASE)?;
        }
        flight.add(
            diesel::update(assistant_turns::table)
                .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
                .filter(assistant_turns::conversation_id.eq(waiting.conversation.uuid()))
                .filter(assistant_turns::waits_on_at.eq(waiting.lease_until))
                .set(assistant_turns::waits_on_at.eq(None::<OffsetDateTime>)),
        );
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}
