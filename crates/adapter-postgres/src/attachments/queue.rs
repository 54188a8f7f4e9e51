//! The queue of messages whose events wait for their files.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, QueryDsl,
    dsl::exists,
    sql_types::{BigInt, Timestamptz},
};
use domain::{
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    inbound::files::ports::{AfterFiles, AttachmentQueue, AwaitedMessage, FilesChange, FilesQueue},
    live::LiveKind,
};
use futures_util::future::{try_join, try_join3};
use time::OffsetDateTime;

use super::{
    awaited::{TakenRow, read_awaited},
    outcomes::{Outcome, settle, transcribe},
};
use crate::{
    attachments::PgAttachments,
    error::failed,
    live::tell,
    schema::{attachment_queue, late_files, messages, workspaces},
    sql::{RunQueryDsl, statement},
    webhooks::{enqueue, subscribers},
};

/// Rows are found again by their keys, and only up to the latest due time among them: whichever index the
/// plan chose while the table was empty, no rows behind them are read.
pub(super) const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT message_id, due_at FROM attachment_queue
        WHERE workspace_id = :workspace AND due_at <= :now
        ORDER BY due_at, message_id LIMIT :limit
        FOR UPDATE SKIP LOCKED
    )
    UPDATE attachment_queue queue SET due_at = :lease_until, attempts = attempts + 1
    WHERE queue.workspace_id = :workspace AND queue.message_id = ANY(ARRAY(SELECT message_id FROM due))
      AND queue.due_at <= (SELECT max(due_at) FROM due)
    RETURNING queue.message_id, queue.attempts, queue.recorded_at";

/// [`CLAIM`] for files that are fetched after the event.
pub(super) const CLAIM_LATE: &str = "
    WITH due AS MATERIALIZED (
        SELECT message_id, due_at FROM late_files
        WHERE workspace_id = :workspace AND due_at <= :now
        ORDER BY due_at, message_id LIMIT :limit
        FOR UPDATE SKIP LOCKED
    )
    UPDATE late_files queue SET due_at = :lease_until, attempts = attempts + 1
    WHERE queue.workspace_id = :workspace AND queue.message_id = ANY(ARRAY(SELECT message_id FROM due))
      AND queue.due_at <= (SELECT max(due_at) FROM due)
    RETURNING queue.message_id, queue.attempts, queue.recorded_at";

#[async_trait]
impl AttachmentQueue for PgAttachments {
    async fn workspaces_with_files(
        &self,
        queue: FilesQueue,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up in the index for each workspace, however much is due.
        match queue {
            FilesQueue::ToBeTold => {
                let due = attachment_queue::table
                    .filter(attachment_queue::workspace_id.eq(workspaces::workspace_id))
                    .filter(attachment_queue::due_at.le(now));
                self.database.workspaces(exists(due)).await
            }
            FilesQueue::Late => {
                let due = late_files::table
                    .filter(late_files::workspace_id.eq(workspaces::workspace_id))
                    .filter(late_files::due_at.le(now));
                self.database.workspaces(exists(due)).await
            }
        }
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        queue: FilesQueue,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<AwaitedMessage>, StoreError> {
        let text = match queue {
            FilesQueue::ToBeTold => CLAIM,
            FilesQueue::Late => CLAIM_LATE,
        };
        let mut connection = self.database.connection().await?;
        let taken: Vec<TakenRow> = statement(text)
            .of(workspace)
            .bind::<Timestamptz, _>("now", now)
            .bind::<Timestamptz, _>("lease_until", lease_until)
            .bind::<BigInt, _>("limit", i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let ids: Vec<uuid::Uuid> = taken.iter().map(|taken| taken.message_id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let awaited = read_awaited(&connection, workspace, &ids).await.map_err(failed)?;
        Ok(self.awaited(queue, workspace, taken, awaited))
    }

    async fn commit(&self, workspace: WorkspaceId, change: &FilesChange) -> Result<(), StoreError> {
        let message = change.message;
        let key = (workspace.uuid(), message.uuid());
        let outcomes = change.outcomes.iter().map(Outcome::of).collect::<Result<Vec<_>, _>>()?;
        let transaction = self.database.transaction().await?;
        let conversation = messages::table
            .find(key)
            .select(messages::conversation_id)
            .load::<uuid::Uuid>(&mut &*transaction);
        match &change.next {
            AfterFiles::TryAt(due_at) => {
                let moved = diesel::update(attachment_queue::table.find(key))
                    .set(attachment_queue::due_at.eq(*due_at))
                    .execute(&mut &*transaction);
                if transaction.begin_with(moved).await.map_err(failed)? == 0 {
                    return Err(StoreError::Stale);
                }
                let mut flight = transaction.flight();
                settle(&mut flight, workspace, message, &outcomes);
                transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
            }
            AfterFiles::Late { transcription, next_try } => {
                let first = if let Some(due_at) = next_try {
                    let moved = diesel::update(late_files::table.find(key))
                        .set(late_files::due_at.eq(*due_at))
                        .execute(&mut &*transaction);
                    transaction.begin_with(try_join(moved, conversation)).await
                } else {
                    let ended = diesel::delete(late_files::table.find(key)).execute(&mut &*transaction);
                    transaction.begin_with(try_join(ended, conversation)).await
                };
                let (waited, conversation) = first.map_err(failed)?;
                if waited == 0 {
                    return Err(StoreError::Stale);
                }
                let mut flight = transaction.flight();
                settle(&mut flight, workspace, message, &outcomes);
                transcribe(&mut flight, workspace, message, transcription.as_deref());
                // Browsers that show the message learn that a file has come.
                if outcomes.iter().any(Outcome::is_stored) {
                    let about = conversation.into_iter().map(|id| (Some(id.into()), Some(message)));
                    let about: Vec<_> = about.collect();
                    tell(&mut flight, workspace, LiveKind::MessageChanged, &about);
                }
                transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
            }
            AfterFiles::Announce { transcription, event, late_try } => {
                let waited = diesel::delete(attachment_queue::table.find(key))
                    .returning(attachment_queue::recorded_at)
                    .load::<OffsetDateTime>(&mut &*transaction);
                let subscribers = subscribers(&transaction, workspace, [&**event]);
                let first = transaction.begin_with(try_join3(waited, conversation, subscribers)).await;
                let (waited, conversation, subscribers) = first.map_err(failed)?;
                let Some(recorded_at) = waited.into_iter().next() else { return Err(StoreError::Stale) };
                let pending = self.database.deliveries(workspace, &subscribers, [&**event])?;
                let mut flight = transaction.flight();
                if let Some(due_at) = late_try {
                    flight.add(diesel::insert_into(late_files::table).values((
                        late_files::workspace_id.eq(workspace.uuid()),
                        late_files::message_id.eq(message.uuid()),
                        late_files::recorded_at.eq(recorded_at),
                        late_files::due_at.eq(*due_at),
                    )));
                }
                settle(&mut flight, workspace, message, &outcomes);
                transcribe(&mut flight, workspace, message, transcription.as_deref());
                let about: Vec<(Option<ConversationId>, _)> =
                    conversation.into_iter().map(|id| (Some(id.into()), Some(message))).collect();
                tell(&mut flight, workspace, LiveKind::MessageChanged, &about);
                enqueue(&mut flight, workspace, &pending);
                transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
            }
        }
    }
}
