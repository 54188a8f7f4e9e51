//! The network's own sign-up, there and back.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web::Data};
use domain::channels::{CameBack, SignUpBy, SignUpError};
use secrecy::SecretString;

use super::{channels, connecting, frame, not_taken::NotTaken};
use crate::{
    app::App,
    paging::not_found,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

fn who(by: &SignedIn) -> SignUpBy {
    let session = &by.session;
    SignUpBy { workspace: session.workspace, member: session.member, session: session.id }
}

/// Redirects to the network's dialog. Pages link here, since our policy stops forms
/// from leading to other sites.
pub(super) async fn begin(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    let by = who(&by);
    let begun = app.run(move |app| async move { app.dashboard.channels.sign_up.begin(by).await });
    let dialog = begun.await??;
    Ok(HttpResponse::SeeOther().insert_header((LOCATION, dialog.as_str())).finish())
}

/// Handles the return from the network and lists what the new token opens.
pub(super) async fn back(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let code = Some(text("code")?).filter(|code| !code.is_empty()).map(SecretString::from);
    let (came, person) = (CameBack { state: text("state")?, code }, who(&by));
    let finished =
        app.run(move |app| async move { app.dashboard.channels.sign_up.finish(person, came).await });
    match finished.await? {
        Ok(token) => connecting::list(&app, &by, &request, token).await,
        Err(SignUpError::NotOffered) => Err(SignUpError::NotOffered.into()),
        Err(error) => {
            let not_taken = match error {
                SignUpError::Connect(error) => NotTaken::of_account(error, frame::bare(&request).words()),
                error => Problem::from(error).into(),
            };
            channels::render(&app, &by, &request, Some(not_taken), "").await
        }
    }
}

impl From<SignUpError> for Problem {
    fn from(error: SignUpError) -> Self {
        let message = error.to_string();
        match error {
            SignUpError::NotOffered => not_found("sign-up"),
            SignUpError::NotBegun => Self::dashboard(DashboardCode::SignUpNotBegun, message),
            SignUpError::Denied => Self::dashboard(DashboardCode::SignUpDenied, message),
            SignUpError::Connect(error) => error.into(),
        }
    }
}
