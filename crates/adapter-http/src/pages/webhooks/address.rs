//! `/webhooks/{id}`, in the browser `/dashboard/settings/webhooks/{id}`.

use std::time::Duration;

use actix_web::{http::StatusCode, web::Payload};
use dashboard_pages::{AddressPage, Refused, Section};
use domain::{
    events::EventType,
    ids::{DeliveryId, WebhookAddressId},
    paging::{AskedPage, PageLimit},
    webhooks::{
        AddressSettings, DeliveryFilter, DeliveryState, PingError, ResendWindow, RotateError, SubscribeError,
        WebhookAddress,
    },
};
use serde::{Deserialize, Serialize};
use url::form_urlencoded::Serializer;

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{page, see_other},
        form::Form,
        frame,
        refusal::{self, WrongField},
    },
    PATH, deliveries, first_event, known, named, resends, row, ticked, types, unknown,
};
use crate::{problem::Problem, query::Parameters};

/// Time for which a secret that a form replaces still signs beside the new one.
const OVERLAP: Duration = Duration::from_hours(24);

/// Message for a sent ping, shown once; never equal to a secret.
const PINGED: &str = "pinged";

/// What is to be other than it is. What is left out stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SettingsBody {
    /// What it is told of, and of nothing else.
    events: Option<Vec<String>>,
    /// Whether the Standard Webhooks headers are sent as well.
    standard_headers: Option<bool>,
    /// Another place, an `https` address of a public host. What is owed to it goes there, signed as before.
    url: Option<String>,
}

/// How the secret is replaced.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RotationBody {
    /// For how many minutes the old secret signs beside the new one; without it, it stops at once.
    #[serde(default)]
    overlap_minutes: u32,
}

/// The new secret.
#[derive(Serialize)]
struct SecretBody {
    /// Shown this once.
    secret: String,
}

/// The delivery that a `ping` is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PingBody {
    /// `GET /dashboard/api/deliveries/{id}` tells what becomes of it.
    delivery_id: DeliveryId,
}

#[derive(Default)]
struct Done {
    secret: Option<String>,
    is_pinged: bool,
    refused: Option<Refused>,
    written: Option<(String, Vec<EventType>)>,
    window: (String, String),
}

/// One address; in the browser, with its deliveries.
pub(in crate::pages) async fn get(call: Call) -> Answer {
    if call.is_of_api() {
        return act::ok(&row(known(&call).await?));
    }
    let told = call.told();
    let is_pinged = told.as_deref() == Some(PINGED);
    show(&call, Done { secret: told.filter(|_| !is_pinged), is_pinged, ..Done::default() }).await
}

async fn show(call: &Call, done: Done) -> Answer {
    let frame = call.frame(Section::Webhooks).await?;
    let parameters = Parameters::of(&call.request)?;
    let state: Option<DeliveryState> = parameters.get("state")?.and_then(|word| word.parse().ok());
    let cursor = parameters.get("cursor")?.map(str::to_owned);
    let address = known(call).await?;
    let id = address.id;
    let filter = DeliveryFilter { state, ..DeliveryFilter::of(id) };
    let listed = deliveries::of(call, filter, AskedPage { limit: PageLimit::default(), cursor }).await?;
    let earlier = listed.next.map(|next| {
        let query = Serializer::new(String::new())
            .append_pair("state", state.map_or("", DeliveryState::as_str))
            .append_pair("cursor", &next)
            .finish();
        format!("{PATH}/{id}?{query}")
    });
    page(
        refusal::status(done.refused.as_ref()),
        &AddressPage {
            frame: &frame,
            address: named(row(address), &call.names().await?),
            written: done.written,
            resends: resends::of(call, id).await?,
            window: done.window,
            deliveries: listed.rows.iter().map(deliveries::row).collect(),
            state,
            earlier,
            secret: done.secret,
            done: done.is_pinged.then_some(frame.words().webhooks.pinged),
            refused: done.refused,
        },
    )
}

/// Changes what an address is told of, how or where; pauses or resumes it, pings it, rotates its secret or
/// removes it.
///
/// What happens while it is paused is held in its log, and stays held until it is sent again. A disabled
/// address is pinged once. What is owed to a removed one is not delivered.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let given = call.given(payload).await?;
    let (what, acting, id): (_, _, WebhookAddressId) = (call.what(), call.acting(), call.id(unknown)?);
    let (path, is_of_api) = (format!("{PATH}/{id}"), call.is_of_api());
    let changed = match (what.as_str(), given) {
        ("set", Given::Form(form)) => return set_by(&call, id, &form).await,
        ("window", Given::Form(form)) => return send_window(&call, id, &form).await,
        ("set", Given::Json(payload)) => {
            let SettingsBody { events, standard_headers, url } = call.json(payload).await?;
            let events = events.map(|events| types(&events)).transpose()?;
            set(&call, id, url, AddressSettings { events, standard_headers }).await?
        }
        ("pause" | "resume", _) => {
            let changed = call.run(move |app| async move {
                let manage = &app.dashboard.webhooks.manage;
                if what == "pause" { manage.pause(acting, id).await } else { manage.resume(acting, id).await }
            });
            changed.await?.ok_or_else(unknown)?
        }
        ("remove", _) => {
            let removed =
                call.run(move |app| async move { app.dashboard.webhooks.manage.delete(acting, id).await });
            return if removed.await? { Ok(call.done(PATH)) } else { Err(unknown()) };
        }
        ("ping", _) => {
            let owed =
                call.run(move |app| async move { app.dashboard.webhooks.manage.ping(acting, id).await });
            let delivery_id = owed.await?.ok_or_else(unknown)?;
            let owed = PingBody { delivery_id };
            return if is_of_api { act::json(StatusCode::ACCEPTED, &owed) } else { call.tell(&path, PINGED) };
        }
        ("rotate", given) => {
            let overlap = match given {
                Given::Form(_) => OVERLAP,
                Given::Json(payload) => {
                    let RotationBody { overlap_minutes } = call.json(payload).await?;
                    Duration::from_secs(u64::from(overlap_minutes) * 60)
                }
            };
            let rotated = call.run(move |app| async move {
                app.dashboard.webhooks.manage.rotate(acting, id, overlap).await
            });
            let secret = rotated.await?.reveal().to_owned();
            return if is_of_api { act::ok(&SecretBody { secret }) } else { call.tell(&path, &secret) };
        }
        _ => return Err(Problem::invalid("`do` names nothing that can be done")),
    };
    if is_of_api { act::ok(&row(changed)) } else { Ok(see_other(&path)) }
}

