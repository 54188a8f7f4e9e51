//! Runs through owners' questions.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper, dsl::exists,
};
use diesel_async::AsyncPgConnection;
use domain::{
    assistant::rehearsal::{
        Fingerprint, QuestionResult, Rehearsal, RehearsalState, SHOWN_REHEARSALS, Verdict,
        ports::{ClaimedRehearsal, RehearsalStore},
    },
    audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, RehearsalId, TestQuestionId, WorkspaceId},
    live::LiveKind,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{
    PgAssistants,
    questions::{QuestionRow, stored},
};
use crate::{
    audit::audit,
    error::{failed, is_duplicate, unreadable},
    live::tell,
    schema::{assistant_questions, assistant_rehearsals, workspaces},
    sql::{RunQueryDsl, word},
    transaction::Flight,
};

const RUNNING: &str = RehearsalState::Running.as_str();

#[derive(Queryable, Selectable)]
#[diesel(table_name = assistant_rehearsals)]
struct RehearsalRow {
    id: uuid::Uuid,
    member_id: Option<uuid::Uuid>,
    state: String,
    fingerprint: String,
    total: i32,
    passed: i32,
    failed: i32,
    not_answered: i32,
    created_at: OffsetDateTime,
    changed_at: OffsetDateTime,
}

impl RehearsalRow {
    fn read(self) -> Result<Rehearsal, StoreError> {
        Ok(Rehearsal {
            id: self.id.into(),
            member: self.member_id.map(Into::into),
            state: RehearsalState::read(&self.state).ok_or_else(|| unreadable("state of a rehearsal"))?,
            fingerprint: Fingerprint::from_stored(self.fingerprint),
            total: count(self.total)?,
            passed: count(self.passed)?,
            failed: count(self.failed)?,
            not_answered: count(self.not_answered)?,
            created_at: self.created_at,
            changed_at: self.changed_at,
        })
    }
}

fn count(kept: i32) -> Result<u32, StoreError> {
    u32::try_from(kept).map_err(|_| unreadable("count"))
}

