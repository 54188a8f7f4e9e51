//! Turns that are due.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, IntoSql, JoinOnDsl, NullableExpressionMethods,
    OptionalExtension, QueryDsl,
    dsl::{case_when, exists, not},
    sql_types::{Interval, Nullable},
};
use domain::{
    assistant::{DueTurn, HandOverReason, TurnRecord, TurnResult, Words, ports::TurnStore},
    consent::LONGEST_BURST,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
};
use futures_util::future::try_join;
use time::{Date, OffsetDateTime};

use super::PgAssistants;
use crate::{
    error::{failed, unreadable},
    schema::{
        assistant_turn_log, assistant_turns, assistant_usage, automation_triggers, conversations, drafts,
        messages, sends, workspaces,
    },
    sql::{RunQueryDsl, clock_at, insert, interval, moment_of},
    transaction::Flight,
};

const UTC: &str = "UTC";

/// Conversation, due time, waiting since, number of messages heard, answer under way and its deadline, when a
/// person last spoke, notices, day, and turns of that day.
type TurnRow = (
    uuid::Uuid,
    Option<OffsetDateTime>,
    Option<OffsetDateTime>,
    i64,
    Option<uuid::Uuid>,
    Option<OffsetDateTime>,
    Option<OffsetDateTime>,
    Notices,
    Date,
    i32,
);

/// Messages that told the customer to wait, of the hand-over, and once more of it.
type Notices = (Option<uuid::Uuid>, Option<uuid::Uuid>, Option<uuid::Uuid>);