/// Changes the given settings of an address.
async fn set(
    call: &Call,
    id: WebhookAddressId,
    url: Option<String>,
    wanted: AddressSettings,
) -> Result<WebhookAddress, Problem> {
    let acting = call.acting();
    let changed = call.run(move |app| async move {
        let webhooks = &app.dashboard.webhooks;
        // The settings first: they can be refused without resolving the host.
        let changed = if url.is_some() && wanted == AddressSettings::default() {
            webhooks.manage.get(acting.workspace, id).await?.ok_or_else(unknown)?
        } else {
            webhooks.manage.set(acting, id, wanted).await?
        };
        let Some(url) = url.filter(|url| *url != changed.url) else { return Ok(changed) };
        if !webhooks.register.move_to(acting, id, url.clone()).await? {
            return Err(unknown());
        }
        Ok::<_, Problem>(WebhookAddress { url, ..changed })
    });
    changed.await
}

async fn set_by(call: &Call, id: WebhookAddressId, form: &Form) -> Answer {
    let (url, events) = (form.text("url")?, ticked(form)?);
    let words = frame::bare(&call.request).words();
    let wanted = AddressSettings { events: Some(events.clone()), standard_headers: None };
    let (workspace, place) = (call.workspace(), url.clone());
    let others = call
        .run(move |app| async move { app.dashboard.webhooks.register.at_the_place(workspace, &place).await });
    let refused = if events.is_empty() {
        WrongField::new(first_event(), words.webhooks.no_event).refused(&call.request)
    } else if others.await?.iter().any(|other| *other != id) {
        WrongField::new("url", words.refusals.webhook_exists).refused(&call.request)
    } else {
        match set(call, id, Some(url.clone()), wanted).await {
            Ok(_) => return Ok(see_other(&format!("{PATH}/{id}"))),
            // Only the URL can still be wrong.
            Err(problem) => {
                refusal::of_only(&call.request, problem, ("url", words.webhooks.is_forbidden), words)?
            }
        }
    };
    show(call, Done { refused: Some(refused), written: Some((url, events)), ..Done::default() }).await
}

/// Resends the failed, held and pending deliveries of a window, by the clock of the workspace.
async fn send_window(call: &Call, address: WebhookAddressId, form: &Form) -> Answer {
    let (since, until) = (form.text("since")?, form.text("until")?);
    let words = frame::bare(&call.request).words();
    let now = call.app.clock.now();
    let zone = &call.by.session.time_zone;
    // The browser's field gives no offset: `2026-11-21T10:00`, with seconds where it has them.
    let read = |text: &str| zone.read_moment(text);
    let times = read(&since).zip(if until.is_empty() { Some(now) } else { read(&until) });
    let refused = match times.filter(|(since, until)| since < until) {
        None => {
            let name = if read(&since).is_none() { "since" } else { "until" };
            WrongField::new(name, words.webhooks.no_time).refused(&call.request)
        }
        Some((since, until)) => match resends::send(call, ResendWindow { address, since, until }).await {
            Ok(_) => return Ok(see_other(&format!("{PATH}/{address}"))),
            Err(problem) => refusal::of_form(&call.request, problem, words)?,
        },
    };
    show(call, Done { refused: Some(refused), window: (since, until), ..Done::default() }).await
}

impl From<SubscribeError> for Problem {
    fn from(error: SubscribeError) -> Self {
        match error {
            SubscribeError::NoEvents => Self::invalid(error.to_string()),
            SubscribeError::Unknown => unknown(),
            SubscribeError::Store(error) => error.into(),
        }
    }
}

impl From<PingError> for Problem {
    fn from(error: PingError) -> Self {
        match error {
            PingError::Throttled(throttled) => throttled.into(),
            PingError::Store(error) => error.into(),
        }
    }
}

impl From<RotateError> for Problem {
    fn from(error: RotateError) -> Self {
        match error {
            RotateError::OverlapTooLong => Self::invalid(format!("`overlapMinutes`: {error}")),
            RotateError::Unknown => unknown(),
            RotateError::Store(error) => error.into(),
        }
    }
}
