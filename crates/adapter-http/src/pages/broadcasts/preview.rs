//! Third step of a broadcast: its preview and start.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{
    BroadcastPeoplePage, BroadcastPreviewPage, BroadcastSkippedPage, SampleRow, Section, Trial, Words,
};
use domain::{
    broadcasts::{BroadcastError, BroadcastState, Change, SampledPerson, SkipReason, TryBroadcastError},
    contacts::ContactName,
    ids::BroadcastId,
    sending::{IdempotencyKey, Refusal, SendError},
    zone::Zone,
};
use time::OffsetDateTime;

use super::{
    super::{
        answer::{ok, page, see_other},
        automations::hours::end_in_field,
        form::Form,
        frame,
        not_taken::NotTaken,
        notice,
        refusal::{self, WrongField},
    },
    PATH, at, found, refused, start_typed, unknown,
};
use crate::{
    app::App, dashboard::broadcasts::skipped, paging::id, problem::Problem, query::Parameters,
    session::SignedIn,
};

/// First part of the canonical request, which tells these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/broadcasts/try";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let typed = start_typed(&request)?;
    let sent_to = notice::open(&app, &by, &request);
    render(&app, &by, &request, None, (typed, Trial { sent_to, ..Trial::default() })).await
}

fn sample(person: SampledPerson) -> SampleRow {
    let who = person.name.as_ref().map_or(person.phone.as_str(), ContactName::as_str).to_owned();
    match person.text {
        Ok(text) => SampleRow { who, text, left_out: None },
        Err(reason) => SampleRow { who, text: String::new(), left_out: Some(reason.as_str().to_owned()) },
    }
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_taken: Option<NotTaken>,
    (typed, trial): (Option<(String, String)>, Trial),
) -> Result<HttpResponse, Problem> {
    let (broadcast, _) = found(app, by, id(request).ok_or_else(unknown)?).await?;
    let (workspace, region) = (by.session.workspace, by.session.region);
    let (content, audience) = (broadcast.content.clone(), broadcast.audience.clone());
    let previewed = app.run(move |app| async move {
        let preview = &app.dashboard.broadcasts.manage.preview;
        preview.run(workspace, region, &content, &audience).await
    });
    let preview = previewed.await??;
    let frame = frame::of(app, request, by, Section::Broadcasts).await?;
    let (status, refused) = refused(request, not_taken, &frame)?;
    let written_to = preview.written_to();
    let key = if trial.key.is_empty() { app.ids.next().to_string() } else { trial.key };
    let quiet = broadcast.content.quiet.as_ref().map(|quiet| {
        let (from, to) = quiet.hours.told();
        (from, end_in_field(to), quiet.zone.to_string())
    });
    let left_out = preview.skipped.into_iter().filter(|(_, people)| *people > 0);
    let zone = broadcast.content.quiet.as_ref().map_or(&by.session.time_zone, |quiet| &quiet.zone);
    let (at, zone) = typed.unwrap_or_else(|| (String::new(), zone.to_string()));
    let against = preview.refusal.map(|against| match against {
        Refusal::NoChannel(_) => frame.words().broadcasts.no_number,
        against => refusal::sentence(&against.into(), frame.words()),
    });
    page(
        status,
        &BroadcastPreviewPage {
            frame: &frame,
            id: broadcast.id.to_string(),
            is_draft: broadcast.state == BroadcastState::Draft,
            name: broadcast.name,
            people: (
                preview.total.unwrap_or(preview.people),
                preview.total.is_some(),
                preview.without_number,
            ),
            complete: preview.complete,
            left_out: left_out
                .map(|(reason, people)| (SkipReason::as_str(reason).to_owned(), people))
                .collect(),
            sample: preview.sample.into_iter().map(sample).collect(),
            against,
            plan_room: preview.plan_room,
            limit: preview.limit,
            estimate: preview.estimate.map(|cost| cost.told()),
            written_to,
            sender: broadcast.content.from,
            spread: broadcast.content.spread,
            quiet,
            trial: Trial { key, ..trial },
            at,
            zone,
            refused,
        },
    )
}

