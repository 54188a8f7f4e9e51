//! `POST /me/second-factor` and `/me/second-factor/confirm`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::access::sessions::{Password, RecoveryCode, SecondFactorError};
use serde::{Deserialize, Serialize};

use super::password::wrong_password;
use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// The password, to confirm a change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordBody {
    password: String,
}

/// A code of the device.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeBody {
    code: String,
}

/// A secret for a device. Shown once.
#[derive(Serialize)]
pub(crate) struct OfferedBody {
    /// In base32, to be typed.
    secret: String,
    /// The secret as an `otpauth:` address, to be shown as a picture.
    uri: String,
}

/// Codes for a lost device, each good for once. Shown once.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecoveryBody {
    recovery_codes: Vec<String>,
}

/// Offers a second factor (TOTP, RFC 6238). It is asked for once a code of it was confirmed.
pub(crate) async fn offer(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<OfferedBody>, Problem> {
    let PasswordBody { password } = body::json(&request, payload).await?.fields;
    let password = Password::presented(password);
    let offered =
        app.run(move |app| async move { app.dashboard.second_factor.offer(&by.session, &password).await });
    let offered = offered.await??;
    Ok(Json(OfferedBody { secret: offered.secret.in_base32(), uri: offered.uri }))
}

/// Switches the offered second factor on.
pub(crate) async fn confirm(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<RecoveryBody>, Problem> {
    let CodeBody { code } = body::json(&request, payload).await?.fields;
    let confirmed = app.run(move |app| async move {
        app.dashboard.second_factor.confirm(&by.session, &code, by.address).await
    });
    let recovery_codes = confirmed.await??.iter().map(RecoveryCode::reveal).collect();
    Ok(Json(RecoveryBody { recovery_codes }))
}

impl From<SecondFactorError> for Problem {
    fn from(error: SecondFactorError) -> Self {
        let refused = |code, error: SecondFactorError| Self::dashboard(code, error.to_string());
        match error {
            SecondFactorError::Throttled(throttled) => throttled.into(),
            SecondFactorError::WrongPassword => wrong_password(),
            SecondFactorError::WrongCode => refused(DashboardCode::WrongCode, error),
            SecondFactorError::AlreadyOn => refused(DashboardCode::SecondFactorOn, error),
            SecondFactorError::NotOffered => refused(DashboardCode::SecondFactorNotOffered, error),
            SecondFactorError::Busy(busy) => busy.into(),
            SecondFactorError::Store(error) => error.into(),
        }
    }
}
