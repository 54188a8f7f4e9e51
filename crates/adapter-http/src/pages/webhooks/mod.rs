//! `/dashboard/settings/webhooks`: webhook addresses and their deliveries.

pub(super) mod address;
pub(super) mod delivery;

use std::collections::HashMap;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{AddressRow, AddressesPage, DeliveryRow, Section};
use domain::{
    events::EventType,
    webhooks::{Delivery, WebhookAddress},
};

use super::{
    answer::page,
    form::Form,
    frame, names, notice,
    refusal::{self, WrongField},
};
use crate::{app::App, problem::Problem, session::SignedIn};

const PATH: &str = "/dashboard/settings/webhooks";

fn row(address: WebhookAddress, names: &HashMap<String, String>) -> AddressRow {
    AddressRow {
        maker: address.creator.and_then(|creator| names.get(&creator.to_string()).cloned()),
        id: address.id.to_string(),
        url: address.url,
        events: address.events,
        state: address.health.state,
        because: address.health.disabled_reason,
    }
}

fn delivery_row(delivery: &Delivery) -> DeliveryRow {
    DeliveryRow {
        id: delivery.id.to_string(),
        event: delivery.event,
        state: delivery.state,
        attempts: delivery.attempts,
        at: delivery.created_at.into(),
    }
}

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let secret = notice::open(&app, &by, &request);
    render(&app, &by, &request, Ok(secret), None).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    registered: Result<Option<String>, Problem>,
    typed: Option<(String, Vec<EventType>)>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Webhooks).await?;
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.webhooks.manage.list(workspace).await });
    let names = names::members(app, by).await?;
    let addresses = listed.await??.into_iter().map(|address| row(address, &names)).collect();
    let (url, events) = typed.unwrap_or_else(|| (String::new(), EventType::SUBSCRIBABLE.to_vec()));
    let (status, secret, refused) = match registered {
        Ok(secret) => (StatusCode::OK, secret, None),
        Err(problem) => {
            let words = &frame.words().webhooks;
            let refused = refusal::of_only(request, problem, ("url", words.is_forbidden), frame.words())?;
            let no_event = || WrongField::new(first_event(), words.no_event).refused(request);
            let refused = if events.is_empty() { no_event() } else { refused };
            (StatusCode::UNPROCESSABLE_ENTITY, None, Some(refused))
        }
    };
    page(status, &AddressesPage { frame: &frame, addresses, secret, url, events, refused })
}

/// Returns the field that shows the error if no event is ticked.
fn first_event() -> &'static str {
    EventType::SUBSCRIBABLE.first().map_or("", |event| event.as_str())
}

fn ticked(form: &Form) -> Result<Vec<EventType>, Problem> {
    let mut events = Vec::new();
    for event in EventType::SUBSCRIBABLE {
        if form.filled(event.as_str())?.is_some() {
            events.push(*event);
        }
    }
    Ok(events)
}

/// Registers an address, unless it exists. The page shows its secret once.
pub(super) async fn register(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (url, events) = (form.text("url")?, ticked(&form)?);
    let (acting, to, typed) = (by.acting(), url.clone(), events.clone());
    let registered =
        app.run(move |app| async move { app.dashboard.webhooks.register.run_once(acting, to, events).await });
    match registered.await? {
        Ok(address) => notice::redirect_with(&app, &by, PATH, address.secret.reveal()),
        Err(error) => render(&app, &by, &request, Err(error.into()), Some((url, typed))).await,
    }
}