/// Lists everybody who would be left out, with the reasons, page by page.
pub(in crate::pages) async fn left_out(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let cursor = Parameters::of(&request)?.filled().get("cursor")?.map(str::to_owned);
    let (broadcast, _) = found(&app, &by, id).await?;
    let (people, next) = skipped::page(&app, &by, broadcast.content, broadcast.audience, cursor).await?;
    let frame = frame::of(&app, &request, &by, Section::Broadcasts).await?;
    let none = (String::new(), String::new());
    let more = next.map(|next| BroadcastPeoplePage::at(&at(id, "skipped"), &none, Some(&next)));
    ok(&BroadcastSkippedPage {
        frame: &frame,
        id: id.to_string(),
        name: broadcast.name,
        people: people.into_iter().map(sample).collect(),
        more,
    })
}

/// Parses the start; `None` for at once. Without a zone in the form, the workspace's is used.
fn begins(
    (at, zone): &(String, String),
    here: &Zone,
    now: OffsetDateTime,
    words: &Words,
) -> Result<Option<OffsetDateTime>, WrongField> {
    if at.trim().is_empty() {
        return Ok(None);
    }
    let zone = match zone.trim() {
        "" => here.clone(),
        zone => Zone::read(zone).map_err(|_| WrongField::new("zone", words.automations.wrong_zone))?,
    };
    let begins = zone.moment(at).ok_or_else(|| WrongField::new("at", words.wrong.start))?;
    if Change::is_over(begins, now) {
        return Err(WrongField::new("at", words.wrong.over));
    }
    Ok(Some(begins))
}

pub(in crate::pages) async fn start(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let form = Form::of(&request, payload).await?;
    let typed = (form.text("at")?, form.text("zone")?);
    let words = frame::bare(&request).words();
    let at = match begins(&typed, &by.session.time_zone, app.clock.now(), words) {
        Ok(at) => at,
        Err(wrong) => {
            let typed = (Some(typed), Trial::default());
            return render(&app, &by, &request, Some(NotTaken::wrong(wrong)), typed).await;
        }
    };
    let (acting, region) = (by.acting(), by.session.region);
    let change = Change::start(at, app.clock.now());
    let started = app.run(move |app| async move {
        app.dashboard.broadcasts.manage.change(acting, region, id, change).await
    });
    match started.await? {
        Ok(_) => Ok(see_other(&format!("{PATH}/{id}"))),
        Err(BroadcastError::Unknown) => Err(unknown()),
        Err(error) => {
            // An immediate start has no typed time to show again.
            let typed = Some(typed).filter(|(at, _)| !at.is_empty());
            let typed = (typed, Trial::default());
            render(&app, &by, &request, Some(NotTaken::of_broadcast(error, words)), typed).await
        }
    }
}

/// Sends one message to a number, before anybody else gets it.
pub(in crate::pages) async fn send_one(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let form = Form::of(&request, payload).await?;
    let (to, key) = (form.text("to")?, form.key()?);
    let words = frame::bare(&request).words();
    let (author, region) = ((by.session.workspace, by.session.member), by.session.region);
    let asked = IdempotencyKey { key: key.clone(), request: format!("{ROUTE}/{id}\n{to}").into_bytes() };
    let number = to.clone();
    let sent = app.run(move |app| async move {
        app.dashboard.broadcasts.trial.run(author, region, id, number, asked).await
    });
    let not_taken = match sent.await? {
        Ok(sent) => return notice::redirect_with(&app, &by, &at(id, "preview"), sent.to.as_str()),
        Err(TryBroadcastError::Broadcast(BroadcastError::Unknown)) => return Err(unknown()),
        Err(TryBroadcastError::Broadcast(error)) => NotTaken::of_broadcast(error, words),
        Err(TryBroadcastError::Send(SendError::Refused(Refusal::InvalidPhone(_)))) => {
            NotTaken::wrong(WrongField::new("to", words.refusals.invalid_phone))
        }
        Err(TryBroadcastError::Send(error)) => Problem::from(error).into(),
        Err(TryBroadcastError::Store(error)) => return Err(error.into()),
    };
    // The same key sends nothing twice, whatever became of this one.
    let trial = Trial { key, typed: to, sent_to: None };
    render(&app, &by, &request, Some(not_taken), (None, trial)).await
}
