//! Prepared replies, until they are sent or refused.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper, dsl::exists};
use domain::{
    consent::{DraftState, ports::PreparedReplies},
    errors::StoreError,
    ids::{DraftId, MessageId, WorkspaceId},
    messages::PreparedReply,
};
use time::OffsetDateTime;

use super::{PgConsent, closed::Closed};
use crate::{
    error::failed,
    prepared_replies::PreparedRow,
    schema::{drafts, prepared_replies, workspaces},
    sql::RunQueryDsl,
};

#[async_trait]
impl PreparedReplies for PgConsent {
    async fn workspaces_with_replies(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = prepared_replies::table
            .filter(prepared_replies::workspace_id.eq(workspaces::workspace_id))
            .filter(prepared_replies::due_at.le(now))
            .select(prepared_replies::id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim_reply(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<PreparedReply>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found: Option<(PreparedRow, OffsetDateTime)> = prepared_replies::table
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::due_at.le(now))
            .order(prepared_replies::due_at)
            .limit(1)
            .select((PreparedRow::as_select(), prepared_replies::due_at))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((row, due_at)) = found else { return Ok(None) };
        let claimed = diesel::update(prepared_replies::table)
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::id.eq(row.id))
            .filter(prepared_replies::due_at.eq(due_at))
            .set(prepared_replies::due_at.eq(lease_until))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        if claimed == 0 { Ok(None) } else { self.database.open_prepared(workspace, &row).map(Some) }
    }

    async fn finish_reply(
        &self,
        workspace: WorkspaceId,
        reply: MessageId,
        withdraws: Option<DraftId>,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        if let Some(draft) = withdraws {
            flight.add(
                diesel::update(drafts::table)
                    .filter(drafts::workspace_id.eq(workspace.uuid()))
                    .filter(drafts::id.eq(draft.uuid()))
                    .filter(drafts::state.eq("open"))
                    .set((
                        Closed::to(DraftState::Withdrawn),
                        drafts::key_hash.eq(None::<Vec<u8>>),
                        drafts::request_hash.eq(None::<Vec<u8>>),
                    )),
            );
        }
        flight.add(
            diesel::delete(prepared_replies::table)
                .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
                .filter(prepared_replies::id.eq(reply.uuid())),
        );
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}
