//! `/password-resets`: new passwords by a link, for members who have forgotten theirs.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::access::resets::{AskResetError, CompleteResetError, ResetToken};
use serde::Deserialize;
use tracing::warn;

use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
};

/// Whose password was forgotten.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskBody {
    email: String,
}

/// Another password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompleteBody {
    /// What stands behind `#` in the link.
    token: String,
    /// At least 10 characters, at most 1024 bytes.
    password: String,
}

/// Mails a link for another password to whoever has the address: one for each workspace that they belong to
/// and that allows it, four at most.
///
/// The answer is the same, after the same time, whether anybody has the address. One address is mailed to
/// three times an hour at most.
pub(crate) async fn ask(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let AskBody { email } = body::json(&request, payload).await?.fields;
    mail_link(&app, &request, email).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Mails links in the background if members have the address, so that the answer's time tells nothing.
pub(crate) async fn mail_link(app: &Data<App>, request: &HttpRequest, email: String) -> Result<(), Problem> {
    let address = app.edge.client(request);
    let admitted = app.run(move |app| async move { app.dashboard.resets.ask.admit(&email, address).await });
    if let Some(asked) = admitted.await?? {
        app.later(|app| async move {
            match app.dashboard.resets.ask.send(&asked).await {
                Ok(failed) => failed.iter().for_each(|error| warn!(%error, "a link was not mailed")),
                Err(error) => warn!(%error, "a link was not made"),
            }
        });
    }
    Ok(())
}

/// Chooses another password. The link works once, for an hour; all of the member's sessions end. Sign in
/// then: a second factor is asked for as before.
pub(crate) async fn complete(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let CompleteBody { token, password } = body::json(&request, payload).await?.fields;
    let (token, address) = (ResetToken::presented(&token), app.edge.client(&request));
    let completed =
        app.run(move |app| async move { app.dashboard.resets.complete.run(&token, password, address).await });
    completed.await??;
    Ok(HttpResponse::NoContent().finish())
}

impl From<AskResetError> for Problem {
    fn from(error: AskResetError) -> Self {
        match error {
            AskResetError::NoMail => Self::dashboard(DashboardCode::NoMail, error.to_string()),
            AskResetError::Throttled(throttled) => throttled.into(),
            AskResetError::Store(error) => error.into(),
        }
    }
}

impl From<CompleteResetError> for Problem {
    fn from(error: CompleteResetError) -> Self {
        match error {
            CompleteResetError::NotValid => Self::dashboard(DashboardCode::ResetNotValid, error.to_string()),
            CompleteResetError::Password(error) => error.into(),
            CompleteResetError::Busy(busy) => busy.into(),
            CompleteResetError::Store(error) => error.into(),
        }
    }
}
