//! Customers' answers to open drafts.

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper, dsl::exists};
use domain::{
    consent::{
        BURST_GAP, CommitmentState, LONGEST_BURST,
        ports::{AnswerSettled, AnsweredDraft, AskedAgain, NewCommitment},
    },
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};
use time::OffsetDateTime;

use super::{PgConsent, closed::Closed, drafts::tell_of, row::DraftRow};
use crate::{
    assistant::answered_turn,
    error::failed,
    schema::{commitments, drafts, prepared_replies, workspaces},
    sql::{RunQueryDsl, first_and_last, insert, update},
    transaction::Flight,
};

pub(crate) struct CustomerWrote {
    pub(crate) conversation: ConversationId,
    pub(crate) at: OffsetDateTime,
}

/// Schedules the reading of the answers in these conversations for the end of the customer's burst. A
/// conversation without an open draft has none.
pub(crate) fn customers_wrote(flight: &mut Flight<'_>, workspace: WorkspaceId, wrote: &[CustomerWrote]) {
    let Some(range) = first_and_last(wrote.iter().map(|wrote| wrote.conversation.uuid())) else { return };
    flight.update(
        update(drafts::table, workspace, wrote)
            .within(drafts::conversation_id, range)
            .key(drafts::conversation_id, |wrote| wrote.conversation.uuid())
            .set_to(
                drafts::answer_due_at,
                |wrote| Some(wrote.at + BURST_GAP),
                "LEAST(new.answer_due_at, coalesce(drafts.answer_by, new.answer_by))",
            )
            .set_to(
                drafts::answer_by,
                |wrote| Some(wrote.at + LONGEST_BURST),
                "coalesce(drafts.answer_by, new.answer_by)",
            )
            .when("drafts.state = 'open'"),
    );
}

impl PgConsent {
    pub(super) async fn find_workspaces_with_answers(
        &self,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = drafts::table
            .filter(drafts::workspace_id.eq(workspaces::workspace_id))
            .filter(drafts::answer_due_at.le(now))
            .select(drafts::id);
        self.database.workspaces(exists(due)).await
    }

    pub(super) async fn take_answer(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AnsweredDraft>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found: Option<(DraftRow, Option<OffsetDateTime>, OffsetDateTime, bool, i16)> = drafts::table
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::answer_due_at.le(now))
            .order(drafts::answer_due_at)
            .limit(1)
            .select((
                DraftRow::as_select(),
                drafts::answer_due_at,
                drafts::read_until,
                drafts::only_button,
                drafts::sent_again,
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((row, due_at, read_until, only_button, sent_again)) = found else { return Ok(None) };
        let taken = diesel::update(drafts::table)
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::id.eq(row.id))
            .filter(drafts::answer_due_at.eq(due_at))
            .set((drafts::answer_due_at.eq(lease_until), drafts::answer_by.eq(None::<OffsetDateTime>)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        if taken == 0 {
            return Ok(None);
        }
        let draft = self.read_draft(workspace, &row)?;
        let (question, sent_again) = (row.question(), u8::try_from(sent_again).unwrap_or(u8::MAX));
        Ok(Some(AnsweredDraft { draft, read_until, only_button, question, sent_again, lease_until }))
    }

    pub(super) async fn write_answer(
        &self,
        workspace: WorkspaceId,
        answered: &AnsweredDraft,
        settled: &AnswerSettled,
    ) -> Result<(), StoreError> {
        let draft = &answered.draft;
        // Only if the customer has not written since, and nobody else has claimed or closed it.
        let as_claimed = drafts::table
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::id.eq(draft.id.uuid()))
            .filter(drafts::answer_due_at.eq(answered.lease_until))
            .filter(drafts::state.eq("open"));
        let transaction = self.database.transaction().await?;
        let mut guards = transaction.flight();
        match settled {
            AnswerSettled::Confirmed(_) => {
                guards.add(diesel::update(as_claimed).set((
                    drafts::state.eq("confirmed"),
                    drafts::answer_due_at.eq(None::<OffsetDateTime>),
                    drafts::answer_by.eq(None::<OffsetDateTime>),
                )));
            }
            AnswerSettled::Ended(state) => guards.add(diesel::update(as_claimed).set(Closed::to(*state))),
            AnswerSettled::Heard(until) => {
                let of_other = answered.only_button || *until > answered.read_until;
                guards.add(diesel::update(as_claimed).set((
                    drafts::read_until.eq(*until),
                    drafts::only_button.eq(of_other),
                    // At its expiry the draft ends, whether the customer writes until then or not.
                    drafts::answer_due_at.eq(draft.expires_at),
                    drafts::answer_by.eq(None::<OffsetDateTime>),
                )));
            }
            AnswerSettled::AskedAgain(AskedAgain { heard_until, at, summary }) => {
                guards.add(diesel::update(as_claimed).set((
                    drafts::read_until.eq(*heard_until),
                    drafts::only_button.eq(false),
                    drafts::question_id.eq(summary.id.uuid()),
                    drafts::asked_at.eq(*at),
                    drafts::sent_again.eq(drafts::sent_again + 1_i16),
                    drafts::answer_due_at.eq(draft.expires_at),
                    drafts::answer_by.eq(None::<OffsetDateTime>),
                )));
            }
        }
        let written = transaction.begin_with(guards.counts()).await.map_err(failed)?;
        if written.iter().sum::<usize>() == 0 {
            return Err(StoreError::Stale);
        }
        let mut flight = transaction.flight();
        match settled {
            AnswerSettled::Confirmed(new) => add_commitment(&mut flight, workspace, answered, new),
            AnswerSettled::AskedAgain(again) => {
                self.database.add_prepared(&mut flight, workspace, &again.summary, again.at)?;
            }
            AnswerSettled::Ended(_) | AnswerSettled::Heard(_) => {}
        }
        if matches!(settled, AnswerSettled::Confirmed(_) | AnswerSettled::AskedAgain(_)) {
            let (made_at, read_until) = (draft.created_at, answered.read_until);
            answered_turn(&mut flight, workspace, draft.conversation, made_at, read_until);
        }
        if matches!(settled, AnswerSettled::Confirmed(_) | AnswerSettled::Ended(_)) {
            // A summary that waits to be sent again asks what is answered.
            flight.add(
                diesel::delete(prepared_replies::table)
                    .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
                    .filter(prepared_replies::summary_of.eq(draft.id.uuid())),
            );
        }
        if !matches!(settled, AnswerSettled::Heard(_)) {
            tell_of(&mut flight, workspace, draft.conversation);
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }
}

fn add_commitment(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    answered: &AnsweredDraft,
    new: &NewCommitment,
) {
    let rows = [new];
    flight.insert(
        insert(commitments::table, workspace, &rows)
            .column(commitments::id, |new| new.id.uuid())
            .column(commitments::draft_id, |_| answered.draft.id.uuid())
            .column(commitments::conversation_id, |_| answered.draft.conversation.uuid())
            .column(commitments::confirmed_by, |new| new.confirmed_by.uuid())
            .column(commitments::creation_key, |new| new.key.as_str())
            .column(commitments::state, |_| CommitmentState::Confirmed.as_str())
            .column(commitments::attempts, |_| 0)
            .column(commitments::due_at, |new| Some(new.at))
            .column(commitments::confirmed_at, |new| new.at),
    );
}
