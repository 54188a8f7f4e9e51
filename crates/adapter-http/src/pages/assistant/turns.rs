//! `/assistant/turns` and `/assistant/usage`, in the browser one page: outcomes of turns, and tokens used by
//! day.

use dashboard_pages::{DayRow, Frame, Section, TurnRow, TurnsPage};
use domain::{
    assistant::{ListedTurn, TurnResult, UsageOfDay, Words},
    ids::{ConversationId, TurnId},
    paging::{AskedPage, PageLimit},
};
use serde::Serialize;
use time::OffsetDateTime;
use url::form_urlencoded;

use super::{
    super::{
        act::{self, Answer, Call, PageOfRows, Rows},
        answer::ok,
    },
    knowledge::Titles,
};
use crate::{paging::read_page, problem::Problem};

/// A turn that has ended, without a word of what was said.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnBody {
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

/// What a day took.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DayBody {
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

/// Turns that have ended, newest first, for 30 days.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let (workspace, parameters) = (call.workspace(), call.parameters()?);
    if call.is_of_api() {
        let asked = read_page(&parameters)?;
        let listed =
            call.run(move |app| async move { app.dashboard.assistant.read.list(workspace, &asked).await });
        return act::ok(&PageOfRows::from_rows(listed.await?, TurnBody::from));
    }
    let frame = call.frame(Section::Assistant).await?;
    let cursor = parameters.get("cursor")?.map(str::to_owned);
    let is_first = cursor.is_none();
    let asked = AskedPage { limit: PageLimit::default(), cursor };
    let found = call.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let turns = assistant.read.list(workspace, &asked).await?;
        let today = assistant.read.spent_today(workspace).await?;
        let days = if is_first { assistant.read.usage(workspace).await? } else { Vec::new() };
        Ok::<_, Problem>((turns, days, today, assistant.manage.get(workspace).await?))
    });
    let (turns, days, today, settings) = found.await?;
    let earlier = turns.next.map(|next| {
        let cursor: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        format!("/dashboard/settings/assistant/turns?cursor={cursor}")
    });
    let references = turns.rows.iter().flat_map(|turn| &turn.evidence);
    let titles = Titles::of(&call.app, workspace, references).await?;
    let rows = turns.rows.into_iter().filter_map(|turn| row(turn, &titles, &frame));
    ok(&TurnsPage {
        frame: &frame,
        turns: rows.collect(),
        earlier,
        days: days.into_iter().map(day).collect(),
        daily_tokens: settings.daily_tokens,
        is_nearly_spent: settings.day_limit().is_nearly_reached(today),
    })
}

/// Converts a turn to a row; `None` if this version does not know its outcome.
fn row(turn: ListedTurn, titles: &Titles, frame: &Frame) -> Option<TurnRow> {
    Some(TurnRow {
        at: turn.at.into(),
        conversation: turn.conversation.to_string(),
        result: TurnResult::read(&turn.outcome, turn.reason.as_deref())?,
        tools: turn.tools,
        acts: turn.acts,
        evidence: titles.rows(frame, &turn.evidence),
        words: turn.words.as_deref().and_then(Words::read),
        objection: turn.objection,
        refused: turn.refused,
        tokens: turn.usage.read_tokens + turn.usage.written_tokens,
        took: turn.milliseconds,
    })
}

fn day(day: UsageOfDay) -> DayRow {
    DayRow {
        day: day.day.to_string(),
        turns: day.turns,
        answered: day.answered,
        handed_over: day.handed_over,
        tokens: day.usage.read_tokens + day.usage.written_tokens,
    }
}

/// The days of the last ninety that took anything, newest first.
pub(in crate::pages) async fn usage(call: Call) -> Answer {
    let workspace = call.workspace();
    let found = call.run(move |app| async move { app.dashboard.assistant.read.usage(workspace).await });
    let day = |day: UsageOfDay| DayBody {
        day: day.day.to_string(),
        turns: day.turns,
        answered: day.answered,
        handed_over: day.handed_over,
        read_tokens: day.usage.read_tokens,
        written_tokens: day.usage.written_tokens,
        cost: day.cost.to_string(),
    };
    act::ok(&Rows { rows: found.await?.into_iter().map(day).collect() })
}
