//! `/invitations/accept`: the holder of a link accepts it.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::access::members::{AcceptError, AcceptRequest, InvitationToken, Language};
use serde::Deserialize;

use super::sign_in::{begun_session, origin};
use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
};

/// What makes a member of whoever was invited.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptBody {
    /// What stands behind `#` in the link.
    token: String,
    name: String,
    /// At least 10 characters, at most 1024 bytes.
    password: String,
    /// What their pages and mails are in from now on; without it, their browser says it.
    language: Option<Language>,
}

/// Makes a member of whoever holds the link, and signs them in. The link works once.
pub(crate) async fn accept(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let AcceptBody { token, name, password, language } = body::json(&request, payload).await?.fields;
    let token = InvitationToken::presented(&token);
    let asked = AcceptRequest { token, name, password, language };
    let origin = origin(&app, &request);
    let accepted = app.run(|app| async move { app.dashboard.accept_invitation.run(asked, origin).await });
    begun_session(&app, &request, accepted.await??).await
}

impl From<AcceptError> for Problem {
    fn from(error: AcceptError) -> Self {
        match error {
            AcceptError::NotValid => Self::dashboard(DashboardCode::InvitationNotValid, error.to_string()),
            AcceptError::Name(error) => error.into(),
            AcceptError::Password(error) => error.into(),
            AcceptError::Busy(busy) => busy.into(),
            AcceptError::Store(error) => error.into(),
        }
    }
}
