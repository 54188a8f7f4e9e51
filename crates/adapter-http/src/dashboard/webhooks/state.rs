//! Pausing, resuming and testing an address, and rotating its secret.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::DeliveryId,
    webhooks::{PingError, RotateError},
};
use serde::{Deserialize, Serialize};

use super::{AddressBody, unknown};
use crate::{app::App, body, paging::id, problem::Problem, session::SignedIn};

/// How the secret is replaced.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RotationBody {
    /// For how many minutes the old secret signs beside the new one; without it, it stops at once.
    #[serde(default)]
    overlap_minutes: u32,
}

/// The new secret.
#[derive(Serialize)]
pub(crate) struct SecretBody {
    /// Shown this once.
    secret: String,
}

/// Delivers nothing more to an address; what happens meanwhile is held in its log.
pub(crate) async fn pause(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<AddressBody>, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let paused =
        app.run(move |app| async move { app.dashboard.webhooks.manage.pause(by.acting(), id).await });
    Ok(Json(paused.await??.ok_or_else(unknown)?.into()))
}

/// Delivers to an address again, its failures forgotten. What was held stays held until it is sent again.
pub(crate) async fn resume(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<AddressBody>, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let resumed =
        app.run(move |app| async move { app.dashboard.webhooks.manage.resume(by.acting(), id).await });
    Ok(Json(resumed.await??.ok_or_else(unknown)?.into()))
}

/// The delivery that a `ping` is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PingBody {
    /// `GET /dashboard/api/deliveries/{id}` tells what becomes of it.
    delivery_id: DeliveryId,
}

/// Sends an address a `ping`, whatever it is told of. A disabled address is tried once, and stays disabled
/// whatever becomes of it.
pub(crate) async fn ping(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let owed = app.run(move |app| async move { app.dashboard.webhooks.manage.ping(by.acting(), id).await });
    let delivery_id = owed.await??.ok_or_else(unknown)?;
    Ok(HttpResponse::Accepted().json(PingBody { delivery_id }))
}

/// Makes a new secret for an address. It is in this answer and never shown again.
pub(crate) async fn rotate(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<SecretBody>, Problem> {
    let RotationBody { overlap_minutes } = body::json(&request, payload).await?.fields;
    let overlap = Duration::from_secs(u64::from(overlap_minutes) * 60);
    let id = id(&request).ok_or_else(unknown)?;
    let rotated = app
        .run(move |app| async move { app.dashboard.webhooks.manage.rotate(by.acting(), id, overlap).await });
    Ok(Json(SecretBody { secret: rotated.await??.reveal().to_owned() }))
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
