//! `/webhooks`: addresses that events are delivered to.

pub(crate) mod resends;
pub(crate) mod state;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    events::{EventType, UnknownEvent},
    ids::{MemberId, WebhookAddressId},
    webhooks::{AddressSettings, RegisterError, RegisteredAddress, SubscribeError, WebhookAddress},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// A webhook address.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddressBody {
    id: WebhookAddressId,
    url: String,
    events: Vec<&'static str>,
    /// `enabled`, or `disabled`: events are only logged, until it is resumed.
    state: &'static str,
    disabled_reason: Option<String>,
    /// Deliveries that failed for good since the last success.
    consecutive_failures: u32,
    /// Whether the Standard Webhooks headers are sent as well.
    standard_headers: bool,
    /// Until when the secret before the last rotation signs as well.
    #[serde(with = "domain::clock::timestamp::option")]
    previous_secret_until: Option<OffsetDateTime>,
    /// Who registered it; null for an operator.
    creator_id: Option<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

/// The webhook addresses.
#[derive(Serialize)]
pub(crate) struct AddressesBody {
    rows: Vec<AddressBody>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct EventName(EventType);

impl TryFrom<String> for EventName {
    type Error = UnknownEvent;

    fn try_from(name: String) -> Result<Self, UnknownEvent> {
        name.parse().map(Self)
    }
}

fn types(names: Vec<EventName>) -> Vec<EventType> {
    names.into_iter().map(|name| name.0).collect()
}

/// An address to register.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAddressBody {
    /// An `https` address of a public host.
    url: String,
    events: Vec<EventName>,
}

/// An address that was just registered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisteredBody {
    id: WebhookAddressId,
    /// What signs its deliveries, shown this once.
    secret: String,
    /// Other addresses of the workspace with the same URL: what both are told of goes there twice.
    same_as: Vec<WebhookAddressId>,
}

/// What is to be other than it is. What is left out stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SettingsBody {
    /// What it is told of, and of nothing else.
    events: Option<Vec<EventName>>,
    /// Whether the Standard Webhooks headers are sent as well.
    standard_headers: Option<bool>,
    /// Another place, an `https` address of a public host. What is owed to it goes there, signed as before.
    url: Option<String>,
}

impl From<WebhookAddress> for AddressBody {
    fn from(address: WebhookAddress) -> Self {
        let WebhookAddress {
            id,
            url,
            events,
            health,
            standard_headers,
            previous_secret_until,
            creator,
            created_at,
        } = address;
        Self {
            id,
            url,
            events: events.into_iter().map(EventType::as_str).collect(),
            state: health.state.as_str(),
            disabled_reason: health.disabled_reason,
            consecutive_failures: health.consecutive_failures,
            standard_headers,
            previous_secret_until,
            creator_id: creator,
            created_at,
        }
    }
}

/// The webhook addresses, oldest first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<AddressesBody>, Problem> {
    let listed =
        app.run(move |app| async move { app.dashboard.webhooks.manage.list(by.session.workspace).await });
    Ok(Json(AddressesBody { rows: listed.await??.into_iter().map(AddressBody::from).collect() }))
}

/// Registers an address. Its secret is in this answer and never shown again.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewAddressBody { url, events } = body::json(&request, payload).await?.fields;
    let added = app.run(move |app| async move {
        app.dashboard.webhooks.register.run(by.acting(), url, types(events)).await
    });
    let RegisteredAddress { id, secret, same_as } = added.await??;
    Ok(HttpResponse::Created().json(RegisteredBody { id, secret: secret.reveal().to_owned(), same_as }))
}

/// One webhook address.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<AddressBody>, Problem> {
    Ok(Json(known(&app, &by, &request).await?.into()))
}

/// Changes what an address is told of, or how.
pub(crate) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<AddressBody>, Problem> {
    let SettingsBody { events, standard_headers, url } = body::json(&request, payload).await?.fields;
    let wanted = AddressSettings { events: events.map(types), standard_headers };
    let id = id(&request).ok_or_else(unknown)?;
    Ok(Json(set(&app, &by, id, url, wanted).await?.into()))
}

/// Changes the given settings of an address.
pub(crate) async fn set(
    app: &Data<App>,
    by: &SignedIn,
    id: WebhookAddressId,
    url: Option<String>,
    wanted: AddressSettings,
) -> Result<WebhookAddress, Problem> {
    let acting = by.acting();
    let changed = app.run(move |app| async move {
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
    changed.await?
}

/// Removes an address. What is owed to it is not delivered, and its log is shown no more.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let removed =
        app.run(move |app| async move { app.dashboard.webhooks.manage.delete(by.acting(), id).await });
    if removed.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}

/// Loads the address in the path.
pub(crate) async fn known(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
) -> Result<WebhookAddress, Problem> {
    let (workspace, id) = (by.session.workspace, id(request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move { app.dashboard.webhooks.manage.get(workspace, id).await });
    found.await??.ok_or_else(unknown)
}

fn unknown() -> Problem {
    not_found("webhook address")
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

impl From<SubscribeError> for Problem {
    fn from(error: SubscribeError) -> Self {
        match error {
            SubscribeError::NoEvents => Self::invalid(error.to_string()),
            SubscribeError::Unknown => unknown(),
            SubscribeError::Store(error) => error.into(),
        }
    }
}
