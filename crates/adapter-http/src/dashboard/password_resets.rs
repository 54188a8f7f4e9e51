//! New passwords by a link, for members who have forgotten theirs.

use actix_web::{HttpRequest, web::Data};
use domain::access::resets::{AskResetError, CompleteResetError};
use tracing::warn;

use crate::{
    app::App,
    problem::{DashboardCode, Problem},
};

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
