//! `/broadcasts`, in the browser `/dashboard/broadcasts`: approved templates sent to many people.
//!
//! `draft` and `content` write a broadcast, `preview` shows and starts it, `people` lists whom it goes to,
//! `lists` holds uploaded lists of numbers; this file shows the progress of one and changes its state.

pub(super) mod content;
pub(super) mod draft;
pub(super) mod lists;
pub(super) mod people;
pub(super) mod preview;
mod wire;

use std::sync::Arc;

use actix_web::{HttpRequest, web::Payload};
use dashboard_pages::{
    BroadcastPage, BroadcastPeoplePage, BroadcastRow, BroadcastsPage, Counts, LeftOutRow, Progress,
    ReasonRow, Section,
};
use domain::{
    broadcasts::{Broadcast, BroadcastError, BroadcastProgress, Change, LeftOutNumber, PersonState},
    ids::BroadcastId,
};
use serde::Serialize;
use time::OffsetDateTime;
use url::form_urlencoded::Serializer;

use self::wire::BroadcastBody;
use super::{
    act::{self, Answer, Call, PageOfRows},
    answer::{ok, page},
};
use crate::{
    app::App,
    paging::{not_found, read_page},
    problem::{DashboardCode, Problem},
    query::Parameters,
};

const PATH: &str = "/dashboard/broadcasts";

/// A broadcast, and how far it is.
#[derive(Serialize)]
struct FollowedBody {
    broadcast: BroadcastBody,
    progress: Progress,
}

fn unknown() -> Problem {
    not_found("broadcast")
}

fn at(id: BroadcastId, what: &str) -> String {
    format!("{PATH}/{id}/{what}")
}

/// Returns the start and its zone as typed on the last step. Until the broadcast is started, only the URLs of
/// the steps carry them.
fn start_typed(request: &HttpRequest) -> Result<Option<(String, String)>, Problem> {
    let asked = Parameters::of(request)?;
    let text = |name: &str| Ok::<_, Problem>(asked.get(name)?.unwrap_or_default().to_owned());
    let typed = (text("at")?, text("zone")?);
    Ok(Some(typed).filter(|(at, zone)| !(at.is_empty() && zone.is_empty())))
}

/// Returns the path of another step of a draft, with the typed start.
fn step(request: &HttpRequest, id: BroadcastId, what: &str) -> Result<String, Problem> {
    let Some((begins, zone)) = start_typed(request)? else { return Ok(at(id, what)) };
    let query = Serializer::new(String::new()).append_pair("at", &begins).append_pair("zone", &zone).finish();
    Ok(format!("{}?{query}", at(id, what)))
}

/// Loads the broadcast in the path.
async fn found(call: &Call) -> Result<(Broadcast, BroadcastProgress), Problem> {
    let (workspace, id) = (call.workspace(), call.id(unknown)?);
    call.run(move |app| async move { app.dashboard.broadcasts.manage.get(workspace, id).await }).await
}

fn row(broadcast: &Broadcast) -> BroadcastRow {
    BroadcastRow {
        id: broadcast.id.to_string(),
        name: broadcast.name.clone(),
        template: broadcast.content.template.clone(),
        state: broadcast.state,
        at: broadcast.starts_at.map(Into::into),
    }
}

/// The broadcasts, newest first.
pub(super) async fn list(call: Call) -> Answer {
    let (workspace, asked) = (call.workspace(), read_page(&call.parameters()?)?);
    let listed =
        call.run(move |app| async move { app.dashboard.broadcasts.manage.list(workspace, &asked).await });
    let listed = listed.await?;
    if call.is_of_api() {
        return act::ok(&PageOfRows::from_rows(listed, BroadcastBody::from));
    }
    let none = (String::new(), String::new());
    let more = listed.next.map(|next| BroadcastPeoplePage::at(PATH, &none, Some(&next)));
    let frame = &call.frame(Section::Broadcasts).await?;
    ok(&BroadcastsPage { frame, broadcasts: listed.rows.iter().map(row).collect(), more })
}

fn left_out(number: LeftOutNumber) -> LeftOutRow {
    let LeftOutNumber { phone, reason, code, at, .. } = number;
    let phone = phone.map(|phone| phone.as_str().to_owned());
    LeftOutRow { phone, reason, code, at: at.into() }
}

