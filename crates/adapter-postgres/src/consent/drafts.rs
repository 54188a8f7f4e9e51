//! Making, listing and withdrawing drafts.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, OptionalExtension,
    QueryDsl, SelectableHelper,
    dsl::{exists, not},
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    consent::{
        CommitmentState, Draft, DraftKind, DraftState,
        ports::{
            AnswerSettled, AnsweredDraft, CommitmentRecord, DraftHolder, DraftRecord, DraftStore, NewDraft,
            Question,
        },
    },
    errors::StoreError,
    ids::{ConversationId, DraftId, MemberId, WorkspaceId},
    lease::LEASE,
    live::LiveKind,
    messages::{PreparedReply, ReplyAuthor},
};
use futures_util::future::try_join4;
use time::OffsetDateTime;

use super::{
    PgConsent,
    closed::Closed,
    row::{DraftRow, question_of},
};
use crate::{
    assistant::holds,
    audit::audit,
    conversations::lock_conversation,
    error::{failed, unreadable},
    live::tell,
    prepared_replies::PreparedRow,
    schema::{commitments, drafts, prepared_replies},
    sql::{Insert, RunQueryDsl, insert},
    transaction::Flight,
};

/// Columns of a draft in the list: id, kind, state, summary, author, times, and the question with its time.
type ListedDraft = (
    uuid::Uuid,
    String,
    String,
    uuid::Uuid,
    Option<uuid::Uuid>,
    OffsetDateTime,
    OffsetDateTime,
    Option<uuid::Uuid>,
    Option<OffsetDateTime>,
);
/// Columns of its commitment: id, state, confirming message and times.
type ListedCommitment = (uuid::Uuid, String, uuid::Uuid, OffsetDateTime, Option<OffsetDateTime>);

/// Replaces the conversation's open draft, and removes its summary if that was not sent yet.
pub(super) fn replace_open(flight: &mut Flight<'_>, workspace: WorkspaceId, conversation: ConversationId) {
    flight.add(
        diesel::update(drafts::table)
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::conversation_id.eq(conversation.uuid()))
            .filter(drafts::state.eq("open"))
            .set(Closed::to(DraftState::Replaced)),
    );
    flight.add(
        diesel::delete(prepared_replies::table)
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::conversation_id.eq(conversation.uuid()))
            .filter(prepared_replies::summary_of.is_not_null()),
    );
}

pub(super) fn tell_of(flight: &mut Flight<'_>, workspace: WorkspaceId, conversation: ConversationId) {
    tell(flight, workspace, LiveKind::ConversationChanged, &[(Some(conversation), None)]);
}

pub(super) fn draft_row<'a>(
    workspace: WorkspaceId,
    rows: &'a [&'a NewDraft],
    sealed: &[u8],
) -> Insert<'a, drafts::table, &'a NewDraft> {
    insert(drafts::table, workspace, rows)
        .column(drafts::id, |new| new.draft.id.uuid())
        .column(drafts::conversation_id, |new| new.draft.conversation.uuid())
        .column(drafts::kind, |new| new.draft.proposal.kind().as_str())
        .column(drafts::state, |_| DraftState::Open.as_str())
        .column(drafts::language, |new| new.draft.language.as_str())
        .column(drafts::proposal_sealed, |_| Some(sealed.to_vec()))
        .column(drafts::summary_id, |new| new.draft.summary.uuid())
        .column(drafts::author_id, |new| new.draft.author.member().map(MemberId::uuid))
        .column(drafts::system_id, |new| new.draft.system.uuid())
        .column(drafts::key_hash, |new| new.key.map(|key| key.key_hash.to_vec()))
        .column(drafts::request_hash, |new| new.key.map(|key| key.request_hash.to_vec()))
        .column(drafts::answer_due_at, |new| Some(new.draft.expires_at))
        .column(drafts::read_until, |new| new.draft.created_at)
        .column(drafts::only_button, |_| false)
        .column(drafts::created_at, |new| new.draft.created_at)
        .column(drafts::expires_at, |new| new.draft.expires_at)
        .column(drafts::tried, |new| new.draft.tried)
}

