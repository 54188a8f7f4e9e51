//! `/assistant/turns` and `/assistant/usage`: outcomes of turns, and tokens used by day.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    assistant::{ListedTurn, UsageOfDay},
    ids::{ConversationId, TurnId},
    paging::Page,
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{app::App, paging::read_page, problem::Problem, query::Parameters, session::SignedIn};

/// A turn that has ended, without a word of what was said.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnBody {
    id: TurnId,
    conversation_id: ConversationId,
    /// `answered`; `proposed`, where the customer was asked to confirm something; `handed_over`; `dropped`,
    /// where something had passed meanwhile.
    outcome: String,
    /// Why a person was asked for; null where none was.
    reason: Option<String>,
    /// The tools that were run, in order.
    tools: Vec<String>,
    /// The acts that the answer said, in order; none where it was not by acts.
    acts: Vec<String>,
    /// What the acts refer to, by kind and id, such as `product:12`; of an order only `order`.
    evidence: Vec<String>,
    /// Whose wording was sent: `code` or `model`; null without an answer.
    words: Option<String>,
    /// Why the model's wording was not: `facts`, `number`, `word` and others; null where nothing spoke
    /// against it, or there was none.
    objection: Option<String>,
    /// The rules that answers broke, in turns from before answers were acts.
    refused: Vec<String>,
    read_tokens: u64,
    written_tokens: u64,
    /// How long it took.
    milliseconds: u64,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
}

impl From<ListedTurn> for TurnBody {
    fn from(turn: ListedTurn) -> Self {
        Self {
            id: turn.id,
            conversation_id: turn.conversation,
            outcome: turn.outcome,
            reason: turn.reason,
            tools: turn.tools,
            acts: turn.acts,
            evidence: turn.evidence,
            words: turn.words,
            objection: turn.objection,
            refused: turn.refused,
            read_tokens: turn.usage.read_tokens,
            written_tokens: turn.usage.written_tokens,
            milliseconds: turn.milliseconds,
            at: turn.at,
        }
    }
}

/// A page of turns.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnsBody {
    rows: Vec<TurnBody>,
    /// What the next page is asked with; null on the last one.
    next_cursor: Option<String>,
}

impl From<Page<ListedTurn>> for TurnsBody {
    fn from(page: Page<ListedTurn>) -> Self {
        Self { rows: page.rows.into_iter().map(TurnBody::from).collect(), next_cursor: page.next }
    }
}

/// What a day took.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DayBody {
    /// The day, in UTC.
    day: String,
    turns: u64,
    answered: u64,
    handed_over: u64,
    read_tokens: u64,
    written_tokens: u64,
    /// What they cost, as decimal text in the currency of the models' price.
    cost: String,
}

/// What days took.
#[derive(Serialize)]
pub(crate) struct UsageBody {
    rows: Vec<DayBody>,
}

/// Turns that have ended, newest first, for 30 days.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<TurnsBody>, Problem> {
    let page = read_page(&Parameters::of(&request)?)?;
    let listed = app
        .run(move |app| async move { app.dashboard.assistant.read.list(by.session.workspace, &page).await });
    Ok(Json(listed.await??.into()))
}

/// The days of the last ninety that took anything, newest first.
pub(crate) async fn usage(app: Data<App>, by: SignedIn) -> Result<Json<UsageBody>, Problem> {
    let found =
        app.run(move |app| async move { app.dashboard.assistant.read.usage(by.session.workspace).await });
    let day = |day: UsageOfDay| DayBody {
        day: day.day.to_string(),
        turns: day.turns,
        answered: day.answered,
        handed_over: day.handed_over,
        read_tokens: day.usage.read_tokens,
        written_tokens: day.usage.written_tokens,
        cost: day.cost.to_string(),
    };
    Ok(Json(UsageBody { rows: found.await??.into_iter().map(day).collect() }))
}
