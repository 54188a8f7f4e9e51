//! The network's own sign-up, there and back.

use std::sync::Arc;

use actix_web::{HttpResponse, http::header::LOCATION};
use domain::channels::{CameBack, SignUpBy, SignUpError};
use secrecy::SecretString;

use super::{
    super::{
        act::{Answer, Call},
        not_taken::NotTaken,
    },
    connecting, render,
};
use crate::{
    app::App,
    paging::not_found,
    problem::{DashboardCode, Problem},
    query::Parameters,
};

fn who(call: &Call) -> SignUpBy {
    let session = &call.by.session;
    SignUpBy { workspace: session.workspace, member: session.member, session: session.id }
}

/// Redirects to the network's dialog. Pages link here, since our policy stops forms
/// from leading to other sites.
pub(in crate::pages) async fn begin(call: Call) -> Answer {
    let by = who(&call);
    let begun = call.run(move |app| async move { app.dashboard.channels.sign_up.begin(by).await });
    let dialog = begun.await?;
    Ok(HttpResponse::SeeOther().insert_header((LOCATION, dialog.as_str())).finish())
}

/// Handles the return from the network and lists what the new token opens.
pub(in crate::pages) async fn back(call: Call) -> Answer {
    let parameters = Parameters::of(&call.request)?;
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let code = Some(text("code")?).filter(|code| !code.is_empty()).map(SecretString::from);
    let (came, person) = (CameBack { state: text("state")?, code }, who(&call));
    let finishing =
        move |app: Arc<App>| async move { app.dashboard.channels.sign_up.finish(person, came).await };
    match call.app.run(finishing).await? {
        Ok(token) => connecting::list(&call, token).await,
        Err(SignUpError::NotOffered) => Err(SignUpError::NotOffered.into()),
        Err(error) => {
            let not_taken = match error {
                SignUpError::Connect(error) => NotTaken::of_account(error, call.words()),
                error => Problem::from(error).into(),
            };
            render(&call, Some(not_taken), "").await
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