#[async_trait]
impl DraftStore for PgConsent {
    async fn propose(
        &self,
        workspace: WorkspaceId,
        new: &NewDraft,
    ) -> Result<Option<DraftHolder>, StoreError> {
        let sealed = self.seal_proposal(workspace, &new.draft)?;
        let (rows, conversation) = ([new], new.draft.conversation);
        let transaction = self.database.transaction().await?;
        let mut replaced = transaction.flight();
        replace_open(&mut replaced, workspace, conversation);
        let written = draft_row(workspace, &rows, &sealed).on_conflict_do_nothing().returning(drafts::id);
        let mut connection: &AsyncPgConnection = &transaction;
        let unpassed = async {
            let Some(fence) = new.summary.fence else { return Ok(true) };
            holds(&transaction, workspace, fence).await
        };
        let first = try_join4(
            lock_conversation(&transaction, workspace, conversation),
            unpassed,
            replaced.counts(),
            written.load::<uuid::Uuid>(&mut connection),
        );
        let (conversation_row, unpassed, _, written) = transaction.begin_with(first).await.map_err(failed)?;
        if conversation_row.is_none() || !unpassed {
            return Err(StoreError::Stale);
        }
        if written.is_empty() {
            drop(transaction);
            let Some(key) = new.key else { return Err(StoreError::Stale) };
            return self.holder(workspace, key.key_hash).await?.ok_or(StoreError::Stale).map(Some);
        }
        let mut flight = transaction.flight();
        self.database.add_prepared(&mut flight, workspace, &new.summary, new.draft.created_at + LEASE)?;
        audit(&mut flight, workspace, &new.entry);
        tell_of(&mut flight, workspace, conversation);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(None)
    }

    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<DraftHolder>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(uuid::Uuid, Option<Vec<u8>>)> = drafts::table
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::key_hash.eq(key_hash.to_vec()))
            .select((drafts::id, drafts::request_hash))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, request_hash)) = row else { return Ok(None) };
        let request_hash = request_hash.and_then(|hash| <[u8; 32]>::try_from(hash).ok());
        let request_hash = request_hash.ok_or_else(|| unreadable("hash of a request"))?;
        Ok(Some(DraftHolder { request_hash, id: id.into() }))
    }

    async fn unsent_summary(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
    ) -> Result<Option<PreparedReply>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<PreparedRow> = prepared_replies::table
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::summary_of.eq(draft.uuid()))
            .select(PreparedRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(|row| self.database.open_prepared(workspace, &row)).transpose()
    }

    async fn drafts(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        limit: u8,
    ) -> Result<Vec<DraftRecord>, StoreError> {
        let of_draft =
            commitments::workspace_id.eq(workspace.uuid()).and(commitments::draft_id.eq(drafts::id));
        let commitment = (
            commitments::id,
            commitments::state,
            commitments::confirmed_by,
            commitments::confirmed_at,
            commitments::settled_at,
        );
        let mut connection = self.database.connection().await?;
        let rows: Vec<(ListedDraft, Option<ListedCommitment>)> = drafts::table
            .left_join(commitments::table.on(of_draft))
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::conversation_id.eq(conversation.uuid()))
            .order((drafts::created_at.desc(), drafts::id.desc()))
            .limit(limit.into())
            .select((
                (
                    drafts::id,
                    drafts::kind,
                    drafts::state,
                    drafts::summary_id,
                    drafts::author_id,
                    drafts::created_at,
                    drafts::expires_at,
                    drafts::question_id,
                    drafts::asked_at,
                ),
                commitment.nullable(),
            ))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(listed).collect()
    }

    async fn open_draft(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Draft>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<DraftRow> = drafts::table
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::conversation_id.eq(conversation.uuid()))
            .filter(drafts::state.eq("open"))
            .select(DraftRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(|row| self.read_draft(workspace, &row)).transpose()
    }

    async fn repeat_question(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
        question: Question,
    ) -> Result<bool, StoreError> {
        let unsent = prepared_replies::table
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::summary_of.eq(draft.uuid()))
            .select(prepared_replies::id);
        let mut connection = self.database.connection().await?;
        let put = diesel::update(drafts::table)
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::id.eq(draft.uuid()))
            .filter(drafts::state.eq("open"))
            // Nothing of the customer's waits to be read: else it would be due before the draft's end.
            .filter(drafts::answer_due_at.assume_not_null().ge(drafts::expires_at))
            .filter(not(exists(unsent)))
            .set((
                drafts::question_id.eq(question.message.uuid()),
                drafts::asked_at.eq(question.at),
                drafts::only_button.eq(false),
            ))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(put == 1)
    }

    async fn withdraw(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        draft: DraftId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut guards = transaction.flight();
        guards.add(
            diesel::update(drafts::table)
                .filter(drafts::workspace_id.eq(workspace.uuid()))
                .filter(drafts::id.eq(draft.uuid()))
                .filter(drafts::conversation_id.eq(conversation.uuid()))
                .filter(drafts::state.eq("open"))
                .set(Closed::to(DraftState::Withdrawn)),
        );
        let withdrawn = transaction.begin_with(guards.counts()).await.map_err(failed)?;
        if withdrawn.iter().sum::<usize>() == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.add(
            diesel::delete(prepared_replies::table)
                .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
                .filter(prepared_replies::summary_of.eq(draft.uuid())),
        );
        audit(&mut flight, workspace, entry);
        tell_of(&mut flight, workspace, conversation);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn workspaces_with_answers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.find_workspaces_with_answers(now).await
    }

    async fn claim_answer(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AnsweredDraft>, StoreError> {
        self.take_answer(workspace, now, lease_until).await
    }

    async fn settle_answer(
        &self,
        workspace: WorkspaceId,
        answered: &AnsweredDraft,
        settled: &AnswerSettled,
    ) -> Result<(), StoreError> {
        self.write_answer(workspace, answered, settled).await
    }
}

fn listed(
    ((id, kind, state, summary, author, created_at, expires_at, question, asked_at), commitment): (
        ListedDraft,
        Option<ListedCommitment>,
    ),
) -> Result<DraftRecord, StoreError> {
    let commitment = commitment.map(|(id, state, confirmed_by, confirmed_at, settled_at)| {
        let state = CommitmentState::read(&state).ok_or_else(|| unreadable("state of a commitment"))?;
        let (id, confirmed_by) = (id.into(), confirmed_by.into());
        Ok(CommitmentRecord { id, state, confirmed_by, confirmed_at, settled_at })
    });
    Ok(DraftRecord {
        id: id.into(),
        kind: DraftKind::read(&kind).ok_or_else(|| unreadable("kind of a draft"))?,
        state: DraftState::read(&state).ok_or_else(|| unreadable("state of a draft"))?,
        summary: summary.into(),
        question: question_of(question, asked_at, (summary, created_at)),
        author: ReplyAuthor::of(author.map(Into::into)),
        created_at,
        expires_at,
        commitment: commitment.transpose()?,
    })
}
