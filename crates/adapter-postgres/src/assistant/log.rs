//! The log of turns, and the token budget of a day.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, dsl::exists};
use domain::{
    assistant::{
        Cost, DayLimit, ListedTurn, Spent, TokenUsage, UsageOfDay,
        ports::{TokenBudget, TurnLog},
    },
    channels::AlertKind,
    errors::StoreError,
    ids::WorkspaceId,
    paging::PageRequest,
};
use time::{Date, OffsetDateTime};

use super::{PgAssistants, turns::signed};
use crate::{
    channels::{NewAlert, add_alerts},
    error::failed,
    schema::{assistant_turn_log, assistant_usage, workspaces},
    sql::{RunQueryDsl, after, insert},
};

const FORGOTTEN_AT_ONCE: i64 = 1_000;

/// What a turn's answer said: acts, evidence, whose wording was sent, the objection to the model's, and the
/// rules that an answer broke, which the version before wrote.
type SaidRow = (Vec<String>, Vec<String>, Option<String>, Option<String>, Vec<String>);

type LoggedTurn =
    (uuid::Uuid, uuid::Uuid, String, Option<String>, Vec<String>, SaidRow, i64, i64, i64, OffsetDateTime);

#[async_trait]
impl TokenBudget for PgAssistants {
    async fn reserve(
        &self,
        workspace: WorkspaceId,
        day: Date,
        wanted: Spent,
        limit: DayLimit,
    ) -> Result<bool, StoreError> {
        let (tokens, cost) = (wanted.tokens, wanted.cost.trillionths());
        let most_cost = limit.cost.map_or(u64::MAX, Cost::trillionths);
        if tokens > limit.tokens || cost > most_cost {
            return Ok(false);
        }
        let rows = [day];
        let transaction = self.database.transaction().await?;
        let mut first = transaction.flight();
        first.insert(
            insert(assistant_usage::table, workspace, &rows)
                .column(assistant_usage::day, |day| *day)
                .column(assistant_usage::turns, |_| 0_i64)
                .column(assistant_usage::answered, |_| 0_i64)
                .column(assistant_usage::handed_over, |_| 0_i64)
                .column(assistant_usage::read_tokens, |_| 0_i64)
                .column(assistant_usage::written_tokens, |_| 0_i64)
                .column(assistant_usage::reserved_tokens, |_| 0_i64)
                .on_conflict_do_nothing(),
        );
        let mut connection = &*transaction;
        let reserved = diesel::update(assistant_usage::table)
            .filter(assistant_usage::workspace_id.eq(workspace.uuid()))
            .filter(assistant_usage::day.eq(day))
            .filter(
                (assistant_usage::reserved_tokens
                    + assistant_usage::read_tokens
                    + assistant_usage::written_tokens)
                    .le(signed(limit.tokens - tokens)),
            )
            .filter((assistant_usage::reserved_cost + assistant_usage::cost).le(signed(most_cost - cost)))
            .set((
                assistant_usage::reserved_tokens.eq(assistant_usage::reserved_tokens + signed(tokens)),
                assistant_usage::reserved_cost.eq(assistant_usage::reserved_cost + signed(cost)),
            ))
            .execute(&mut connection);
        let flight = futures_util::future::try_join(first.counts(), reserved);
        let (_, reserved) = transaction.commit_with(flight).await.map_err(failed)?;
        Ok(reserved > 0)
    }

