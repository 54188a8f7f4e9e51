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
use utoipa::ToSchema;

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::id,
    problem::{DashboardCode, Problem, RefusalCode},
    schema::values,
    sending::{
        created,
        key::{self, IdempotencyKeyHeader},
    },
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/booking-requests";

/// An appointment that somebody would like.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BookingRequestForm)]
pub(crate) struct NewRequestBody {
    /// What they are called; the contact's name where it is absent.
    #[schema(min_length = 1, max_length = 200)]
    name: Option<String>,
    /// What for.
    #[schema(min_length = 1, max_length = 200, example = "تنظيف أسنان")]
    service: String,
    /// When, in their words.
    #[schema(min_length = 1, max_length = 200, example = "الخميس بعد العصر")]
    preferred_time: Option<String>,
}

/// A wish that is written down.
#[derive(Serialize, ToSchema)]
#[schema(as = BookingRequestWritten)]
pub(crate) struct RequestedBody {
    #[schema(value_type = values::Id)]
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
#[utoipa::path(
    post, path = "/dashboard/api/conversations/{id}/booking-requests", tag = "Conversations",
    operation_id = "requestBooking",
    params(("id" = values::Id, Path, description = "The conversation's id."), IdempotencyKeyHeader),
    request_body(content = NewRequestBody),
    responses(
        (status = 201, description = "Written down, now or when this key was first used.", body = RequestedBody),
        (status = 404, description = "It is not in this workspace."),
        (status = 409, description = "`system_books`: the workspace's own system has a calendar."),
        (status = 422, description = "`idempotency_key_reused`.")
    )
)]
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
