//! Notes of who spoke in the assistant's conversations, written in the transactions of others.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult,
    sql_types::{Array, Interval, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    consent::{BURST_GAP, LONGEST_BURST},
    conversation::ConversationStatus,
    fence::Fence,
    ids::{ConversationId, MessageId, WorkspaceId},
};
use futures_util::future::try_join;
use time::{Duration, OffsetDateTime};

use crate::{
    schema::{assistant_turns, assistants, conversations},
    sql::{RunQueryDsl, Statement, interval, statement},
    transaction::Flight,
};

/// Time limit of an answer, from its beginning until it is recorded.
const SENDING: Duration = Duration::seconds(60);

/// A customer's burst ends `:gap` after its last message, at most `:longest` after the first; as for drafts.
pub(super) const CUSTOMERS_WAITED: &str = "
    INSERT INTO assistant_turns (workspace_id, conversation_id, due_at, answer_by, waiting_since, heard, day, turns)
    SELECT assistant.workspace_id, spoken.conversation_id, spoken.at + :gap, spoken.at + :longest, spoken.at, 1,
           (spoken.at AT TIME ZONE 'UTC')::date, 0
    FROM assistants assistant
    CROSS JOIN unnest(:conversations, :ats) AS spoken (conversation_id, at)
    JOIN conversations conversation ON conversation.workspace_id = :workspace AND conversation.id = spoken.conversation_id
    WHERE assistant.workspace_id = :workspace AND assistant.mode <> 'off' AND conversation.status = 'bot'
    ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET
        heard = assistant_turns.heard + 1,
        answer_by = coalesce(assistant_turns.answer_by, excluded.answer_by),
        due_at = LEAST(excluded.due_at, coalesce(assistant_turns.answer_by, excluded.answer_by)),
        waiting_since = coalesce(assistant_turns.waiting_since, excluded.waiting_since)";

/// Makes customers due who write on after a hand-over and were told nothing more since.
pub(super) const CUSTOMERS_WAIT_ON: &str = "
    UPDATE assistant_turns turn SET waits_on_at = spoken.at
    FROM unnest(:conversations, :ats) AS spoken (conversation_id, at)
    JOIN conversations conversation ON conversation.workspace_id = :workspace AND conversation.id = spoken.conversation_id
    WHERE turn.workspace_id = :workspace AND turn.conversation_id = spoken.conversation_id
      AND conversation.status = 'open' AND conversation.handed_over_at IS NOT NULL
      AND conversation.more_message_id IS NULL";

/// Clears what is due: no customer waits for the assistant where a person has spoken.
pub(super) const PEOPLE_SPOKE: &str = "
    INSERT INTO assistant_turns (workspace_id, conversation_id, heard, person_spoke_at, day, turns)
    SELECT assistant.workspace_id, spoken.conversation_id, 1, spoken.at, (spoken.at AT TIME ZONE 'UTC')::date, 0
    FROM assistants assistant
    CROSS JOIN unnest(:conversations, :ats) AS spoken (conversation_id, at)
    JOIN conversations conversation ON conversation.workspace_id = :workspace AND conversation.id = spoken.conversation_id
    WHERE assistant.workspace_id = :workspace AND assistant.mode <> 'off' AND conversation.status = 'bot'
    ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET
        heard = assistant_turns.heard + 1, due_at = NULL, answer_by = NULL, waiting_since = NULL,
        person_spoke_at = greatest(assistant_turns.person_spoke_at, excluded.person_spoke_at)";

/// Merges the turn of a conversation into another's; the earlier times count. Answers under way stay so.
pub(super) const MOVE_TURN: &str = "
    INSERT INTO assistant_turns (workspace_id, conversation_id, due_at, answer_by, waiting_since, heard, sending_id,
        sending_until, person_spoke_at, day, turns)
    SELECT gone.workspace_id, CAST(:kept AS uuid), gone.due_at, gone.answer_by, gone.waiting_since, gone.heard,
        gone.sending_id, gone.sending_until, gone.person_spoke_at, gone.day, gone.turns
    FROM assistant_turns gone WHERE gone.workspace_id = :workspace AND gone.conversation_id = :gone
    ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET
        due_at = LEAST(assistant_turns.due_at, excluded.due_at),
        answer_by = LEAST(assistant_turns.answer_by, excluded.answer_by),
        waiting_since = LEAST(assistant_turns.waiting_since, excluded.waiting_since),
        sending_id = coalesce(assistant_turns.sending_id, excluded.sending_id),
        sending_until = coalesce(assistant_turns.sending_until, excluded.sending_until),
        person_spoke_at = greatest(assistant_turns.person_spoke_at, excluded.person_spoke_at)";

#[derive(Clone, Copy)]
pub(crate) struct Spoken {
    pub(crate) conversation: ConversationId,
    pub(crate) at: OffsetDateTime,
}

#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn answering_assistant(workspace: WorkspaceId) -> _ {
    let (workspace, off): (uuid::Uuid, &'static str) = (workspace.uuid(), "off");
    assistants::table
        .filter(assistants::workspace_id.eq(workspace))
        .filter(assistants::mode.ne(off))
        .select(assistants::workspace_id)
}

