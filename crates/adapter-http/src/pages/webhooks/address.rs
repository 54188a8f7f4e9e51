//! `/dashboard/settings/webhooks/{id}`.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{AddressPage, Refused, ResendRow, Section};
use domain::{
    events::EventType,
    ids::WebhookAddressId,
    paging::{AskedPage, PageLimit},
    webhooks::{AddressSettings, DeliveryFilter, DeliveryState, Resend, ResendWindow, RotateError},
};
use url::form_urlencoded::Serializer;

use super::{
    super::{
        answer::{page, see_other},
        form::Form,
        frame, names, notice,
        refusal::{self, WrongField},
    },
    PATH, delivery_row, first_event, row, ticked,
};
use crate::{
    app::App,
    dashboard::webhooks::{self, known},
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

/// Time for which a replaced secret still signs beside the new one.
const OVERLAP: Duration = Duration::from_hours(24);

/// Message for a sent ping, shown once; never equal to a secret.
const PINGED: &str = "pinged";

#[derive(Default)]
struct Done {
    secret: Option<String>,
    is_pinged: bool,
    refused: Option<Refused>,
    written: Option<(String, Vec<EventType>)>,
    window: (String, String),
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let done = match notice::open(&app, &by, &request).as_deref() {
        None => Done::default(),
        Some(PINGED) => Done { is_pinged: true, ..Done::default() },
        Some(secret) => Done { secret: Some(secret.to_owned()), ..Done::default() },
    };
    render(&app, &by, &request, done).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Done,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Webhooks).await?;
    let parameters = Parameters::of(request)?;
    let state: Option<DeliveryState> = parameters.get("state")?.and_then(|word| word.parse().ok());
    let cursor = parameters.get("cursor")?;
    let address = known(app, by, request).await?;
    let filter = DeliveryFilter { address: address.id, state, event: None, since: None, until: None };
    let asked = AskedPage { limit: PageLimit::default(), cursor: cursor.map(str::to_owned) };
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.webhooks.read.list(workspace, &filter, &asked).await });
    let listed = listed.await??;
    let id = address.id;
    let resends = app.run(move |app| async move { app.dashboard.webhooks.resend.list(workspace, id).await });
    let resends = resends.await??;
    let earlier = listed.next.map(|next| {
        let query = Serializer::new(String::new())
            .append_pair("state", state.map_or("", DeliveryState::as_str))
            .append_pair("cursor", &next)
            .finish();
        format!("{PATH}/{}?{query}", address.id)
    });
    page(
        refusal::status(done.refused.as_ref()),
        &AddressPage {
            frame: &frame,
            address: row(address, &names::members(app, by).await?),
            written: done.written,
            resends: resends.iter().map(resend_row).collect(),
            window: done.window,
            deliveries: listed.rows.iter().map(delivery_row).collect(),
            state,
            earlier,
            secret: done.secret,
            done: done.is_pinged.then_some(frame.words().webhooks.pinged),
            refused: done.refused,
        },
    )
}

fn resend_row(resend: &Resend) -> ResendRow {
    ResendRow {
        since: resend.window.since.into(),
        until: resend.window.until.into(),
        state: resend.state(),
        total: resend.total,
        delivered: resend.delivered(),
        failed: resend.refused,
        waiting: resend.waiting(),
    }
}

async fn set(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    id: WebhookAddressId,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let (url, events) = (form.text("url")?, ticked(form)?);
    let words = frame::bare(request).words();
    let wanted = AddressSettings { events: Some(events.clone()), standard_headers: None };
    let (workspace, place) = (by.session.workspace, url.clone());
    let others = app
        .run(move |app| async move { app.dashboard.webhooks.register.at_the_place(workspace, &place).await });
    let refused = if events.is_empty() {
        WrongField::new(first_event(), words.webhooks.no_event).refused(request)
    } else if others.await??.iter().any(|other| *other != id) {
        WrongField::new("url", words.refusals.webhook_exists).refused(request)
    } else {
        match webhooks::set(app, by, id, Some(url.clone()), wanted).await {
            Ok(_) => return Ok(see_other(&format!("{PATH}/{id}"))),
            // Only the URL can still be wrong.
            Err(problem) => refusal::of_only(request, problem, ("url", words.webhooks.is_forbidden), words)?,
        }
    };
    let done = Done { refused: Some(refused), written: Some((url, events)), ..Done::default() };
    render(app, by, request, done).await
}

/// Resends the failed, held and pending deliveries of a window.
async fn window(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    id: WebhookAddressId,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let (since, until) = (form.text("since")?, form.text("until")?);
    let words = frame::bare(request).words();
    let now = app.clock.now();
    let zone = &by.session.time_zone;
    // The browser's field gives no offset: `2026-11-21T10:00`, with seconds where it has them.
    let read = |text: &str| zone.read_moment(text);
    let times = read(&since).zip(if until.is_empty() { Some(now) } else { read(&until) });
    let refused = match times.filter(|(since, until)| since < until) {
        None => {
            let name = if read(&since).is_none() { "since" } else { "until" };
            WrongField::new(name, words.webhooks.no_time).refused(request)
        }
        Some((since, until)) => {
            let (acting, window) = (by.acting(), ResendWindow { address: id, since, until });
            let begun =
                app.run(move |app| async move { app.dashboard.webhooks.resend.window(acting, window).await });
            match begun.await?.map_err(Problem::from) {
                Ok(_) => return Ok(see_other(&format!("{PATH}/{id}"))),
                Err(problem) => refusal::of_form(request, problem, words)?,
            }
        }
    };
    render(app, by, request, Done { refused: Some(refused), window: (since, until), ..Done::default() }).await
}

/// Changes an address, resends a window, pauses or resumes it, pings it, rotates its secret, or removes it.
pub(in crate::pages) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("webhook address");
    let id: WebhookAddressId = id(&request).ok_or_else(unknown)?;
    let form = Form::of(&request, payload).await?;
    let (what, acting) = (form.text("do")?, by.acting());
    match what.as_str() {
        "set" => return set(&app, &by, &request, id, &form).await,
        "window" => return window(&app, &by, &request, id, &form).await,
        _ => {}
    }
    let path = if what == "remove" { PATH.to_owned() } else { format!("{PATH}/{id}") };
    let changed = app.run(move |app| async move {
        let manage = &app.dashboard.webhooks.manage;
        let is_known = match what.as_str() {
            "pause" => manage.pause(acting, id).await?.is_some(),
            "resume" => manage.resume(acting, id).await?.is_some(),
            "remove" => manage.delete(acting, id).await?,
            "ping" => {
                let owed = manage.ping(acting, id).await?;
                return Ok(owed.map(|_| Some(PINGED.to_owned())));
            }
            "rotate" => {
                return match manage.rotate(acting, id, OVERLAP).await {
                    Ok(secret) => Ok(Some(Some(secret.reveal().to_owned()))),
                    Err(RotateError::Unknown) => Ok(None),
                    Err(error) => Err(error.into()),
                };
            }
            _ => return Err(Problem::invalid("`do` names nothing that can be done")),
        };
        Ok(is_known.then_some(None))
    });
    match changed.await??.ok_or_else(unknown)? {
        Some(text) => notice::redirect_with(&app, &by, &path, &text),
        None => Ok(see_other(&path)),
    }
}