fn kept(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn tell_of_rehearsals(flight: &mut Flight<'_>, workspace: WorkspaceId) {
    tell(flight, workspace, LiveKind::AssistantChanged, &[(None, None)]);
}

/// Returns 1 for a result of this verdict, and 0 for any other.
fn one_of(result: &QuestionResult, verdict: Verdict) -> i32 {
    i32::from(result.verdict == verdict)
}

/// Adds what begins the run, after all that stands in its way.
fn add_run(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    rehearsal: &Rehearsal,
    questions: &[TestQuestionId],
) {
    let of_workspace =
        || assistant_questions::table.filter(assistant_questions::workspace_id.eq(workspace.uuid()));
    let left = of_workspace().filter(assistant_questions::due_in.is_not_null());
    flight.add(diesel::update(left).set(assistant_questions::due_in.eq(None::<uuid::Uuid>)));
    let ids: Vec<_> = questions.iter().map(|id| id.uuid()).collect();
    let asked = of_workspace().filter(assistant_questions::id.eq_any(ids));
    flight.add(diesel::update(asked).set(assistant_questions::due_in.eq(Some(rehearsal.id.uuid()))));
    flight.add(diesel::insert_into(assistant_rehearsals::table).values((
        assistant_rehearsals::workspace_id.eq(workspace.uuid()),
        assistant_rehearsals::id.eq(rehearsal.id.uuid()),
        assistant_rehearsals::member_id.eq(rehearsal.member.map(MemberId::uuid)),
        assistant_rehearsals::state.eq(rehearsal.state.as_str()),
        assistant_rehearsals::fingerprint.eq(rehearsal.fingerprint.as_str().to_owned()),
        assistant_rehearsals::total.eq(kept(rehearsal.total)),
        assistant_rehearsals::passed.eq(0),
        assistant_rehearsals::failed.eq(0),
        assistant_rehearsals::not_answered.eq(0),
        assistant_rehearsals::not_answered_in_row.eq(0),
        assistant_rehearsals::claims.eq(0),
        assistant_rehearsals::created_at.eq(rehearsal.created_at),
        assistant_rehearsals::changed_at.eq(rehearsal.changed_at),
    )));
}

#[async_trait]
impl RehearsalStore for PgAssistants {
    async fn rehearsals(&self, workspace: WorkspaceId) -> Result<Vec<Rehearsal>, StoreError> {
        let mut connection = self.database.connection().await?;
        // Ids are in the order in which runs began.
        let rows = assistant_rehearsals::table
            .filter(assistant_rehearsals::workspace_id.eq(workspace.uuid()))
            .order(assistant_rehearsals::id.desc())
            .limit(i64::from(SHOWN_REHEARSALS))
            .select(RehearsalRow::as_select())
            .load::<RehearsalRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(RehearsalRow::read).collect()
    }

    async fn begin(
        &self,
        workspace: WorkspaceId,
        rehearsal: &Rehearsal,
        questions: &[TestQuestionId],
        replaces: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let of_workspace =
            || assistant_rehearsals::table.filter(assistant_rehearsals::workspace_id.eq(workspace.uuid()));
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let oldest_kept = of_workspace()
            .order(assistant_rehearsals::id.desc())
            .offset(i64::from(SHOWN_REHEARSALS.saturating_sub(2)))
            .limit(1)
            .select(assistant_rehearsals::id)
            .get_result::<uuid::Uuid>(&mut connection);
        let oldest_kept = transaction.begin_with(oldest_kept).await.optional().map_err(failed)?;
        let mut flight = transaction.flight();
        if replaces {
            let running = of_workspace().filter(assistant_rehearsals::state.eq(word(RUNNING)));
            flight.add(diesel::update(running).set((
                assistant_rehearsals::state.eq(RehearsalState::Replaced.as_str()),
                assistant_rehearsals::changed_at.eq(rehearsal.created_at),
            )));
        }
        if let Some(oldest_kept) = oldest_kept {
            let over = of_workspace()
                .filter(assistant_rehearsals::id.lt(oldest_kept))
                .filter(assistant_rehearsals::state.ne(RUNNING));
            flight.add(diesel::delete(over));
        }
        add_run(&mut flight, workspace, rehearsal, questions);
        audit(&mut flight, workspace, entry);
        match transaction.commit_with(flight.counts()).await {
            Ok(_) => Ok(true),
            Err(error) if is_duplicate(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    async fn workspaces_with_rehearsals(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let free = assistant_rehearsals::lease_until.is_null().or(assistant_rehearsals::lease_until.le(now));
        let due = assistant_rehearsals::table
            .filter(assistant_rehearsals::workspace_id.eq(workspaces::workspace_id))
            .filter(assistant_rehearsals::state.eq(word(RUNNING)))
            .filter(free)
            .select(assistant_rehearsals::id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<ClaimedRehearsal>, StoreError> {
        let mut connection = self.database.connection().await?;
        let free = assistant_rehearsals::lease_until.is_null().or(assistant_rehearsals::lease_until.le(now));
        let claimed: Option<(uuid::Uuid, i32, i32)> = diesel::update(assistant_rehearsals::table)
            .filter(assistant_rehearsals::workspace_id.eq(workspace.uuid()))
            .filter(assistant_rehearsals::state.eq(word(RUNNING)))
            .filter(free)
            .set((
                assistant_rehearsals::lease_until.eq(Some(lease_until)),
                assistant_rehearsals::claims.eq(assistant_rehearsals::claims + 1),
            ))
            .returning((
                assistant_rehearsals::id,
                assistant_rehearsals::claims,
                assistant_rehearsals::not_answered_in_row,
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, claims, not_answered_in_row)) = claimed else { return Ok(None) };
        let question = assistant_questions::table
            .filter(assistant_questions::workspace_id.eq(workspace.uuid()))
            .filter(assistant_questions::due_in.eq(id))
            .order(assistant_questions::id)
            .limit(1)
            .select(QuestionRow::as_select())
            .get_result::<QuestionRow>(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(Some(ClaimedRehearsal {
            id: id.into(),
            question: question.map(QuestionRow::read).transpose()?,
            claims: count(claims)?,
            not_answered_in_row: count(not_answered_in_row)?,
            lease_until,
        }))
    }

    async fn renew(
        &self,
        workspace: WorkspaceId,
        claimed: &ClaimedRehearsal,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let renewed = diesel::update(assistant_rehearsals::table)
            .filter(assistant_rehearsals::workspace_id.eq(workspace.uuid()))
            .filter(assistant_rehearsals::id.eq(claimed.id.uuid()))
            .filter(assistant_rehearsals::state.eq(RUNNING))
            .filter(assistant_rehearsals::claims.eq(kept(claimed.claims)))
            .set(assistant_rehearsals::lease_until.eq(Some(lease_until)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(renewed == 1)
    }

    async fn record(
        &self,
        workspace: WorkspaceId,
        claimed: &ClaimedRehearsal,
        result: &QuestionResult,
    ) -> Result<(), StoreError> {
        let Some(question) = &claimed.question else { return Ok(()) };
        let json = stored(result)?;
        let run = || {
            assistant_rehearsals::table
                .filter(assistant_rehearsals::workspace_id.eq(workspace.uuid()))
                .filter(assistant_rehearsals::id.eq(claimed.id.uuid()))
                .filter(assistant_rehearsals::state.eq(RUNNING))
        };
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let locked = run()
            .select(assistant_rehearsals::id)
            .for_no_key_update()
            .get_result::<uuid::Uuid>(&mut connection);
        let locked = async { locked.await.optional() };
        let mut connection: &AsyncPgConnection = &transaction;
        let answered = diesel::update(assistant_questions::table)
            .filter(assistant_questions::workspace_id.eq(workspace.uuid()))
            .filter(assistant_questions::id.eq(question.id.uuid()))
            .filter(assistant_questions::due_in.eq(claimed.id.uuid()))
            .filter(assistant_questions::changed_at.eq(question.changed_at))
            .set((
                assistant_questions::due_in.eq(None::<uuid::Uuid>),
                assistant_questions::result.eq(Some(json)),
                assistant_questions::asked_at.eq(Some(result.at)),
            ))
            .execute(&mut connection);
        let (Some(_), answered) = transaction.begin_with(try_join(locked, answered)).await.map_err(failed)?
        else {
            // Stopped: the transaction is given up, and with it the result.
            return Ok(());
        };
        let mut flight = transaction.flight();
        let let_go = (
            assistant_rehearsals::lease_until.eq(None::<OffsetDateTime>),
            assistant_rehearsals::claims.eq(0),
        );
        if answered == 0 {
            // It was changed, removed, or answered by another.
            let own = run().filter(assistant_rehearsals::claims.eq(kept(claimed.claims)));
            flight.add(diesel::update(own).set(let_go));
        } else {
            let in_row = match result.verdict {
                Verdict::NotAnswered => claimed.not_answered_in_row.saturating_add(1),
                Verdict::Passed | Verdict::Failed => 0,
            };
            let (passed, failed) = (one_of(result, Verdict::Passed), one_of(result, Verdict::Failed));
            let not_answered = one_of(result, Verdict::NotAnswered);
            flight.add(diesel::update(run()).set((
                let_go,
                assistant_rehearsals::passed.eq(assistant_rehearsals::passed + passed),
                assistant_rehearsals::failed.eq(assistant_rehearsals::failed + failed),
                assistant_rehearsals::not_answered.eq(assistant_rehearsals::not_answered + not_answered),
                assistant_rehearsals::not_answered_in_row.eq(kept(in_row)),
                assistant_rehearsals::changed_at.eq(result.at),
            )));
            tell_of_rehearsals(&mut flight, workspace);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn end(
        &self,
        workspace: WorkspaceId,
        rehearsal: RehearsalId,
        state: RehearsalState,
        at: OffsetDateTime,
        entry: Option<AuditEntry>,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let ended = diesel::update(assistant_rehearsals::table)
            .filter(assistant_rehearsals::workspace_id.eq(workspace.uuid()))
            .filter(assistant_rehearsals::id.eq(rehearsal.uuid()))
            .filter(assistant_rehearsals::state.eq(RUNNING))
            .set((
                assistant_rehearsals::state.eq(state.as_str()),
                assistant_rehearsals::changed_at.eq(at),
                assistant_rehearsals::lease_until.eq(None::<OffsetDateTime>),
            ))
            .execute(&mut connection);
        if transaction.begin_with(ended).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        match &entry {
            Some(entry) => audit(&mut flight, workspace, entry),
            None => tell_of_rehearsals(&mut flight, workspace),
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}
