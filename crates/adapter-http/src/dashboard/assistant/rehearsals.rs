//! `/assistant/rehearsals`: runs through the questions that owners try the assistant with; and
//! `/assistant/hand-overs`, which become such questions.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    assistant::rehearsal::{HandOversOfWeek, HandedOver, Rehearsal, RehearsalError},
    ids::{ConversationId, MemberId, RehearsalId, TestQuestionId},
    sending::{PlanLimitReason, Refusal},
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

/// What is to be asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewRehearsalBody {
    /// The one question to ask; all where it is absent.
    question_id: Option<TestQuestionId>,
}

/// A run through the questions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RehearsalBody {
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

/// The last runs.
#[derive(Serialize)]
pub(crate) struct RehearsalsBody {
    rows: Vec<RehearsalBody>,
}

/// How often something was handed over for a reason.
#[derive(Serialize)]
pub(crate) struct ReasonBody {
    reason: &'static str,
    count: u64,
}

/// What was handed over.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HandedOverBody {
    conversation_id: ConversationId,
    reason: &'static str,
    /// What the customer had written last; null where that is gone.
    question: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
}

/// What was handed over in the last seven days.
#[derive(Serialize)]
pub(crate) struct HandOversBody {
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

/// The last 20 runs, newest first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<RehearsalsBody>, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let rehearsals = &app.dashboard.assistant.rehearsals;
        Ok::<_, Problem>((rehearsals.list(workspace).await?, rehearsals.fingerprint(workspace).await?))
    });
    let (runs, now) = found.await??;
    let rows = runs.iter().map(|run| RehearsalBody::of(run, run.fingerprint != now)).collect();
    Ok(Json(RehearsalsBody { rows }))
}

/// Has the model answer the questions in the background, whatever the assistant's mode. Nothing is sent,
/// ordered or written down; products and free times are read, and the tokens are counted.
pub(crate) async fn begin(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewRehearsalBody { question_id } = body::json(&request, payload).await?.fields;
    let began = app.run(move |app| async move {
        app.dashboard.assistant.rehearsals.begin(by.acting(), question_id).await
    });
    Ok(HttpResponse::Accepted().json(RehearsalBody::of(&began.await??, false)))
}

/// Stops a run; what its questions have brought so far stays.
pub(crate) async fn stop(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("run under way");
    let id = id(&request).ok_or_else(unknown)?;
    let stopped =
        app.run(move |app| async move { app.dashboard.assistant.rehearsals.stop(by.acting(), id).await });
    if stopped.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}

/// What was handed over in the last seven days, and why: questions to add.
pub(crate) async fn hand_overs(app: Data<App>, by: SignedIn) -> Result<Json<HandOversBody>, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move { app.dashboard.assistant.hand_overs.run(workspace).await });
    Ok(Json(found.await??.into()))
}
