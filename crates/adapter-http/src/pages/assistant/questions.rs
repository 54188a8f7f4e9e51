//! `/assistant/questions`, in the browser `/dashboard/settings/assistant/questions`: questions that owners
//! try the assistant with, and what came of each last.

use actix_web::web::Payload;
use dashboard_pages::{QuestionRow, QuestionsPage, RunRow, Section, TypedQuestion};
use domain::{
    assistant::{
        HandOverReason, Words,
        rehearsal::{
            AskedQuestion, Expected, Fingerprint, QuestionError, QuestionResult, Rehearsal, RehearsalSummary,
            TestQuestion, Verdict, WrittenQuestion,
        },
    },
    ids::{RehearsalId, TestQuestionId},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{page, see_other},
        form::Form,
        frame, refusal,
    },
    rehearsals,
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

const PATH: &str = "/dashboard/settings/assistant/questions";

/// A question, and what its answer must and must not hold.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewQuestionBody {
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
struct ResultBody {
    /// `passed`, `failed` or `not_answered`.
    verdict: Verdict,
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
            verdict: result.verdict,
            outcome: result.ended.as_str(),
            proposal: result.proposal().map(str::to_owned),
            hand_over: result.reason().map(HandOverReason::as_str),
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
struct QuestionBody {
    id: TestQuestionId,
    text: String,
    expects: Expected,
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
        Self { id, text, expects: expected, must, must_not, changed_at, result }
    }
}

/// The questions, oldest first.
#[derive(Serialize)]
struct QuestionsBody {
    rows: Vec<QuestionBody>,
    /// Null where there are none.
    summary: Option<RehearsalSummary>,
}

fn unknown() -> Problem {
    not_found("question")
}

/// The questions that the assistant is tried with, oldest first, and what came of each last.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    if !call.is_of_api() {
        return render(&call, Typed::default(), None).await;
    }
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let asked = assistant.questions.list(workspace).await?;
        Ok::<_, Problem>((asked, assistant.rehearsals.fingerprint(workspace).await?))
    });
    let (asked, now) = found.await?;
    let summary = RehearsalSummary::of(&asked, &now);
    let row = |AskedQuestion { question, result }| {
        QuestionBody::of(question, result.map(|result| ResultBody::of(result, &now)))
    };
    act::ok(&QuestionsBody { rows: asked.into_iter().map(row).collect(), summary })
}

/// What was typed and refused; nothing if nothing was.
#[derive(Default)]
struct Typed {
    /// The question that was to be changed.
    of: Option<TestQuestionId>,
    question: TypedQuestion,
    pasted: String,
}

/// Reason a form was refused, with the field that is at fault and why, if one is.
type Fault = (Problem, Option<(&'static str, &'static str)>);

fn of_question(call: &Call, error: QuestionError) -> Fault {
    let fault = frame::bare(&call.request).words().rehearsals.fault(&error);
    (error.into(), fault)
}

async fn render(call: &Call, typed: Typed, refused: Option<Fault>) -> Answer {
    let frame = call.frame(Section::Assistant).await?;
    let (workspace, request) = (call.workspace(), &call.request);
    let found = call.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let now = assistant.rehearsals.fingerprint(workspace).await?;
        let asked = assistant.questions.list(workspace).await?;
        let runs = assistant.rehearsals.list(workspace).await?;
        Ok::<_, Problem>((now, asked, runs, assistant.hand_overs.run(workspace).await?))
    });
    let (now, asked, runs, week) = found.await?;
    let members = call.names().await?;
    let summary = RehearsalSummary::of(&asked, &now);
    let mut questions: Vec<_> = asked.into_iter().map(|asked| row(asked, &now)).collect();
    let run = |run: Rehearsal| RunRow {
        by: run.member.and_then(|member| members.get(&member.to_string()).cloned()),
        is_out_of_date: run.fingerprint != now,
        run,
    };
    let runs = runs.into_iter().map(run).collect();
    let Typed { of, question, pasted } = typed;
    let typed_of = of.map(|of| of.to_string());
    let changed = questions.iter_mut().find(|row| typed_of.as_deref() == Some(&row.id));
    // What was typed over a question that is gone can be added anew.
    let draft = match changed {
        Some(row) => {
            (row.form, row.is_typed) = (question, true);
            TypedQuestion::default()
        }
        None => question,
    };
    let words = frame.words();
    let refused = refused.map(|(problem, fault)| match fault {
        Some((field, why)) => refusal::of_only(request, problem, (field, why), words),
        None => refusal::of_shared(request, problem, ("text", words.refusals.invalid), words),
    });
    let refused = refused.transpose()?;
    let status = refusal::status(refused.as_ref());
    page(status, &QuestionsPage { frame: &frame, summary, questions, runs, week, draft, pasted, refused })
}

fn row(asked: AskedQuestion, now: &Fingerprint) -> QuestionRow {
    QuestionRow {
        id: asked.question.id.to_string(),
        form: TypedQuestion::from(&asked.question),
        is_typed: false,
        is_out_of_date: asked.result.as_ref().is_some_and(|result| result.fingerprint != *now),
        result: asked.result,
    }
}

