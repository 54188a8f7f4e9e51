//! `/assistant/rehearsals`: runs through the questions that owners try the assistant with; and
//! `/assistant/hand-overs`, which become such questions.

use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use domain::{
    assistant::rehearsal::{HandOversOfWeek, HandedOver, Rehearsal, RehearsalError},
    ids::{ConversationId, MemberId, RehearsalId, TestQuestionId},
    sending::{PlanLimitReason, Refusal},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::super::act::{self, Answer, Call, Rows};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

/// What is to be asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewRehearsalBody {
    /// The one question to ask; all where it is absent.
    question_id: Option<TestQuestionId>,
}

/// A run through the questions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RehearsalBody {
    id: RehearsalId,
    /// Who began it; null for an operator.
    member_id: Option<MemberId>,
    /// `running`; `finished`; `stopped`, by a member; `replaced`, by one after a change; `tokens_spent`,
    /// where most of the day's are; `unavailable`, where the model or the system could not be asked;
    /// `paused`, with the subscription.
    state: &'static str,
    questions: u32,
    passed: u32,
    failed: u32,
    not_answered: u32,
    /// Whether what answers rest on was changed since it began.
    is_out_of_date: bool,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp")]
    changed_at: OffsetDateTime,
}

impl RehearsalBody {
    fn of(rehearsal: &Rehearsal, is_out_of_date: bool) -> Self {
        Self {
            id: rehearsal.id,
            member_id: rehearsal.member,
            state: rehearsal.state.as_str(),
            questions: rehearsal.total,
            passed: rehearsal.passed,
            failed: rehearsal.failed,
            not_answered: rehearsal.not_answered,
            is_out_of_date,
            created_at: rehearsal.created_at,
            changed_at: rehearsal.changed_at,
        }
    }
}

/// How often something was handed over for a reason.
#[derive(Serialize)]
struct ReasonBody {
    reason: &'static str,
    count: u64,
}

/// What was handed over.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HandedOverBody {
    conversation_id: ConversationId,
    reason: &'static str,
    /// What the customer had written last; null where that is gone.
    question: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
}

/// What was handed over in the last seven days.
#[derive(Serialize)]
struct HandOversBody {
    /// Most frequent first.
    reasons: Vec<ReasonBody>,
    /// The newest 50, newest first.
    rows: Vec<HandedOverBody>,
}

impl From<HandOversOfWeek> for HandOversBody {
    fn from(week: HandOversOfWeek) -> Self {
        let row = |HandedOver { conversation, reason, at, question }| HandedOverBody {
            conversation_id: conversation,
            reason: reason.as_str(),
            question,
            at,
        };
        let reasons = week.reasons.into_iter();
        Self {
            reasons: reasons.map(|(reason, count)| ReasonBody { reason: reason.as_str(), count }).collect(),
            rows: week.newest.into_iter().map(row).collect(),
        }
    }
}

fn unknown() -> Problem {
    not_found("run under way")
}

/// The last 20 runs, newest first.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let rehearsals = &app.dashboard.assistant.rehearsals;
        Ok::<_, Problem>((rehearsals.list(workspace).await?, rehearsals.fingerprint(workspace).await?))
    });
    let (runs, now) = found.await?;
    let rows = runs.iter().map(|run| RehearsalBody::of(run, run.fingerprint != now)).collect();
    act::ok(&Rows { rows })
}

/// Has the model answer the questions in the background, whatever the assistant's mode. Nothing is sent,
/// ordered or written down; products and free times are read, and the tokens are counted.
pub(in crate::pages) async fn begin(call: Call, payload: Payload) -> Answer {
    let NewRehearsalBody { question_id } = call.json(payload).await?;
    let began = run(&call, question_id).await?;
    act::json(StatusCode::ACCEPTED, &RehearsalBody::of(&began, false))
}

pub(super) async fn run(call: &Call, only: Option<TestQuestionId>) -> Result<Rehearsal, Problem> {
    let acting = call.acting();
    call.run(move |app| async move { app.dashboard.assistant.rehearsals.begin(acting, only).await }).await
}

/// Stops a run; what its questions have brought so far stays.
pub(in crate::pages) async fn stop(call: Call) -> Answer {
    if end(&call, call.id(unknown)?).await? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}

/// Stops a run; `false` if it is not under way.
pub(super) async fn end(call: &Call, id: RehearsalId) -> Result<bool, Problem> {
    let acting = call.acting();
    call.run(move |app| async move { app.dashboard.assistant.rehearsals.stop(acting, id).await }).await
}

/// What was handed over in the last seven days, and why: questions to add.
pub(in crate::pages) async fn hand_overs(call: Call) -> Answer {
    let workspace = call.workspace();
    let found = call.run(move |app| async move { app.dashboard.assistant.hand_overs.run(workspace).await });
    act::ok(&HandOversBody::from(found.await?))
}

impl From<RehearsalError> for Problem {
    fn from(error: RehearsalError) -> Self {
        let message = error.to_string();
        match error {
            RehearsalError::NoModel => Self::dashboard(DashboardCode::NoModel, message),
            RehearsalError::Paused => Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused).into(),
            RehearsalError::Unknown => not_found("question"),
            RehearsalError::NoQuestions => Self::dashboard(DashboardCode::NoTestQuestions, message),
            RehearsalError::Running => Self::dashboard(DashboardCode::RehearsalRunning, message),
            RehearsalError::TokensSpent => Self::dashboard(DashboardCode::TokensNearlySpent, message),
            RehearsalError::Store(error) => error.into(),
        }
    }
}
