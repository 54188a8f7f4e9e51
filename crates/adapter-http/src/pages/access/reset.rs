//! `/dashboard/password-reset`: a new password, by a link.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{LinkPage, PasswordResetPage, Refused};
use domain::access::resets::{CompleteResetError, OpenReset, ResetToken};

use super::{
    super::{
        answer::{again, ok, see_other},
        form::Form,
        frame,
        refusal::{self, WrongField},
    },
    link::{secret, wrong_password},
};
use crate::{app::App, problem::Problem};

pub(in crate::pages) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    ok(&link(&frame::bare(&request), None))
}

fn link(frame: &dashboard_pages::Frame, refused: Option<Refused>) -> LinkPage<'_> {
    let title = frame.words().access.forgotten_title;
    LinkPage { frame, title, action: "/dashboard/password-reset", refused }
}

async fn open_link(app: &Data<App>, token: &str) -> Result<Option<OpenReset>, Problem> {
    let token = ResetToken::presented(token);
    let found = app.run(move |app| async move { app.dashboard.resets.complete.open(&token).await });
    Ok(found.await??)
}

/// Shows whose password the link resets.
pub(in crate::pages) async fn open(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (form, frame) = (Form::of(&request, payload).await?, frame::bare(&request));
    let written = form.text("token")?;
    let token = secret(&written);
    match open_link(&app, token).await? {
        None => {
            let wrong = WrongField::new("token", frame.words().refusals.reset_not_valid);
            again(&link(&frame, Some(wrong.refused(&request))))
        }
        Some(OpenReset { workspace_name, email, .. }) => ok(&PasswordResetPage {
            frame: &frame::of_link(frame, token),
            token,
            workspace: &workspace_name,
            email: email.as_str(),
            refused: None,
        }),
    }
}

pub(in crate::pages) async fn complete(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (form, frame) = (Form::of(&request, payload).await?, frame::bare(&request));
    let (token, password) = (form.text("token")?, form.text("password")?);
    let (presented, address) = (ResetToken::presented(&token), app.edge.client(&request));
    let completed =
        app.run(
            move |app| async move { app.dashboard.resets.complete.run(&presented, password, address).await },
        );
    let wrong = match completed.await? {
        Ok(()) => return Ok(see_other("/dashboard/sign-in?after=password")),
        Err(CompleteResetError::Password(error)) => {
            WrongField::new("password", wrong_password(error, &frame.words().access))
        }
        Err(error) => {
            let refused = refusal::of_form(&request, error.into(), frame.words())?;
            return again(&link(&frame, Some(refused)));
        }
    };
    let Some(OpenReset { workspace_name, email, .. }) = open_link(&app, &token).await? else {
        return again(&link(&frame, Some(Refused::new(frame.words().refusals.reset_not_valid))));
    };
    again(&PasswordResetPage {
        frame: &frame::of_link(frame, &token),
        token: &token,
        workspace: &workspace_name,
        email: email.as_str(),
        refused: Some(wrong.refused(&request)),
    })
}
