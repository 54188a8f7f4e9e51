//! `/webhooks`, in the browser `/dashboard/settings/webhooks`: addresses that events are delivered to.

pub(super) mod address;
pub(super) mod deliveries;
pub(super) mod resends;

use std::collections::HashMap;

use actix_web::web::Payload;
use dashboard_pages::{AddressRow, AddressesPage, Section};
use domain::{
    events::{EventType, UnknownEvent},
    ids::WebhookAddressId,
    webhooks::{RegisterError, RegisteredAddress, WebhookAddress},
};
use serde::{Deserialize, Serialize};

use super::{
    act::{self, Answer, Call, Given, Rows},
    answer::page,
    form::Form,
    refusal::{self, WrongField},
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

const PATH: &str = "/dashboard/settings/webhooks";

/// An address to register. In a form, each event is a field of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewAddress {
    /// An `https` address of a public host.
    url: String,
    events: Vec<String>,
}

/// An address that was just registered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegisteredBody {
    id: WebhookAddressId,
    /// What signs its deliveries, shown this once.
    secret: String,
    /// Other addresses of the workspace with the same URL: what both are told of goes there twice.
    same_as: Vec<WebhookAddressId>,
}

fn unknown() -> Problem {
    not_found("webhook address")
}

fn row(address: WebhookAddress) -> AddressRow {
    AddressRow {
        id: address.id,
        url: address.url,
        events: address.events,
        state: address.health.state,
        disabled_reason: address.health.disabled_reason,
        consecutive_failures: address.health.consecutive_failures,
        standard_headers: address.standard_headers,
        previous_secret_until: address.previous_secret_until.map(Into::into),
        creator_id: address.creator,
        maker: None,
        created_at: address.created_at.into(),
    }
}

/// Adds the name of the member who registered the address.
fn named(row: AddressRow, names: &HashMap<String, String>) -> AddressRow {
    let maker = row.creator_id.and_then(|creator| names.get(&creator.to_string()).cloned());
    AddressRow { maker, ..row }
}

/// Loads the address in the path.
async fn known(call: &Call) -> Result<WebhookAddress, Problem> {
    let (workspace, id) = (call.workspace(), call.id(unknown)?);
    let found = call.run(move |app| async move { app.dashboard.webhooks.manage.get(workspace, id).await });
    found.await?.ok_or_else(unknown)
}

/// The addresses, oldest first.
pub(super) async fn list(call: Call) -> Answer {
    show(&call, None).await
}

/// Shows the addresses, with the secret of a new one, or the URL and events of one that was not registered,
/// and why.
async fn show(call: &Call, not_registered: Option<((String, Vec<EventType>), Problem)>) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.dashboard.webhooks.manage.list(workspace).await });
    let rows = listed.await?.into_iter().map(row);
    if call.is_of_api() {
        return act::ok(&Rows { rows: rows.collect() });
    }
    let (frame, names) = (call.frame(Section::Webhooks).await?, call.names().await?);
    let (typed, problem) = not_registered.unzip();
    let (url, events) = typed.unwrap_or_else(|| (String::new(), EventType::SUBSCRIBABLE.to_vec()));
    let (words, request) = (frame.words(), &call.request);
    let forbidden = ("url", words.webhooks.is_forbidden);
    let refused = problem.map(|problem| refusal::of_only(request, problem, forbidden, words)).transpose()?;
    let no_event = |_| WrongField::new(first_event(), words.webhooks.no_event).refused(request);
    let refused = if events.is_empty() { refused.map(no_event) } else { refused };
    let addresses = rows.map(|row| named(row, &names)).collect();
    let (status, secret) = (refusal::status(refused.as_ref()), call.told());
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

fn types(names: &[String]) -> Result<Vec<EventType>, Problem> {
    let types = names.iter().map(|name| name.parse()).collect::<Result<_, UnknownEvent>>();
    types.map_err(|error| Problem::invalid(format!("`events`: {error}")))
}

/// Registers an address; by a form, unless it exists. Its secret is shown once: in the answer, or by the next
/// page.
pub(super) async fn register(call: Call, payload: Payload) -> Answer {
    let (url, events) = match call.given(payload).await? {
        Given::Json(payload) => {
            let NewAddress { url, events } = call.json(payload).await?;
            (url, types(&events)?)
        }
        Given::Form(form) => (form.text("url")?, ticked(&form)?),
    };
    let (acting, is_of_api, typed) = (call.acting(), call.is_of_api(), (url.clone(), events.clone()));
    let registered = call.run(move |app| async move {
        let register = &app.dashboard.webhooks.register;
        if is_of_api {
            register.run(acting, url, events).await
        } else {
            register.run_once(acting, url, events).await
        }
    });
    match registered.await {
        Ok(RegisteredAddress { id, secret, same_as }) if is_of_api => {
            act::created(&RegisteredBody { id, secret: secret.reveal().to_owned(), same_as })
        }
        Ok(address) => call.tell(PATH, address.secret.reveal()),
        Err(problem) if is_of_api => Err(problem),
        Err(problem) => show(&call, Some((typed, problem))).await,
    }
}

impl From<RegisterError> for Problem {
    fn from(error: RegisterError) -> Self {
        let message = error.to_string();
        match error {
            RegisterError::Forbidden(_) => Self::invalid(format!("`url`: {message}")),
            RegisterError::NoEvents => Self::invalid(message),
            RegisterError::Taken => Self::dashboard(DashboardCode::WebhookExists, message),
            RegisterError::TooMany => Self::dashboard(DashboardCode::TooManyWebhooks, message),
            RegisterError::UnknownWorkspace => Self::internal("a session without its workspace"),
            RegisterError::Store(error) => error.into(),
        }
    }
}
