//! `/assistant/questions`: questions that owners try the assistant with, and what came of each last.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    assistant::{
        Words,
        rehearsal::{
            AskedQuestion, Expected, Fingerprint, QuestionError, QuestionResult, RehearsalSummary,
            TestQuestion, WrittenQuestion,
        },
    },
    ids::TestQuestionId,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// A question, and what its answer must and must not hold.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewQuestionBody {
    /// What a customer would write, up to 500 characters.
    text: String,
    /// What should come of it: `answer`, which it is where it is absent, `hand_over`, `propose_order`,
    /// `propose_booking`, `propose_cancellation` or `any`.
    expects: Option<String>,
    /// Texts that the answer must hold, up to 5: whole words, in any spelling; a figure alone in any script
    /// and grouping.
    #[serde(default)]
    must: Vec<String>,
    /// Texts that it must not hold, up to 5.
    #[serde(default)]
    must_not: Vec<String>,
}

impl NewQuestionBody {
    fn read(self) -> Result<WrittenQuestion, Problem> {
        let expected = self.expects.as_deref().map_or(Some(Expected::default()), Expected::read);
        let names = || Expected::ALL.map(Expected::as_str).join(", ");
        let expected =
            expected.ok_or_else(|| Problem::invalid(format!("`expects` is one of {}", names())))?;
        Ok(WrittenQuestion { text: self.text, expected, must: self.must, must_not: self.must_not })
    }
}

/// What came of a question.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultBody {
    /// `passed`, `failed` or `not_answered`.
    verdict: &'static str,
    /// `answered`, `proposed`, `handed_over`, or `dropped`, where the service was interrupted time and again.
    outcome: &'static str,
    /// The tool by which it would have asked the customer to confirm something; null where it would not.
    proposal: Option<String>,
    /// Why it would have asked for a person, or was not answered; null where neither.
    hand_over: Option<&'static str>,
    /// Whether that is what the question expects.
    as_expected: bool,
    /// Texts of `must` that the answer does not hold.
    missing: Vec<String>,
    /// Texts of `mustNot` that it holds.
    forbidden: Vec<String>,
    /// What the customer would have got; null where nothing.
    reply: Option<String>,
    acts: Vec<String>,
    /// The tools that were asked, in order.
    tools: Vec<String>,
    /// Whose wording that is, `code` or `model`; null without an answer.
    words: Option<&'static str>,
    read_tokens: u64,
    written_tokens: u64,
    milliseconds: u64,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
    /// Whether what answers rest on was changed since.
    is_out_of_date: bool,
}

impl ResultBody {
    fn of(result: QuestionResult, now: &Fingerprint) -> Self {
        Self {
            verdict: result.verdict.as_str(),
            outcome: result.ended.as_str(),
            proposal: result.proposal().map(str::to_owned),
            hand_over: result.reason().map(domain::assistant::HandOverReason::as_str),
            as_expected: result.is_as_expected,
            is_out_of_date: result.fingerprint != *now,
            missing: result.missing,
            forbidden: result.forbidden,
            reply: Some(result.reply).filter(|reply| !reply.is_empty()),
            acts: result.acts,
            tools: result.tools,
            words: result.words.map(Words::as_str),
            read_tokens: result.usage.read_tokens,
            written_tokens: result.usage.written_tokens,
            milliseconds: result.milliseconds,
            at: result.at,
        }
    }
}

/// A question with what came of it last.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuestionBody {
    id: TestQuestionId,
    text: String,
    expects: &'static str,
    must: Vec<String>,
    must_not: Vec<String>,
    #[serde(with = "domain::clock::timestamp")]
    changed_at: OffsetDateTime,
    /// Null until it is asked, and once it was changed since.
    result: Option<ResultBody>,
}

impl QuestionBody {
    fn of(question: TestQuestion, result: Option<ResultBody>) -> Self {
        let WrittenQuestion { text, expected, must, must_not } = question.content;
        let (id, changed_at) = (question.id, question.changed_at);
        Self { id, text, expects: expected.as_str(), must, must_not, changed_at, result }
    }
}

/// The last results in one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SummaryBody {
    questions: usize,
    passed: usize,
    failed: usize,
    /// When the newest of them came; null where no question was asked.
    #[serde(with = "domain::clock::timestamp::option")]
    at: Option<OffsetDateTime>,
    /// Whether a question was not asked since what answers rest on was changed.
    is_out_of_date: bool,
}

impl From<RehearsalSummary> for SummaryBody {
    fn from(summary: RehearsalSummary) -> Self {
        let RehearsalSummary { questions, passed, failed, at, is_out_of_date } = summary;
        Self { questions, passed, failed, at, is_out_of_date }
    }
}

/// The questions, oldest first.
#[derive(Serialize)]
pub(crate) struct QuestionsBody {
    rows: Vec<QuestionBody>,
    /// Null where there are none.
    summary: Option<SummaryBody>,
}

fn unknown() -> Problem {
    not_found("question")
}

impl From<QuestionError> for Problem {
    fn from(error: QuestionError) -> Self {
        let message = error.to_string();
        match error {
            QuestionError::Invalid(_) | QuestionError::Taken => Self::invalid(message),
            QuestionError::TooMany => Self::dashboard(DashboardCode::TooManyTestQuestions, message),
            QuestionError::Unknown => unknown(),
            QuestionError::Store(error) => error.into(),
        }
    }
}

/// The questions that the assistant is tried with, oldest first, and what came of each last.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<QuestionsBody>, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let asked = assistant.questions.list(workspace).await?;
        Ok::<_, Problem>((asked, assistant.rehearsals.fingerprint(workspace).await?))
    });
    let (asked, now) = found.await??;
    let summary = RehearsalSummary::of(&asked, &now).map(SummaryBody::from);
    let row = |AskedQuestion { question, result }| {
        QuestionBody::of(question, result.map(|result| ResultBody::of(result, &now)))
    };
    Ok(Json(QuestionsBody { rows: asked.into_iter().map(row).collect(), summary }))
}

/// Adds a question.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written = body::json::<NewQuestionBody>(&request, payload).await?.fields.read()?;
    let added =
        app.run(
            move |app| async move { app.dashboard.assistant.questions.add(by.acting(), vec![written]).await },
        );
    let added = added.await??.pop().ok_or_else(unknown)?;
    Ok(HttpResponse::Created().json(QuestionBody::of(added, None)))
}

/// Replaces a question. What came of it is forgotten.
pub(crate) async fn replace(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<QuestionBody>, Problem> {
    let written = body::json::<NewQuestionBody>(&request, payload).await?.fields.read()?;
    let id = id(&request).ok_or_else(unknown)?;
    let changed = app.run(move |app| async move {
        app.dashboard.assistant.questions.change(by.acting(), id, written).await
    });
    Ok(Json(QuestionBody::of(changed.await??, None)))
}

/// Removes a question.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let removed =
        app.run(move |app| async move { app.dashboard.assistant.questions.remove(by.acting(), id).await });
    removed.await??;
    Ok(HttpResponse::NoContent().finish())
}
