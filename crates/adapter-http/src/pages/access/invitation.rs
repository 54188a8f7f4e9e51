//! `/dashboard/invitation`: accepting an invitation by its link.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{Frame, InvitationPage, LinkPage, Refused};
use domain::access::members::{AcceptError, AcceptRequest, InvitationToken, OpenInvitation};

use super::{
    super::{
        answer::{again, ok, see_other},
        form::Form,
        frame,
        refusal::{self, WrongField},
    },
    link::{secret, wrong_password},
};
use crate::{app::App, dashboard::sign_in::origin, problem::Problem};

pub(in crate::pages) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    ok(&link(&frame::bare(&request), None))
}

fn link(frame: &Frame, refused: Option<Refused>) -> LinkPage<'_> {
    let title = frame.words().access.invitation_title;
    LinkPage { frame, title, action: "/dashboard/invitation", refused }
}

async fn open_link(app: &Data<App>, token: &str) -> Result<Option<OpenInvitation>, Problem> {
    let token = InvitationToken::presented(token);
    let found = app.run(move |app| async move { app.dashboard.invitations.open(&token).await });
    Ok(found.await??)
}

/// Shows the workspace that the link invites to.
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
            let wrong = WrongField::new("token", frame.words().refusals.invitation_not_valid);
            again(&link(&frame, Some(wrong.refused(&request))))
        }
        Some(open) => ok(&InvitationPage {
            frame: &frame::of_link(frame, token),
            token,
            workspace: &open.workspace_name,
            email: open.invitation.email.as_str(),
            name: "",
            refused: None,
        }),
    }
}

pub(in crate::pages) async fn accept(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (form, frame) = (Form::of(&request, payload).await?, frame::bare(&request));
    let (token, name, password) = (form.text("token")?, form.text("name")?, form.text("password")?);
    let asked = AcceptRequest {
        token: InvitationToken::presented(&token),
        name: name.clone(),
        password,
        language: Some(frame.language.into()),
    };
    let origin = origin(&app, &request);
    let accepted = app.run(|app| async move { app.dashboard.accept_invitation.run(asked, origin).await });
    let words = &frame.words().access;
    let wrong = match accepted.await? {
        Ok(begun) => {
            let mut answer = see_other("/dashboard");
            app.edge.cookies.keep(&request, &mut answer, &begun);
            return Ok(answer);
        }
        Err(AcceptError::Name(_)) => WrongField::new("name", words.name_rule),
        Err(AcceptError::Password(error)) => WrongField::new("password", wrong_password(error, words)),
        Err(error) => {
            let refused = refusal::of_form(&request, error.into(), frame.words())?;
            return again(&link(&frame, Some(refused)));
        }
    };
    let Some(open) = open_link(&app, &token).await? else {
        return again(&link(&frame, Some(Refused::new(frame.words().refusals.invitation_not_valid))));
    };
    again(&InvitationPage {
        frame: &frame::of_link(frame, &token),
        token: &token,
        workspace: &open.workspace_name,
        email: open.invitation.email.as_str(),
        name: &name,
        refused: Some(wrong.refused(&request)),
    })
}
