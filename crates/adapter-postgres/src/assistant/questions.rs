//! Questions that owners try the assistant with, and their last results.

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    assistant::{
        TokenUsage, TurnResult, Words,
        rehearsal::{
            AskedQuestion, Expected, Fingerprint, QuestionResult, TestQuestion, Verdict, WrittenQuestion,
            ports::TestQuestionStore,
        },
    },
    audit::AuditEntry,
    errors::StoreError,
    ids::{TestQuestionId, WorkspaceId},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;

use super::PgAssistants;
use crate::{
    audit::audit,
    bounds,
    error::{failed, unreadable},
    schema::assistant_questions,
    sql::{RunQueryDsl, insert, storable},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = assistant_questions)]
pub(super) struct QuestionRow {
    id: uuid::Uuid,
    question: String,
    expects: String,
    must: Vec<String>,
    must_not: Vec<String>,
    created_at: OffsetDateTime,
    changed_at: OffsetDateTime,
}

impl QuestionRow {
    pub(super) fn read(self) -> Result<TestQuestion, StoreError> {
        let Self { question: text, expects, must, must_not, .. } = self;
        let expected = Expected::read(&expects).ok_or_else(|| unreadable("what is expected"))?;
        Ok(TestQuestion {
            id: self.id.into(),
            content: WrittenQuestion { text, expected, must, must_not },
            created_at: self.created_at,
            changed_at: self.changed_at,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct StoredResult {
    verdict: String,
    /// Outcome of the turn, and the reason of a hand-over.
    ended: String,
    reason: Option<String>,
    is_as_expected: bool,
    missing: Vec<String>,
    forbidden: Vec<String>,
    reply: String,
    acts: Vec<String>,
    tools: Vec<String>,
    words: Option<String>,
    read_tokens: u64,
    written_tokens: u64,
    milliseconds: u64,
    fingerprint: String,
}

/// Converts a result to what is stored beside its time.
pub(super) fn stored(result: &QuestionResult) -> Result<Value, StoreError> {
    let result = StoredResult {
        verdict: result.verdict.as_str().to_owned(),
        ended: result.ended.as_str().to_owned(),
        reason: result.reason().map(|reason| reason.as_str().to_owned()),
        is_as_expected: result.is_as_expected,
        missing: result.missing.clone(),
        forbidden: result.forbidden.clone(),
        reply: storable(&result.reply),
        acts: result.acts.clone(),
        tools: result.tools.clone(),
        words: result.words.map(|words| words.as_str().to_owned()),
        read_tokens: result.usage.read_tokens,
        written_tokens: result.usage.written_tokens,
        milliseconds: result.milliseconds,
        fingerprint: result.fingerprint.as_str().to_owned(),
    };
    serde_json::to_value(result).map_err(|_| unreadable("result of a question"))
}

fn read(result: Value, at: OffsetDateTime) -> Result<QuestionResult, StoreError> {
    let unreadable = || unreadable("result of a question");
    let stored: StoredResult = serde_json::from_value(result).map_err(|_| unreadable())?;
    Ok(QuestionResult {
        verdict: Verdict::read(&stored.verdict).ok_or_else(unreadable)?,
        ended: TurnResult::read(&stored.ended, stored.reason.as_deref()).ok_or_else(unreadable)?,
        is_as_expected: stored.is_as_expected,
        missing: stored.missing,
        forbidden: stored.forbidden,
        reply: stored.reply,
        acts: stored.acts,
        tools: stored.tools,
        words: stored.words.as_deref().and_then(Words::read),
        usage: TokenUsage { read_tokens: stored.read_tokens, written_tokens: stored.written_tokens },
        milliseconds: stored.milliseconds,
        at,
        fingerprint: Fingerprint::from_stored(stored.fingerprint),
    })
}

#[async_trait]
impl TestQuestionStore for PgAssistants {
    async fn questions(&self, workspace: WorkspaceId) -> Result<Vec<AskedQuestion>, StoreError> {
        let mut connection = self.database.connection().await?;
        // Ids are in the order in which questions were added.
        let rows: Vec<(QuestionRow, Option<Value>, Option<OffsetDateTime>)> = assistant_questions::table
            .filter(assistant_questions::workspace_id.eq(workspace.uuid()))
            .order(assistant_questions::id)
            .select((QuestionRow::as_select(), assistant_questions::result, assistant_questions::asked_at))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let asked = |(row, result, at): (QuestionRow, Option<Value>, Option<OffsetDateTime>)| {
            let result = result.zip(at).map(|(result, at)| read(result, at)).transpose()?;
            Ok(AskedQuestion { question: row.read()?, result })
        };
        rows.into_iter().map(asked).collect()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        questions: &[TestQuestion],
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let known = assistant_questions::table
            .filter(assistant_questions::workspace_id.eq(workspace.uuid()))
            .count()
            .get_result::<i64>(&mut connection);
        let added = u32::try_from(questions.len()).unwrap_or(u32::MAX);
        // As many more may stand there as leave room for the last of these.
        let Some(most) = most.checked_sub(added.saturating_sub(1)) else { return Ok(false) };
        if !bounds::has_room(&transaction, workspace, known, most).await? {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.insert(
            insert(assistant_questions::table, workspace, questions)
                .column(assistant_questions::id, |question| question.id.uuid())
                .column(assistant_questions::question, |question| question.content.text.clone())
                .column(assistant_questions::expects, |question| question.content.expected.as_str())
                .list(assistant_questions::must, |question| question.content.must.clone())
                .list(assistant_questions::must_not, |question| question.content.must_not.clone())
                .column(assistant_questions::created_at, |question| question.created_at)
                .column(assistant_questions::changed_at, |question| question.changed_at),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        question: &TestQuestion,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let content = &question.content;
        let changed = diesel::update(assistant_questions::table)
            .filter(assistant_questions::workspace_id.eq(workspace.uuid()))
            .filter(assistant_questions::id.eq(question.id.uuid()))
            .set((
                assistant_questions::question.eq(&content.text),
                assistant_questions::expects.eq(content.expected.as_str()),
                assistant_questions::must.eq(&content.must),
                assistant_questions::must_not.eq(&content.must_not),
                assistant_questions::changed_at.eq(question.changed_at),
                assistant_questions::result.eq(None::<Value>),
                assistant_questions::asked_at.eq(None::<OffsetDateTime>),
            ));
        Ok(self.database.change_audited(changed, workspace, entry).await? > 0)
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        question: TestQuestionId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let gone = diesel::delete(assistant_questions::table)
            .filter(assistant_questions::workspace_id.eq(workspace.uuid()))
            .filter(assistant_questions::id.eq(question.uuid()));
        Ok(self.database.change_audited(gone, workspace, entry).await? > 0)
    }
}