#[async_trait]
impl TurnStore for PgAssistants {
    async fn workspaces_with_turns(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = assistant_turns::table
            .filter(assistant_turns::workspace_id.eq(workspaces::workspace_id))
            .filter(assistant_turns::due_at.le(now))
            .select(assistant_turns::conversation_id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim_turn(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError> {
        self.claim(workspace, now, None, lease_until).await
    }

    async fn claim_overdue_turn(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        waiting_since: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError> {
        self.claim(workspace, now, Some(waiting_since), lease_until).await
    }

    async fn count_turn(&self, workspace: WorkspaceId, turn: &DueTurn, day: Date) -> Result<(), StoreError> {
        let counted = case_when(assistant_turns::day.eq(day), assistant_turns::turns + 1).otherwise(1);
        let mut connection = self.database.connection().await?;
        diesel::update(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(turn.conversation.uuid()))
            .set((assistant_turns::day.eq(day), assistant_turns::turns.eq(counted)))
            .execute(&mut connection)
            .await
            .map(drop)
            .map_err(failed)
    }

    async fn tell_to_wait(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        message: MessageId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        // The conversation first, as recording a message does.
        let noted = diesel::update(conversations::table)
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(turn.conversation.uuid()))
            .set(conversations::wait_message_id.eq(message.uuid()));
        let untold = assistant_turns::told_to_wait_at
            .is_null()
            .or(assistant_turns::told_to_wait_at.lt(assistant_turns::waiting_since));
        let told = diesel::update(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(turn.conversation.uuid()))
            .filter(assistant_turns::heard.eq(turn.heard))
            .filter(assistant_turns::due_at.is_not_null())
            .filter(assistant_turns::sending_id.is_null())
            .filter(untold)
            .set((
                assistant_turns::wait_message_id.eq(message.uuid()),
                assistant_turns::told_to_wait_at.eq(at),
            ));
        let (mut noting, mut telling) = (&*transaction, &*transaction);
        let both = try_join(noted.execute(&mut noting), told.execute(&mut telling));
        let (_, told) = transaction.begin_with(both).await.map_err(failed)?;
        if told == 0 {
            return Ok(false);
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn renew_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let renewed = diesel::update(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(turn.conversation.uuid()))
            .filter(assistant_turns::heard.eq(turn.heard))
            .filter(assistant_turns::due_at.is_not_null())
            .set(assistant_turns::due_at.eq(lease_until))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(renewed == 1)
    }

    async fn is_held_up(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<bool, StoreError> {
        let connection = self.database.connection().await?;
        let message =
            messages::workspace_id.eq(workspace.uuid()).and(messages::id.eq(automation_triggers::message_id));
        let mut trigger_connection = &*connection;
        let rules = diesel::select(exists(
            automation_triggers::table
                .inner_join(messages::table.on(message))
                .filter(automation_triggers::workspace_id.eq(workspace.uuid()))
                .filter(messages::conversation_id.eq(conversation.uuid()))
                .select(automation_triggers::message_id),
        ))
        .get_result::<bool>(&mut trigger_connection);
        let mut draft_connection = &*connection;
        let answers = diesel::select(exists(
            drafts::table
                .filter(drafts::workspace_id.eq(workspace.uuid()))
                .filter(drafts::conversation_id.eq(conversation.uuid()))
                .filter(drafts::state.eq("open"))
                .filter(drafts::answer_due_at.assume_not_null().lt(drafts::expires_at))
                .select(drafts::id),
        ))
        .get_result::<bool>(&mut draft_connection);
        let (rules, answers) = try_join(rules, answers).await.map_err(failed)?;
        Ok(rules || answers)
    }

    async fn stands(&self, workspace: WorkspaceId, turn: &DueTurn) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let standing: Vec<uuid::Uuid> = assistant_turns::table
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(turn.conversation.uuid()))
            .filter(assistant_turns::heard.eq(turn.heard))
            .filter(assistant_turns::due_at.is_not_null())
            .select(assistant_turns::conversation_id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(!standing.is_empty())
    }

    async fn postpone_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let of_turn = || {
            assistant_turns::table
                .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
                .filter(assistant_turns::conversation_id.eq(turn.conversation.uuid()))
                .filter(assistant_turns::heard.eq(turn.heard))
                .filter(assistant_turns::due_at.is_not_null())
        };
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.add(diesel::update(of_turn()).set(assistant_turns::due_at.eq(at)));
        if turn.sending.is_none() {
            // This turn's refused answer no longer exists; another's, begun after the claim, does.
            let begun = sends::table
                .filter(sends::workspace_id.eq(workspace.uuid()))
                .filter(sends::id.nullable().eq(assistant_turns::sending_id))
                .select(sends::id);
            flight.add(diesel::update(of_turn().filter(not(exists(begun)))).set((
                assistant_turns::sending_id.eq(None::<uuid::Uuid>),
                assistant_turns::sending_until.eq(None::<OffsetDateTime>),
            )));
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn finish_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        record: Option<TurnRecord>,
    ) -> Result<(), StoreError> {
        let of_conversation = assistant_turns::table
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(turn.conversation.uuid()));
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        let dropped = record.as_ref().filter(|record| record.result == TurnResult::Dropped);
        let ended = record.as_ref().filter(|record| record.result != TurnResult::Dropped);
        let unheard = of_conversation.filter(assistant_turns::heard.eq(turn.heard));
        // A turn claimed with an answer under way has heard later messages, which that does not cover.
        let said_since = unheard.filter(assistant_turns::answer_by.is_not_null());
        let ends_anothers = ended.filter(|_| turn.sending.is_some());
        if let Some(dropped) = dropped {
            // Nobody has spoken, so somebody has moved the conversation: look again whose it is. A turn that
            // another has ended meanwhile stays ended.
            let waits = unheard.filter(assistant_turns::due_at.is_not_null());
            flight.add(diesel::update(waits).set(assistant_turns::due_at.eq(dropped.at)));
        } else if ends_anothers.is_some() {
            let answered = unheard.filter(assistant_turns::answer_by.is_null());
            flight.add(diesel::update(answered).set((
                assistant_turns::due_at.eq(None::<OffsetDateTime>),
                assistant_turns::waiting_since.eq(None::<OffsetDateTime>),
            )));
        } else {
            flight.add(diesel::update(unheard).set((
                assistant_turns::due_at.eq(None::<OffsetDateTime>),
                assistant_turns::answer_by.eq(None::<OffsetDateTime>),
                assistant_turns::waiting_since.eq(None::<OffsetDateTime>),
            )));
        }
        if ended.is_some() {
            // The answer does not cover the burst said while it was under way, whose start its end tells.
            let began = || {
                let burst = interval(LONGEST_BURST.as_micros()).into_sql::<Nullable<Interval>>();
                moment_of(UTC, clock_at(UTC, assistant_turns::answer_by) - burst)
            };
            if let Some(record) = ends_anothers {
                flight.add(diesel::update(said_since).set((
                    assistant_turns::due_at.eq(record.at),
                    assistant_turns::waiting_since.eq(began()),
                )));
            }
            flight.add(
                diesel::update(of_conversation.filter(assistant_turns::heard.ne(turn.heard)))
                    .set(assistant_turns::waiting_since.eq(began())),
            );
            flight.add(diesel::update(of_conversation).set((
                assistant_turns::sending_id.eq(None::<uuid::Uuid>),
                assistant_turns::sending_until.eq(None::<OffsetDateTime>),
            )));
        }
        if let Some(record) = &record {
            log_turn(&mut flight, workspace, record);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}

impl PgAssistants {
    /// Claims a due turn; given `waiting_since`, only one whose customer has waited since before that.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        waiting_since: Option<OffsetDateTime>,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError> {
        let mut connection = self.database.connection().await?;
        let conversation = conversations::workspace_id
            .eq(workspace.uuid())
            .and(conversations::id.eq(assistant_turns::conversation_id));
        let mut due = assistant_turns::table
            .inner_join(conversations::table.on(conversation))
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::due_at.le(now))
            .order(assistant_turns::due_at)
            .limit(1)
            .select((
                assistant_turns::conversation_id,
                assistant_turns::due_at,
                assistant_turns::waiting_since,
                assistant_turns::heard,
                assistant_turns::sending_id,
                assistant_turns::sending_until,
                assistant_turns::person_spoke_at,
                (
                    assistant_turns::wait_message_id,
                    conversations::hand_over_message_id,
                    conversations::more_message_id,
                ),
                assistant_turns::day,
                assistant_turns::turns,
            ))
            .into_boxed();
        if let Some(waiting_since) = waiting_since {
            due = due.filter(assistant_turns::waiting_since.lt(waiting_since));
        }
        let found: Option<TurnRow> = due.get_result(&mut connection).await.optional().map_err(failed)?;
        let Some(found) = found else { return Ok(None) };
        let (conversation, due_at, waiting_since, heard, sending, sending_until, spoke, notices, day, turns) =
            found;
        let (wait, hand_over, more) = notices;
        let turns = if day == now.date() { turns } else { 0 };
        let as_found = assistant_turns::table
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(conversation))
            .filter(assistant_turns::due_at.eq(due_at))
            .filter(assistant_turns::heard.eq(heard));
        let until = assistant_turns::due_at.eq(lease_until);
        let claimed = if sending.is_some() {
            // Keeps `answer_by`, from which the start of the burst said meanwhile is computed later.
            diesel::update(as_found).set(until).execute(&mut connection).await
        } else {
            let read = assistant_turns::answer_by.eq(None::<OffsetDateTime>);
            diesel::update(as_found).set((until, read)).execute(&mut connection).await
        };
        if claimed.map_err(failed)? == 0 {
            return Ok(None);
        }
        Ok(Some(DueTurn {
            conversation: conversation.into(),
            heard,
            waiting_since: waiting_since.unwrap_or(now),
            sending: sending.map(Into::into).zip(sending_until),
            person_spoke_at: spoke,
            notices: [wait, hand_over, more].into_iter().flatten().map(Into::into).collect(),
            turns_of_day: u32::try_from(turns).map_err(|_| unreadable("turns of a day"))?,
            lease_until,
        }))
    }
}

fn log_turn(flight: &mut Flight<'_>, workspace: WorkspaceId, record: &TurnRecord) {
    let rows = [record];
    flight.insert(
        insert(assistant_turn_log::table, workspace, &rows)
            .column(assistant_turn_log::id, |record| record.id.uuid())
            .column(assistant_turn_log::conversation_id, |record| record.conversation.uuid())
            .column(assistant_turn_log::outcome, |record| record.result.as_str())
            .column(assistant_turn_log::reason, |record| record.result.reason().map(HandOverReason::as_str))
            .list(assistant_turn_log::tools, |record| {
                record.tools.iter().map(|tool| (*tool).to_owned()).collect()
            })
            .list(assistant_turn_log::acts, |record| record.acts.clone())
            .list(assistant_turn_log::evidence, |record| record.evidence.clone())
            .column(assistant_turn_log::words, |record| record.words.map(Words::as_str))
            .column(assistant_turn_log::objection, |record| record.objection.clone())
            .column(assistant_turn_log::read_tokens, |record| signed(record.usage.read_tokens))
            .column(assistant_turn_log::written_tokens, |record| signed(record.usage.written_tokens))
            .column(assistant_turn_log::milliseconds, |record| {
                i64::try_from(record.took.as_millis()).unwrap_or(i64::MAX)
            })
            .column(assistant_turn_log::created_at, |record| record.at),
    );
    let is = |record: &&TurnRecord, results: fn(TurnResult) -> bool| i64::from(results(record.result));
    flight.insert(
        insert(assistant_usage::table, workspace, &rows)
            .column(assistant_usage::day, |record| record.at.date())
            .column(assistant_usage::turns, |_| 1_i64)
            .column(assistant_usage::answered, |record| {
                is(record, |result| matches!(result, TurnResult::Answered | TurnResult::Proposed))
            })
            .column(assistant_usage::handed_over, |record| {
                is(record, |result| matches!(result, TurnResult::HandedOver(_)))
            })
            .column(assistant_usage::read_tokens, |_| 0_i64)
            .column(assistant_usage::written_tokens, |_| 0_i64)
            .column(assistant_usage::reserved_tokens, |_| 0_i64)
            .on_conflict((assistant_usage::day,))
            .add_excluded(assistant_usage::turns)
            .add_excluded(assistant_usage::answered)
            .add_excluded(assistant_usage::handed_over),
    );
}

/// Converts a count; one out of range becomes the largest value.
pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
