//! The execution of commitments.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper, dsl::exists};
use domain::{
    consent::{
        CommitmentState, DueCommitment,
        ports::{CommitmentSettlement, CommitmentStore, Postponement},
    },
    errors::StoreError,
    ids::{CommitmentId, WorkspaceId},
    orders::CreationKey,
};
use time::OffsetDateTime;

use super::{PgConsent, row::DraftRow};
use crate::{
    error::{failed, unreadable},
    schema::{commitments, drafts, workspaces},
    sql::RunQueryDsl,
};

type DueRow = (uuid::Uuid, uuid::Uuid, uuid::Uuid, String, String, i32, OffsetDateTime);

#[async_trait]
impl CommitmentStore for PgConsent {
    async fn workspaces_with_commitments(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = commitments::table
            .filter(commitments::workspace_id.eq(workspaces::workspace_id))
            .filter(commitments::due_at.le(now))
            .select(commitments::id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim_commitment(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueCommitment>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found: Option<DueRow> = commitments::table
            .filter(commitments::workspace_id.eq(workspace.uuid()))
            .filter(commitments::due_at.le(now))
            .order(commitments::due_at)
            .limit(1)
            .select((
                commitments::id,
                commitments::draft_id,
                commitments::conversation_id,
                commitments::creation_key,
                commitments::state,
                commitments::attempts,
                commitments::confirmed_at,
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, draft, conversation, key, state, attempts, confirmed_at)) = found else {
            return Ok(None);
        };
        let claimed = diesel::update(commitments::table)
            .filter(commitments::workspace_id.eq(workspace.uuid()))
            .filter(commitments::id.eq(id))
            .filter(commitments::attempts.eq(attempts))
            .filter(commitments::due_at.le(now))
            .set((commitments::attempts.eq(attempts + 1), commitments::due_at.eq(lease_until)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        if claimed == 0 {
            return Ok(None);
        }
        let row: DraftRow = drafts::table
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::id.eq(draft))
            .select(DraftRow::as_select())
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let state = CommitmentState::read(&state).ok_or_else(|| unreadable("state of a commitment"))?;
        let draft = self.read_draft(workspace, &row)?;
        Ok(Some(DueCommitment {
            id: id.into(),
            draft: draft.id,
            conversation: conversation.into(),
            proposal: draft.proposal,
            key: CreationKey::parse(&key).ok_or_else(|| unreadable("key of a commitment"))?,
            author: draft.author,
            system: draft.system,
            language: draft.language,
            tried: draft.tried,
            confirmed_at,
            asked: state == CommitmentState::Asked,
            attempt: u32::try_from(attempts + 1).map_err(|_| unreadable("attempts of a commitment"))?,
        }))
    }

    async fn renew_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let renewed = diesel::update(commitments::table)
            .filter(commitments::workspace_id.eq(workspace.uuid()))
            .filter(commitments::id.eq(commitment.uuid()))
            .filter(commitments::attempts.eq(i32::try_from(attempt).unwrap_or(i32::MAX)))
            .filter(commitments::due_at.is_not_null())
            .set(commitments::due_at.eq(lease_until))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(renewed == 1)
    }

    async fn mark_asked(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let marked = diesel::update(commitments::table)
            .filter(commitments::workspace_id.eq(workspace.uuid()))
            .filter(commitments::id.eq(commitment.uuid()))
            .filter(commitments::attempts.eq(i32::try_from(attempt).unwrap_or(i32::MAX)))
            .filter(commitments::state.eq(CommitmentState::Confirmed.as_str()))
            .set(commitments::state.eq(CommitmentState::Asked.as_str()))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(marked == 1)
    }

    async fn postpone_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        postponed: &Postponement,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut guards = transaction.flight();
        guards.add(
            diesel::update(commitments::table)
                .filter(commitments::workspace_id.eq(workspace.uuid()))
                .filter(commitments::id.eq(commitment.uuid()))
                .filter(commitments::attempts.eq(i32::try_from(postponed.attempt).unwrap_or(i32::MAX)))
                .filter(commitments::due_at.is_not_null())
                .set(commitments::due_at.eq(postponed.until)),
        );
        let moved = transaction.begin_with(guards.counts()).await.map_err(failed)?;
        if moved.iter().sum::<usize>() == 0 {
            return Ok(());
        }
        let mut flight = transaction.flight();
        if let Some(delay_message) = &postponed.delay_message {
            self.database.add_prepared(&mut flight, workspace, delay_message, postponed.at)?;
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn settle_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: &DueCommitment,
        settlement: &CommitmentSettlement,
    ) -> Result<bool, StoreError> {
        self.settle(workspace, commitment, settlement).await
    }
}
