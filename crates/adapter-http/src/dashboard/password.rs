//! `POST /me/password`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::access::sessions::{ChangePasswordError, Password, PasswordError};
use serde::Deserialize;

use super::device::renew_device;
use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// The password until now, and the one from now on.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewPasswordBody {
    current_password: String,
    /// At least 10 characters, at most 1024 bytes.
    new_password: String,
}

/// Changes one's own password. All other sessions end, and no other browser is known for the member any more.
pub(crate) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewPasswordBody { current_password, new_password } = body::json(&request, payload).await?.fields;
    let current = Password::presented(current_password);
    let SignedIn { session, address } = by.clone();
    let changed = app.run(move |app| async move {
        app.dashboard.change_password.run(&session, current, new_password, address).await
    });
    changed.await??;
    let mut answer = HttpResponse::NoContent().finish();
    renew_device(&app, by, &request, &mut answer).await;
    Ok(answer)
}

/// Returns the problem of a change that was confirmed with a wrong password.
pub(super) fn wrong_password() -> Problem {
    Problem::dashboard(DashboardCode::WrongPassword, "the password is another")
}

impl From<PasswordError> for Problem {
    fn from(error: PasswordError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<ChangePasswordError> for Problem {
    fn from(error: ChangePasswordError) -> Self {
        match error {
            ChangePasswordError::Throttled(throttled) => throttled.into(),
            ChangePasswordError::Wrong => wrong_password(),
            ChangePasswordError::Password(error) => error.into(),
            ChangePasswordError::Busy(busy) => busy.into(),
            ChangePasswordError::Store(error) => error.into(),
        }
    }
}