fn typed(form: &Form) -> Result<TypedQuestion, Problem> {
    // Browsers end lines with CRLF, which would count as two characters.
    let lines = |name: &str| Ok::<_, Problem>(form.text(name)?.replace("\r\n", "\n"));
    Ok(TypedQuestion {
        text: lines("text")?,
        expects: form.text("expects")?,
        must: lines("must")?,
        must_not: lines("must-not")?,
    })
}

fn written(typed: &TypedQuestion) -> Result<WrittenQuestion, Problem> {
    let wrong = || Problem::invalid("`expects` is none of those that there are");
    let lines =
        |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let expected = match typed.expects.as_str() {
        "" => Expected::default(),
        name => Expected::read(name).ok_or_else(wrong)?,
    };
    let text = typed.text.clone();
    Ok(WrittenQuestion { text, expected, must: lines(&typed.must), must_not: lines(&typed.must_not) })
}

/// Adds questions, or begins or stops a run.
pub(in crate::pages) async fn post(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Json(payload) => {
            let written = call.json::<NewQuestionBody>(payload).await?.read()?;
            let added = add(&call, vec![written]).await?.map_err(|(problem, _)| problem)?;
            return act::created(&QuestionBody::of(added.ok_or_else(unknown)?, None));
        }
        Given::Form(form) => form,
    };
    let (question, pasted) = (typed(&form)?, form.text("pasted")?);
    let done = match form.text("do")?.as_str() {
        "add" | "take" => match written(&question) {
            Ok(one) => add(&call, vec![one]).await?.map(drop),
            Err(problem) => Err((problem, None)),
        },
        "paste" => {
            let lines = pasted.lines().map(str::trim).filter(|line| !line.is_empty());
            let all: Vec<_> = lines.map(WrittenQuestion::of).collect();
            // Nothing is no question.
            let all = if all.is_empty() { vec![WrittenQuestion::default()] } else { all };
            let added = add(&call, all).await?.map(drop);
            added.map_err(|(problem, fault)| (problem, fault.map(|(_, why)| ("pasted", why))))
        }
        "run" => rehearsals::run(&call, None).await.map(drop).map_err(|problem| (problem, None)),
        "stop" => {
            let unknown = |_| not_found("run under way");
            let id: RehearsalId = form.text("run")?.parse().map_err(unknown)?;
            // One that has ended is stopped, as was wanted.
            rehearsals::end(&call, id).await?;
            Ok(())
        }
        _ => Err((Problem::invalid("`do` names nothing that can be done"), None)),
    };
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(refused) => render(&call, Typed { of: None, question, pasted }, Some(refused)).await,
    }
}

/// Adds questions, and returns the last.
async fn add(
    call: &Call,
    questions: Vec<WrittenQuestion>,
) -> Result<Result<Option<TestQuestion>, Fault>, Problem> {
    let acting = call.acting();
    let added = call
        .app
        .run(move |app| async move { app.dashboard.assistant.questions.add(acting, questions).await });
    Ok(added.await?.map(|mut added| added.pop()).map_err(|error| of_question(call, error)))
}

/// Replaces, removes or asks one question. What came of a replaced one is forgotten.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let given = call.given(payload).await?;
    let (acting, id): (_, TestQuestionId) = (call.acting(), call.id(unknown)?);
    let mut refused_as = Typed::default();
    let done = match call.what().as_str() {
        "save" | "set" => {
            let wanted = match given {
                Given::Json(payload) => call.json::<NewQuestionBody>(payload).await?.read(),
                Given::Form(form) => {
                    refused_as = Typed { of: Some(id), question: typed(&form)?, pasted: String::new() };
                    written(&refused_as.question)
                }
            };
            match wanted {
                Err(problem) => Err((problem, None)),
                Ok(wanted) => {
                    let changed = call.app.run(move |app| async move {
                        app.dashboard.assistant.questions.change(acting, id, wanted).await
                    });
                    match changed.await? {
                        Ok(changed) if call.is_of_api() => {
                            return act::ok(&QuestionBody::of(changed, None));
                        }
                        changed => changed.map(drop).map_err(|error| of_question(&call, error)),
                    }
                }
            }
        }
        "remove" => {
            let removed = call
                .app
                .run(move |app| async move { app.dashboard.assistant.questions.remove(acting, id).await });
            match removed.await? {
                // Already gone, as was wanted.
                Err(QuestionError::Unknown) if !call.is_of_api() => Ok(()),
                removed => removed.map_err(|error| of_question(&call, error)),
            }
        }
        "run" => rehearsals::run(&call, Some(id)).await.map(drop).map_err(|problem| (problem, None)),
        _ => Err((Problem::invalid("`do` names nothing that can be done"), None)),
    };
    match done {
        Ok(()) => Ok(call.done(PATH)),
        Err((problem, _)) if call.is_of_api() => Err(problem),
        Err(refused) => render(&call, refused_as, Some(refused)).await,
    }
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
