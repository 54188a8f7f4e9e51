//! `POST /sign-in` and `POST /sign-out`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::USER_AGENT,
    web::{Data, Payload},
};
use domain::{
    access::{
        members::Member,
        sessions::{
            Choice, Origin, Password, SignInError, SignInRequest, SignedIn as BegunSession, Throttled, Tried,
        },
    },
    ids::WorkspaceId,
};
use serde::Deserialize;
use serde_json::json;
use tracing::warn;

use super::me;
use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// Most characters kept of a browser's user agent.
const LONGEST_USER_AGENT: usize = 300;

/// What signs a member in.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignInBody {
    email: String,
    password: String,
    /// A code of the second factor, or a recovery code; where one is on.
    code: Option<String>,
    /// The workspace to sign in to. Without it, the one whose password it is.
    workspace_id: Option<WorkspaceId>,
}

/// Begins a session and sets its cookie.
///
/// An unknown address and a wrong password are answered alike, after the same time. Who belongs to several
/// workspaces is signed in to the one whose password it is; with the same password in several they are told
/// which, and name one. Without a workspace, up to four memberships are tried.
///
/// The answer also sets a cookie by which the browser is known for the member for a year, until they change
/// their password or end all other sessions: tries with it are counted by themselves, and wait in a line of
/// their own.
pub(crate) async fn sign_in(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let SignInBody { email, password, code, workspace_id } = body::json(&request, payload).await?.fields;
    let devices = App::cookies_for(&request).devices(request.headers());
    let asked = SignInRequest {
        email,
        password: Password::presented(password),
        code,
        workspace: workspace_id,
        devices,
    };
    let outcome = try_in(&app, &request, asked).await?;
    begun_session(&app, &request, outcome?).await
}

/// Tries to sign in, and records refusals in the background.
pub(crate) async fn try_in(
    app: &Data<App>,
    request: &HttpRequest,
    asked: SignInRequest,
) -> Result<Result<BegunSession<Member>, SignInError>, Problem> {
    let origin = origin(app, request);
    let tried = app.run(|app| async move { app.dashboard.sign_in.run(asked, origin).await });
    let Tried { outcome, refusals } = tried.await?;
    app.later(|app| async move {
        if let Err(error) = app.dashboard.refusals.keep(&refusals).await {
            warn!(%error, "a refused sign-in is not in the log of changes");
        }
    });
    Ok(outcome)
}

/// Returns the address and user agent that a session begins from.
pub(crate) fn origin(app: &App, request: &HttpRequest) -> Origin {
    let user_agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    Origin {
        address: app.edge.client(request),
        user_agent: user_agent.map(|text| text.chars().take(LONGEST_USER_AGENT).collect()),
    }
}

pub(super) async fn begun_session(
    app: &Data<App>,
    request: &HttpRequest,
    begun: BegunSession<Member>,
) -> Result<HttpResponse, Problem> {
    let mut answer = HttpResponse::Ok().json(me::body(app, begun.who.clone()).await?);
    app.edge.cookies.keep(request, &mut answer, &begun);
    Ok(answer)
}

/// Ends the session and its cookie.
pub(crate) async fn sign_out(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    end(&app, by).await?;
    let mut answer = HttpResponse::NoContent().finish();
    app.edge.cookies.forget(&mut answer);
    Ok(answer)
}

pub(crate) async fn end(app: &Data<App>, by: SignedIn) -> Result<(), Problem> {
    let ended = app.run(move |app| async move {
        app.dashboard.sessions.end(&by.session, by.session.id, by.address).await
    });
    ended.await??;
    Ok(())
}

impl From<Throttled> for Problem {
    fn from(throttled: Throttled) -> Self {
        let message = "too many tries; wait as many seconds as the header `Retry-After` says";
        Self::dashboard(DashboardCode::TooManyTries, message).retry_after(throttled.resets_in)
    }
}

impl From<domain::access::sessions::ports::PasswordsBusy> for Problem {
    fn from(busy: domain::access::sessions::ports::PasswordsBusy) -> Self {
        Self::unavailable(busy.to_string())
    }
}

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        let refused = |code, error: SignInError| Self::dashboard(code, error.to_string());
        match error {
            SignInError::Throttled(throttled) => throttled.into(),
            SignInError::Wrong => refused(DashboardCode::WrongCredentials, error),
            SignInError::Several(ref choices) => {
                let choice = |Choice { id, name }: &Choice| json!({ "id": id, "name": name });
                let choices: Vec<_> = choices.iter().map(choice).collect();
                refused(DashboardCode::SeveralWorkspaces, error).with_detail("workspaces", choices)
            }
            SignInError::CodeNeeded => refused(DashboardCode::SecondFactorNeeded, error),
            SignInError::WrongCode => refused(DashboardCode::WrongCode, error),
            SignInError::Busy(busy) => busy.into(),
            SignInError::Store(error) => error.into(),
        }
    }
}