    async fn settle(
        &self,
        workspace: WorkspaceId,
        day: Date,
        reserved: Spent,
        (used, cost): (TokenUsage, Cost),
        limit: DayLimit,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let spent: Option<(i64, i64)> = diesel::update(assistant_usage::table)
            .filter(assistant_usage::workspace_id.eq(workspace.uuid()))
            .filter(assistant_usage::day.eq(day))
            .set((
                assistant_usage::reserved_tokens
                    .eq(assistant_usage::reserved_tokens - signed(reserved.tokens)),
                assistant_usage::read_tokens.eq(assistant_usage::read_tokens + signed(used.read_tokens)),
                assistant_usage::written_tokens
                    .eq(assistant_usage::written_tokens + signed(used.written_tokens)),
                assistant_usage::reserved_cost
                    .eq(assistant_usage::reserved_cost - signed(reserved.cost.trillionths())),
                assistant_usage::cost.eq(assistant_usage::cost + signed(cost.trillionths())),
            ))
            .returning((
                assistant_usage::read_tokens + assistant_usage::written_tokens,
                assistant_usage::cost,
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        drop(connection);
        let spent = spent.map(|(tokens, cost)| (count(tokens), count(cost))).unwrap_or_default();
        let of = |tokens, cost| Spent { tokens, cost: Cost::of_trillionths(cost) };
        let before = of(
            spent.0.saturating_sub(used.read_tokens + used.written_tokens),
            spent.1.saturating_sub(cost.trillionths()),
        );
        if limit.is_nearly_reached(of(spent.0, spent.1)) && !limit.is_nearly_reached(before) {
            // Of those that settle at once, exactly one passes the threshold.
            let alert = NewAlert::of_account(&self.database, "", AlertKind::AssistantTokens, None, now);
            let transaction = self.database.transaction().await?;
            let mut flight = transaction.flight();
            add_alerts(&mut flight, workspace, &[alert]);
            transaction.commit_with(flight.counts()).await.map_err(failed)?;
        }
        Ok(())
    }
}

#[async_trait]
impl TurnLog for PgAssistants {
    async fn turns(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<ListedTurn>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<LoggedTurn> = assistant_turn_log::table
            .filter(assistant_turn_log::workspace_id.eq(workspace.uuid()))
            .filter(after(assistant_turn_log::created_at, assistant_turn_log::id, page.after))
            .order((assistant_turn_log::created_at.desc(), assistant_turn_log::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .select((
                assistant_turn_log::id,
                assistant_turn_log::conversation_id,
                assistant_turn_log::outcome,
                assistant_turn_log::reason,
                assistant_turn_log::tools,
                (
                    assistant_turn_log::acts,
                    assistant_turn_log::evidence,
                    assistant_turn_log::words,
                    assistant_turn_log::objection,
                    assistant_turn_log::refused,
                ),
                assistant_turn_log::read_tokens,
                assistant_turn_log::written_tokens,
                assistant_turn_log::milliseconds,
                assistant_turn_log::created_at,
            ))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let listed = rows.into_iter().map(
            |(id, conversation, outcome, reason, tools, said, read, written, milliseconds, at)| {
                let (acts, evidence, words, objection, refused) = said;
                ListedTurn {
                    id: id.into(),
                    conversation: conversation.into(),
                    outcome,
                    reason,
                    tools,
                    acts,
                    evidence,
                    words,
                    objection,
                    refused,
                    usage: TokenUsage { read_tokens: count(read), written_tokens: count(written) },
                    milliseconds: count(milliseconds),
                    at,
                }
            },
        );
        Ok(listed.collect())
    }

    async fn usage(&self, workspace: WorkspaceId, first: Date) -> Result<Vec<UsageOfDay>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(Date, i64, i64, i64, i64, i64, i64)> = assistant_usage::table
            .filter(assistant_usage::workspace_id.eq(workspace.uuid()))
            .filter(assistant_usage::day.ge(first))
            .order(assistant_usage::day.desc())
            .select((
                assistant_usage::day,
                assistant_usage::turns,
                assistant_usage::answered,
                assistant_usage::handed_over,
                assistant_usage::read_tokens,
                assistant_usage::written_tokens,
                assistant_usage::cost,
            ))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let listed =
            rows.into_iter().map(|(day, turns, answered, handed_over, read, written, cost)| UsageOfDay {
                day,
                turns: count(turns),
                answered: count(answered),
                handed_over: count(handed_over),
                usage: TokenUsage { read_tokens: count(read), written_tokens: count(written) },
                cost: Cost::of_trillionths(count(cost)),
            });
        Ok(listed.collect())
    }

    async fn forget_turns(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let old: Vec<uuid::Uuid> = assistant_turn_log::table
            .filter(assistant_turn_log::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turn_log::created_at.lt(before))
            .order(assistant_turn_log::created_at)
            .limit(FORGOTTEN_AT_ONCE)
            .select(assistant_turn_log::id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let may_have_more = i64::try_from(old.len()).is_ok_and(|found| found >= FORGOTTEN_AT_ONCE);
        if !old.is_empty() {
            diesel::delete(assistant_turn_log::table)
                .filter(assistant_turn_log::workspace_id.eq(workspace.uuid()))
                .filter(assistant_turn_log::id.eq_any(old))
                .execute(&mut connection)
                .await
                .map_err(failed)?;
        }
        Ok(may_have_more)
    }

    async fn workspaces_with_old_turns(
        &self,
        before: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let old = assistant_turn_log::table
            .filter(assistant_turn_log::workspace_id.eq(workspaces::workspace_id))
            .filter(assistant_turn_log::created_at.lt(before))
            .select(assistant_turn_log::id);
        self.database.workspaces(exists(old)).await
    }
}

fn count(kept: i64) -> u64 {
    u64::try_from(kept).unwrap_or_default()
}
