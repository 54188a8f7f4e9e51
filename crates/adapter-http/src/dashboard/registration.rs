//! Registering a number of an account that cannot send yet.

use actix_web::{HttpRequest, web::Data};
use domain::{
    audit::Acting,
    channels::{NotRegistered, RegisterError},
    ids::AccountId,
};
use tracing::warn;

use crate::{
    app::App,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
};

/// Registers the number in the path and synchronises its account. The network takes ten registrations of a
/// number in 72 hours.
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
