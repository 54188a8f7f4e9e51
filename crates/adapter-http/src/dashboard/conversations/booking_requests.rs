//! `POST /conversations/{id}/booking-requests`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    appointments::{BookingRequest, RequestBookingError},
    ids::BookingRequestId,
    sending::IdempotencyKey,
};
use serde::{Deserialize, Serialize};

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::id,
    problem::{DashboardCode, Problem, RefusalCode},
    sending::{created, key},
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/booking-requests";

/// An appointment that somebody would like.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewRequestBody {
    /// What they are called; the contact's name where it is absent.
    name: Option<String>,
    service: String,
    preferred_time: Option<String>,
}

/// A wish that is written down.
#[derive(Serialize)]
pub(crate) struct RequestedBody {
    id: BookingRequestId,
}

impl From<RequestBookingError> for Problem {
    fn from(error: RequestBookingError) -> Self {
        let message = error.to_string();
        match error {
            RequestBookingError::Invalid(rule) => Self::invalid(rule),
            RequestBookingError::UnknownConversation => unknown(),
            RequestBookingError::SystemBooks => Self::dashboard(DashboardCode::SystemBooks, message),
            RequestBookingError::KeyReused => {
                Self::refused(RefusalCode::IdempotencyKeyReused, message, serde_json::Map::new())
            }
            RequestBookingError::Store(error) => error.into(),
        }
    }
}

/// Writes down that somebody would like an appointment, for a person to confirm: `booking.requested` tells of
/// it. Where the workspace's own system has a calendar, one of its slots is proposed instead, by a draft.
pub(crate) async fn request(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<NewRequestBody>(&request, payload).await?;
    let conversation = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{conversation}\n{}", body.canonical).into_bytes();
    let NewRequestBody { name, service, preferred_time } = body.fields;
    let key = key.map(|key| IdempotencyKey { key, request: canonical });
    let asked = BookingRequest { conversation, name, service, preferred_time, key, fence: None };
    let acting = by.acting();
    let written =
        app.run(move |app| async move { app.dashboard.consent.request_booking.run(acting, &asked).await });
    let written = written.await??;
    Ok(created(written.replayed).json(RequestedBody { id: written.id }))
}
