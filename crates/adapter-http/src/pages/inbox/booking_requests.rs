//! `POST /conversations/{id}/booking-requests`.

use actix_web::web::Payload;
use domain::{
    appointments::{BookingRequest, RequestBookingError},
    ids::BookingRequestId,
};
use serde::{Deserialize, Serialize};

use super::{
    super::act::{Answer, Call},
    query::unknown,
};
use crate::{
    problem::{DashboardCode, Problem, RefusalCode},
    sending::created,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/booking-requests";

/// An appointment that somebody would like.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewRequestBody {
    /// What they are called; the contact's name where it is absent.
    name: Option<String>,
    service: String,
    preferred_time: Option<String>,
}

/// A wish that is written down.
#[derive(Serialize)]
struct RequestedBody {
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
pub(in crate::pages) async fn request(call: Call, payload: Payload) -> Answer {
    let (conversation, body, key) = call.keyed(payload, ROUTE, unknown).await?;
    let NewRequestBody { name, service, preferred_time } = body;
    let asked = BookingRequest { conversation, name, service, preferred_time, key, fence: None };
    let acting = call.acting();
    let written =
        call.run(move |app| async move { app.dashboard.consent.request_booking.run(acting, &asked).await });
    let written = written.await?;
    Ok(created(written.replayed).json(RequestedBody { id: written.id }))
}
