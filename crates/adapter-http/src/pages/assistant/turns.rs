//! `/dashboard/settings/assistant/turns`: outcomes of turns, and tokens used by day.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{DayRow, Frame, Section, TurnRow, TurnsPage};
use domain::{
    assistant::{ListedTurn, TurnResult, UsageOfDay, Words},
    paging::{AskedPage, PageLimit},
};
use url::form_urlencoded;

use super::{
    super::{answer::ok, frame},
    knowledge::Titles,
};
use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Assistant).await?;
    let cursor = Parameters::of(&request)?.get("cursor")?.map(str::to_owned);
    let is_first = cursor.is_none();
    let (workspace, asked) = (by.session.workspace, AskedPage { limit: PageLimit::default(), cursor });
    let found = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let turns = assistant.read.list(workspace, &asked).await?;
        let today = assistant.read.spent_today(workspace).await?;
        let days = if is_first { assistant.read.usage(workspace).await? } else { Vec::new() };
        Ok::<_, Problem>((turns, days, today, assistant.manage.get(workspace).await?))
    });
    let (turns, days, today, settings) = found.await??;
    let earlier = turns.next.map(|next| {
        let cursor: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        format!("/dashboard/settings/assistant/turns?cursor={cursor}")
    });
    let references = turns.rows.iter().flat_map(|turn| &turn.evidence);
    let titles = Titles::of(&app, workspace, references).await?;
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