/// Adds the customers of these conversations to those who wait for the assistant, where the conversations are
/// its own. Takes each conversation once, in one order everywhere.
pub(crate) fn customers_waited(flight: &mut Flight<'_>, workspace: WorkspaceId, spoken: &[Spoken]) {
    if !spoken.is_empty() {
        let waited = about(CUSTOMERS_WAITED, workspace, spoken);
        let waited = waited.bind::<Interval, _>("gap", interval(BURST_GAP.as_micros()));
        flight.add(waited.bind::<Interval, _>("longest", interval(LONGEST_BURST.as_micros())));
        flight.add(about(CUSTOMERS_WAIT_ON, workspace, spoken));
    }
}

/// Adds what keeps the assistant silent in these conversations. Each once, in one order everywhere.
pub(crate) fn people_spoke(flight: &mut Flight<'_>, workspace: WorkspaceId, spoken: &[Spoken]) {
    if !spoken.is_empty() {
        flight.add(about(PEOPLE_SPOKE, workspace, spoken));
    }
}

fn about(text: &'static str, workspace: WorkspaceId, spoken: &[Spoken]) -> Statement<'static> {
    let conversations: Vec<_> = spoken.iter().map(|spoken| spoken.conversation.uuid()).collect();
    let ats: Vec<_> = spoken.iter().map(|spoken| spoken.at).collect();
    let text = statement(text).of(workspace);
    text.bind::<Array<Uuid>, _>("conversations", conversations).bind::<Array<Timestamptz>, _>("ats", ats)
}

/// Whether nothing has passed the fence. Locks the conversation first, as recording a message does.
pub(crate) async fn holds(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    fence: Fence,
) -> QueryResult<bool> {
    let mut turn_connection = connection;
    let heard = assistant_turns::table
        .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
        .filter(assistant_turns::conversation_id.eq(fence.conversation.uuid()))
        .filter(assistant_turns::heard.eq(fence.heard))
        .select(assistant_turns::conversation_id)
        .load::<uuid::Uuid>(&mut turn_connection);
    let (here, heard) = try_join(is_where_it_was(connection, workspace, fence), heard).await?;
    Ok(here && !heard.is_empty())
}

/// Whether the conversation is the assistant's, unchanged since the turn read it. Locks it against moves.
async fn is_where_it_was(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    fence: Fence,
) -> QueryResult<bool> {
    let here: Vec<uuid::Uuid> = conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq(fence.conversation.uuid()))
        .filter(conversations::version.eq(fence.version))
        .filter(conversations::status.eq(ConversationStatus::Bot.as_str()))
        .select(conversations::id)
        .for_share()
        .load(&mut connection)
        .await?;
    Ok(!here.is_empty())
}

/// Marks the answer as being sent; `false` if something has passed the fence. Locks the conversation against
/// moves first, as recording a message does.
pub(crate) async fn answer_of(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    fence: Fence,
    answer: MessageId,
    now: OffsetDateTime,
) -> QueryResult<bool> {
    let mut turn_connection = connection;
    let is_heard = diesel::update(assistant_turns::table)
        .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
        .filter(assistant_turns::conversation_id.eq(fence.conversation.uuid()))
        .filter(assistant_turns::heard.eq(fence.heard))
        .filter(assistant_turns::due_at.is_not_null())
        .filter(assistant_turns::sending_id.is_null())
        .set((
            assistant_turns::sending_id.eq(answer.uuid()),
            assistant_turns::sending_until.eq(now + SENDING),
            assistant_turns::due_at.eq(now + SENDING),
        ))
        .execute(&mut turn_connection);
    let (here, heard) = try_join(is_where_it_was(connection, workspace, fence), is_heard).await?;
    Ok(here && heard > 0)
}

/// Adds the end of waiting for a customer whose message confirmed a draft that was made at `made_at`: the
/// receipt is their answer. What they asked after that, until `read_until`, still waits for an answer of its
/// own.
pub(crate) fn answered_turn(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    conversation: ConversationId,
    made_at: OffsetDateTime,
    read_until: OffsetDateTime,
) {
    let asks_nothing_else = assistant_turns::waiting_since
        .is_null()
        .or(assistant_turns::waiting_since.le(made_at))
        .or(assistant_turns::waiting_since.gt(read_until));
    flight.add(
        diesel::update(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(conversation.uuid()))
            .filter(asks_nothing_else)
            .set((
                assistant_turns::heard.eq(assistant_turns::heard + 1),
                assistant_turns::due_at.eq(None::<OffsetDateTime>),
                assistant_turns::answer_by.eq(None::<OffsetDateTime>),
                assistant_turns::waiting_since.eq(None::<OffsetDateTime>),
            )),
    );
}

/// Adds the move of a turn to the conversation that its own is merged into. Drops an answer being worded in
/// either, since it rests on only a part of what was said.
pub(crate) fn move_turn(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    gone: ConversationId,
    kept: ConversationId,
) {
    let moved = statement(MOVE_TURN).of(workspace).bind::<Uuid, _>("kept", kept.uuid());
    flight.add(moved.bind::<Uuid, _>("gone", gone.uuid()));
    flight.add(
        diesel::delete(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(gone.uuid())),
    );
    flight.add(
        diesel::update(assistant_turns::table)
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::conversation_id.eq(kept.uuid()))
            .set(assistant_turns::heard.eq(assistant_turns::heard + 1)),
    );
}
