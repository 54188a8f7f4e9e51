//! The log of deliveries to webhook addresses.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json},
};
use domain::{
    events::EventType,
    ids::{DeliveryId, WebhookAddressId},
    paging::Page,
    since::read_since,
    webhooks::{Attempt, Delivery, DeliveryDetail, DeliveryFilter, DeliverySubject, ResendError},
};
use serde::Serialize;
use time::OffsetDateTime;

use super::webhooks::known;
use crate::{
    app::App,
    paging::{id, not_found, read_page},
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// Description of the times accepted by filters and windows.
pub(crate) const MOMENT: &str = "a date or a time such as 2026-11-21T10:00:00Z";

/// A line of the log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryBody {
    /// Id of the delivery, unchanged over its attempts.
    id: DeliveryId,
    address_id: WebhookAddressId,
    event: &'static str,
    /// `pending`, `delivered`, `failed` for good, or `held` because the address was disabled.
    state: &'static str,
    /// How often it was attempted.
    attempts: u32,
    /// When it is attempted next, while it is pending.
    #[serde(with = "domain::clock::timestamp::option")]
    next_attempt_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

/// A page of the log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveriesBody {
    rows: Vec<DeliveryBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

/// An attempt at a delivery.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptBody {
    /// Which one, from 1.
    number: u32,
    #[serde(with = "domain::clock::timestamp")]
    started_at: OffsetDateTime,
    /// How long it took, in milliseconds.
    duration_ms: i64,
    /// The answer's status, where there was one.
    status: Option<u16>,
    failure: Option<String>,
    /// The beginning of the answer's body.
    answer: Option<String>,
}

/// A delivery with all there is about it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetailBody {
    delivery: DeliveryBody,
    /// Its body, the same in every attempt.
    body: String,
    /// The first first.
    attempts: Vec<AttemptBody>,
}

impl From<Delivery> for DeliveryBody {
    fn from(delivery: Delivery) -> Self {
        let Delivery { id, address, event, state, attempts, next_attempt_at, created_at } = delivery;
        Self {
            id,
            address_id: address,
            event: event.as_str(),
            state: state.as_str(),
            attempts,
            next_attempt_at,
            created_at,
        }
    }
}

impl From<Page<Delivery>> for DeliveriesBody {
    fn from(page: Page<Delivery>) -> Self {
        Self { rows: page.rows.into_iter().map(DeliveryBody::from).collect(), next_cursor: page.next }
    }
}

impl From<Attempt> for AttemptBody {
    fn from(attempt: Attempt) -> Self {
        let Attempt { number, started_at, duration_ms, status, failure, answer } = attempt;
        let answer = answer.map(|answer| String::from_utf8_lossy(&answer).into_owned());
        Self { number, started_at, duration_ms, status, failure, answer }
    }
}

impl From<DeliveryDetail> for DetailBody {
    fn from(detail: DeliveryDetail) -> Self {
        let DeliveryDetail { delivery, body, attempts } = detail;
        Self {
            delivery: delivery.into(),
            body: String::from_utf8_lossy(&body).into_owned(),
            attempts: attempts.into_iter().map(AttemptBody::from).collect(),
        }
    }
}

/// What an address was sent, newest first.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<DeliveriesBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let states = ["pending", "delivered", "failed", "held"];
    let state = parameters.word("state", |word| word.parse().ok(), &states)?;
    let event = parameters.read("event", EventType::read, "an event such as message.sent")?;
    let since = parameters.read("since", read_since, MOMENT)?;
    let until = parameters.read("until", read_since, MOMENT)?;
    let page = read_page(&parameters)?;
    let address = known(&app, &by, &request).await?.id;
    let filter = DeliveryFilter { address, state, event, since, until };
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.webhooks.read.list(workspace, &filter, &page).await });
    Ok(Json(listed.await??.into()))
}

/// What was told of a person, of a message, or of what was sent with a reference, to any address, newest
/// first.
pub(crate) async fn search(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<DeliveriesBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let contact = parameters.read("contactId", |text| text.parse().ok(), "a UUID")?;
    let message = parameters.read("messageId", |text| text.parse().ok(), "a UUID")?;
    let reference = parameters.get("reference")?.map(str::to_owned);
    let subject = match (contact, message, reference) {
        (Some(contact), None, None) => DeliverySubject::Contact(contact),
        (None, Some(message), None) => DeliverySubject::Message(message),
        (None, None, Some(reference)) => DeliverySubject::Reference(reference),
        _ => {
            return Err(Problem::invalid(
                "exactly one of `contactId`, `messageId` and `reference` is needed",
            ));
        }
    };
    let page = read_page(&parameters)?;
    let workspace = by.session.workspace;
    let found = app
        .run(move |app| async move { app.dashboard.webhooks.read.search(workspace, &subject, &page).await });
    Ok(Json(found.await??.into()))
}

/// One delivery with its body and its attempts.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<DetailBody>, Problem> {
    let unknown = || not_found("delivery");
    let (workspace, id) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move { app.dashboard.webhooks.read.get(workspace, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

/// Sends a delivery again at once, byte for byte and under its id, whatever became of it before. Where its
/// address is disabled it is attempted once, and the address stays so.
pub(crate) async fn resend(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or(ResendError::Unknown)?;
    let resent = app.run(move |app| async move { app.dashboard.webhooks.resend.one(by.acting(), id).await });
    resent.await??;
    Ok(HttpResponse::NoContent().finish())
}

impl From<ResendError> for Problem {
    fn from(error: ResendError) -> Self {
        let message = error.to_string();
        match error {
            ResendError::Unknown => not_found("delivery or webhook address"),
            ResendError::Disabled => Self::dashboard(DashboardCode::WebhookDisabled, message),
            ResendError::TooMany => Self::dashboard(DashboardCode::TooManyResends, message),
            ResendError::EmptyWindow => Self::invalid(message),
            ResendError::Store(error) => error.into(),
        }
    }
}