fn reason((reason, people): (String, u64)) -> ReasonRow {
    ReasonRow { reason, people }
}

fn progress(of: &Broadcast, told: BroadcastProgress, now: OffsetDateTime) -> Progress {
    Progress {
        collected: of.collected,
        limited_until: of.limited_until.map(Into::into),
        quiet_until: of.quiet_until(now).map(Into::into),
        counts: Counts {
            queued: told.count(PersonState::Queued),
            sent: told.count(PersonState::Sent),
            unconfirmed: told.count(PersonState::Unconfirmed),
            failed: told.count(PersonState::Failed),
            skipped: told.count(PersonState::Skipped),
            delivered: told.delivered,
            read: told.read,
            undelivered: told.undelivered,
            answered: told.answered,
            stopped: told.stopped,
        },
        reasons: told.reasons().into_iter().map(reason).collect(),
        left_out: told.left_out.into_iter().map(left_out).collect(),
    }
}

/// A broadcast, and how far it is.
pub(super) async fn show(call: Call) -> Answer {
    render(&call, None).await
}

async fn render(call: &Call, problem: Option<Problem>) -> Answer {
    let (broadcast, told) = found(call).await?;
    let progress = progress(&broadcast, told, call.app.clock.now());
    if call.is_of_api() {
        return act::ok(&FollowedBody { broadcast: broadcast.into(), progress });
    }
    let frame = call.frame(Section::Broadcasts).await?;
    let (status, refused) = call.refused(problem, &frame)?;
    page(
        status,
        &BroadcastPage {
            frame: &frame,
            row: row(&broadcast),
            reason: broadcast.reason,
            ended_at: broadcast.ended_at.map(Into::into),
            progress,
            refused,
        },
    )
}

/// Pauses, resumes or cancels a broadcast, or removes a draft.
///
/// Of a broadcast that is paused, what is under way and up to 32 more messages are sent; one that is resumed
/// before the time at which it begins is `scheduled` again; whom a cancelled one has not written to, it never
/// writes to.
pub(super) async fn change(call: Call, payload: Payload) -> Answer {
    let id: BroadcastId = call.id(unknown)?;
    call.given(payload).await?;
    let change = match call.what().as_str() {
        "pause" => Change::Pause,
        "resume" => Change::Resume,
        "cancel" => Change::Cancel,
        "remove" => {
            let acting = call.acting();
            let removed =
                call.run(move |app| async move { app.dashboard.broadcasts.manage.remove(acting, id).await });
            let done = removed.await.map(|()| call.done(PATH));
            return call.answer(done, PATH, |problem| render(&call, Some(problem))).await;
        }
        _ => return Err(Problem::invalid("`do` is one of pause, resume, cancel and remove")),
    };
    let changed = moved(&call, id, change).await?.map_err(Problem::from);
    let done = changed.and_then(|broadcast| act::ok(&BroadcastBody::from(broadcast)));
    call.answer(done, &format!("{PATH}/{id}"), |problem| render(&call, Some(problem))).await
}

async fn moved(
    call: &Call,
    id: BroadcastId,
    change: Change,
) -> Result<Result<Broadcast, BroadcastError>, Problem> {
    let (acting, region) = (call.acting(), call.by.session.region);
    let moving = move |app: Arc<App>| async move {
        app.dashboard.broadcasts.manage.change(acting, region, id, change).await
    };
    call.app.run(moving).await
}

impl From<BroadcastError> for Problem {
    fn from(error: BroadcastError) -> Self {
        let message = error.to_string();
        match error {
            BroadcastError::Name | BroadcastError::Content(_) | BroadcastError::Audience(_) => {
                Self::invalid(message)
            }
            BroadcastError::CodeTemplate => Self::dashboard(DashboardCode::BroadcastOfCodes, message),
            BroadcastError::Refused(refusal) => refusal.into(),
            BroadcastError::Nobody => Self::dashboard(DashboardCode::BroadcastToNobody, message),
            BroadcastError::State(_) => Self::dashboard(DashboardCode::BroadcastState, message),
            BroadcastError::TooMany => Self::dashboard(DashboardCode::TooManyBroadcasts, message),
            BroadcastError::Unknown => unknown(),
            BroadcastError::Store(error) => error.into(),
        }
    }
}
