//! `/dashboard/broadcasts`: templates sent to many people.
//!
//! `draft` and `content` write a broadcast, `preview` shows and starts it, `lists` holds uploaded lists of
//! numbers; this file shows the progress of one.

pub(super) mod content;
pub(super) mod draft;
pub(super) mod lists;
pub(super) mod preview;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{
    BroadcastPage, BroadcastPeoplePage, BroadcastPersonRow, BroadcastRow, BroadcastsPage, Counts, Frame,
    LeftOutRow, Refused, Section,
};
use domain::{
    broadcasts::{
        Broadcast, BroadcastError, BroadcastProgress, Change, LeftOutNumber, PeopleState, PersonState,
        ports::ListedPerson,
    },
    contacts::ContactName,
    ids::BroadcastId,
    paging::{AskedPage, PageLimit},
};
use url::form_urlencoded::Serializer;

use super::{
    answer::{ok, page, see_other},
    form::Form,
    frame,
    not_taken::NotTaken,
    refusal,
};
use crate::{
    app::App,
    dashboard::broadcasts::people::parse_filter,
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

const PATH: &str = "/dashboard/broadcasts";

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

fn asked_page(parameters: &Parameters) -> Result<AskedPage, Problem> {
    let cursor = parameters.get("cursor")?.map(str::to_owned);
    Ok(AskedPage { limit: PageLimit::default(), cursor })
}

fn refused(
    request: &HttpRequest,
    not_taken: Option<NotTaken>,
    frame: &Frame,
) -> Result<(StatusCode, Option<Refused>), Problem> {
    let refused = not_taken.map(|not_taken| not_taken.refused(request, frame.words())).transpose()?;
    Ok((refusal::status(refused.as_ref()), refused))
}

async fn found(
    app: &Data<App>,
    by: &SignedIn,
    id: BroadcastId,
) -> Result<(Broadcast, BroadcastProgress), Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move { app.dashboard.broadcasts.manage.get(workspace, id).await });
    Ok(found.await??)
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

pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Broadcasts).await?;
    let asked = asked_page(&Parameters::of(&request)?.filled())?;
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.broadcasts.manage.list(workspace, &asked).await });
    let listed = listed.await??;
    let none = (String::new(), String::new());
    let more = listed.next.map(|next| BroadcastPeoplePage::at(PATH, &none, Some(&next)));
    ok(&BroadcastsPage { frame: &frame, broadcasts: listed.rows.iter().map(row).collect(), more })
}

fn left_out(number: &LeftOutNumber) -> LeftOutRow {
    LeftOutRow {
        phone: number.phone.as_ref().map(|phone| phone.as_str().to_owned()),
        reason: number.reason,
        code: number.code.map(|code| code.to_string()),
        at: number.at.into(),
    }
}

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    shown_with(&app, &by, &request, None).await
}

async fn shown_with(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    problem: Option<Problem>,
) -> Result<HttpResponse, Problem> {
    let (broadcast, progress) = found(app, by, id(request).ok_or_else(unknown)?).await?;
    let frame = frame::of(app, request, by, Section::Broadcasts).await?;
    let (status, refused) = refused(request, problem.map(NotTaken::from), &frame)?;
    let counts = Counts {
        queued: progress.count(PersonState::Queued),
        sent: progress.count(PersonState::Sent),
        unconfirmed: progress.count(PersonState::Unconfirmed),
        failed: progress.count(PersonState::Failed),
        skipped: progress.count(PersonState::Skipped),
        delivered: progress.delivered,
        read: progress.read,
        undelivered: progress.undelivered,
        answered: progress.answered,
        stopped: progress.stopped,
    };
    page(
        status,
        &BroadcastPage {
            frame: &frame,
            row: row(&broadcast),
            reason: broadcast.reason,
            ended_at: broadcast.ended_at.map(Into::into),
            limited_until: broadcast.limited_until.map(Into::into),
            quiet_until: broadcast.quiet_until(app.clock.now()).map(Into::into),
            collected: broadcast.collected,
            counts,
            reasons: progress.reasons(),
            left_out: progress.left_out.iter().map(left_out).collect(),
            refused,
        },
    )
}

/// Pauses, resumes or cancels a broadcast, or removes a draft.
pub(super) async fn make_move(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let what = Form::of(&request, payload).await?.text("do")?;
    let (acting, region) = (by.acting(), by.session.region);
    let is_removed = what == "remove";
    let change = match what.as_str() {
        "pause" => Change::Pause,
        "resume" => Change::Resume,
        "cancel" => Change::Cancel,
        "remove" => Change::Remove,
        _ => return Err(Problem::invalid("`do` is one of pause, resume, cancel and remove".to_owned())),
    };
    let done = app.run(move |app| async move {
        let manage = &app.dashboard.broadcasts.manage;
        match change {
            Change::Remove => manage.remove(acting, id).await,
            change => manage.change(acting, region, id, change).await.map(drop),
        }
    });
    match done.await? {
        Ok(()) if is_removed => Ok(see_other(PATH)),
        Ok(()) => Ok(see_other(&format!("{PATH}/{id}"))),
        Err(BroadcastError::Unknown) => Err(unknown()),
        Err(error) => shown_with(&app, &by, &request, Some(error.into())).await,
    }
}

/// Summarizes in one word what a person did, or how far their message has come.
fn state_of(listed: &ListedPerson) -> PeopleState {
    let followed = &listed.followed;
    [
        (followed.stopped_at.is_some(), PeopleState::Stopped),
        (followed.answered_at.is_some(), PeopleState::Answered),
        (followed.undelivered_at.is_some(), PeopleState::Undelivered),
        (followed.read_at.is_some(), PeopleState::Read),
        (followed.delivered_at.is_some(), PeopleState::Delivered),
    ]
    .into_iter()
    .find_map(|(is_so, state)| is_so.then_some(state))
    .unwrap_or(PeopleState::Is(listed.state))
}

fn person(listed: ListedPerson) -> BroadcastPersonRow {
    let state = state_of(&listed);
    let code = listed.followed.code.map(|code| code.to_string());
    let ListedPerson { person, reason, at, .. } = listed;
    let phone = person.phone.as_str().to_owned();
    BroadcastPersonRow {
        name: person
            .name
            .as_ref()
            .map_or_else(|| phone.clone(), |name: &ContactName| name.as_str().to_owned()),
        phone,
        contact: person.contact.map(|contact| contact.to_string()),
        state,
        reason: reason.or(code),
        at: at.into(),
    }
}

pub(super) async fn people(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let parameters = Parameters::of(&request)?.filled();
    let (filter, asked) = (parse_filter(&parameters)?, asked_page(&parameters)?);
    let (broadcast, _) = found(&app, &by, id).await?;
    let frame = frame::of(&app, &request, &by, Section::Broadcasts).await?;
    let state = filter.state.map(PeopleState::as_str).unwrap_or_default().to_owned();
    let typed = (state, filter.reason.clone().unwrap_or_default());
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move {
        app.dashboard.broadcasts.manage.people(workspace, id, &filter, &asked).await
    });
    let listed = listed.await??.ok_or_else(unknown)?;
    let more = listed.next.map(|next| BroadcastPeoplePage::at(&at(id, "people"), &typed, Some(&next)));
    ok(&BroadcastPeoplePage {
        frame: &frame,
        id: id.to_string(),
        name: broadcast.name,
        filter: typed,
        people: listed.rows.into_iter().map(person).collect(),
        more,
    })
}
