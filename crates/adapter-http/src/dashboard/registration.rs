//! `POST /accounts/{id}/numbers/{numberId}/register`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    audit::Acting,
    channels::{NotRegistered, RegisterError},
    ids::AccountId,
};
use serde::Deserialize;
use tracing::warn;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// What a number is registered with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegistrationBody {
    /// The six digits of its two-step verification; new ones where it has none. They are not kept.
    pin: String,
}

/// Registers a number of an account that cannot send yet, and reads the account again. The network takes ten
/// registrations of a number in 72 hours.
pub(crate) async fn register(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let RegistrationBody { pin } = body::json(&request, payload).await?.fields;
    register_and_sync(&app, by.acting(), &request, pin).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Registers the number in the path and synchronises its account.
pub(crate) async fn register_and_sync(
    app: &Data<App>,
    acting: Acting,
    request: &HttpRequest,
    pin: String,
) -> Result<(), Problem> {
    let account: AccountId = id(request).ok_or_else(|| not_found("account"))?;
    let number = request.match_info().query("numberId").to_owned();
    let done = app.run(move |app| async move {
        let channels = &app.dashboard.channels;
        channels.register_number.run(acting, account, &number, &pin).await?;
        if let Err(error) = channels.sync.run_by(acting, account).await {
            warn!(%account, %error, "an account could not be read after one of its numbers was registered");
        }
        Ok::<_, RegisterError>(())
    });
    Ok(done.await??)
}

impl From<RegisterError> for Problem {
    fn from(error: RegisterError) -> Self {
        let message = error.to_string();
        let code = match error {
            RegisterError::Pin => return Self::invalid(format!("`pin`: {message}")),
            RegisterError::UnknownNumber => return not_found("number"),
            RegisterError::Connect(error) => return error.into(),
            RegisterError::Registered => DashboardCode::AlreadyRegistered,
            RegisterError::NotRegistered(why) => match why {
                NotRegistered::WrongPin => DashboardCode::WrongPin,
                NotRegistered::TooManyPins => DashboardCode::TooManyPins,
                NotRegistered::Unverified => DashboardCode::NumberUnverified,
                NotRegistered::NotRegistrable => DashboardCode::NotRegistrable,
                NotRegistered::JustDeregistered => DashboardCode::JustDeregistered,
                NotRegistered::Spent => DashboardCode::RegistrationsSpent,
            },
        };
        Self::dashboard(code, message)
    }
}
