//! The end of a commitment, and the messages and events about it.

use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryResult,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
};
use diesel_async::AsyncPgConnection;
use domain::{
    clock::stamp_after,
    consent::{
        DueCommitment,
        ports::{CommitmentSettlement, NewDraft},
    },
    errors::StoreError,
    events::Event,
    ids::{ConversationId, WorkspaceId},
};
use futures_util::future::{Either, ready, try_join4};
use time::OffsetDateTime;

use super::{
    PgConsent,
    drafts::{draft_row, tell_of},
};
use crate::{
    audit::audit,
    conversations::{lock_conversation, stamp},
    error::failed,
    schema::{commitments, drafts, prepared_replies},
    sql::RunQueryDsl,
    transaction::Flight,
    webhooks::{enqueue, subscribers},
};

impl PgConsent {
    pub(super) async fn settle(
        &self,
        workspace: WorkspaceId,
        commitment: &DueCommitment,
        settlement: &CommitmentSettlement,
    ) -> Result<bool, StoreError> {
        let (conversation, at) = (commitment.conversation, settlement.entry.at);
        let transaction = self.database.transaction().await?;
        let mut guards = transaction.flight();
        guards.add(ended(workspace, commitment, settlement, at));
        let subscribers = match &settlement.event {
            Some(event) => Either::Left(subscribers(&transaction, workspace, [event])),
            None => Either::Right(ready(Ok(Vec::new()))),
        };
        let first = try_join4(
            lock_conversation(&transaction, workspace, conversation),
            guards.counts(),
            open_draft(&transaction, workspace, conversation),
            subscribers,
        );
        let (stamped_at, ended, open, subscribers) = transaction.begin_with(first).await.map_err(failed)?;
        if ended.iter().sum::<usize>() == 0 {
            return Err(StoreError::Stale);
        }
        // A draft proposed since then asks the customer something newer.
        if settlement.next.is_some() && open.is_some() {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(drafts::table)
                .filter(drafts::workspace_id.eq(workspace.uuid()))
                .filter(drafts::id.eq(commitment.draft.uuid()))
                .set(drafts::proposal_sealed.eq(None::<Vec<u8>>)),
        );
        // The delay message is obsolete.
        flight.add(
            diesel::delete(prepared_replies::table)
                .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
                .filter(prepared_replies::id.eq(commitment.delay_message().uuid())),
        );
        let mut pending = None;
        if let Some(event) = &settlement.event {
            let created_at = stamp_after(stamped_at.flatten(), event.created_at);
            let event = Event { created_at, ..event.clone() };
            pending = Some(self.database.deliveries(workspace, &subscribers, [&event])?);
            stamp(&mut flight, workspace, conversation, created_at);
        }
        if let Some(pending) = &pending {
            enqueue(&mut flight, workspace, pending);
        }
        if let Some(receipt) = &settlement.receipt {
            self.database.add_prepared(&mut flight, workspace, receipt, at)?;
        }
        if let Some(next) = &settlement.next {
            self.add_next(&mut flight, workspace, next)?;
        }
        audit(&mut flight, workspace, &settlement.entry);
        tell_of(&mut flight, workspace, conversation);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    fn add_next(
        &self,
        flight: &mut Flight<'_>,
        workspace: WorkspaceId,
        next: &NewDraft,
    ) -> Result<(), StoreError> {
        let sealed = self.seal_proposal(workspace, &next.draft)?;
        let rows = [next];
        flight.insert(draft_row(workspace, &rows, &sealed));
        self.database.add_prepared(flight, workspace, &next.summary, next.draft.created_at)?;
        audit(flight, workspace, &next.entry);
        Ok(())
    }
}

/// Ends the commitment, unless another attempt has begun since or has ended it.
fn ended(
    workspace: WorkspaceId,
    commitment: &DueCommitment,
    settlement: &CommitmentSettlement,
    at: OffsetDateTime,
) -> impl QueryFragment<Pg> + QueryId + Send {
    diesel::update(commitments::table)
        .filter(commitments::workspace_id.eq(workspace.uuid()))
        .filter(commitments::id.eq(commitment.id.uuid()))
        .filter(commitments::attempts.eq(i32::try_from(settlement.attempt).unwrap_or(i32::MAX)))
        .filter(commitments::due_at.is_not_null())
        .set((
            commitments::state.eq(settlement.state.as_str()),
            commitments::due_at.eq(None::<OffsetDateTime>),
            commitments::settled_at.eq(at),
        ))
}

async fn open_draft(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    conversation: ConversationId,
) -> QueryResult<Option<uuid::Uuid>> {
    drafts::table
        .filter(drafts::workspace_id.eq(workspace.uuid()))
        .filter(drafts::conversation_id.eq(conversation.uuid()))
        .filter(drafts::state.eq("open"))
        .select(drafts::id)
        .get_result(&mut connection)
        .await
        .optional()
}
