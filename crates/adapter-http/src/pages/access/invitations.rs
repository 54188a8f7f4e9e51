//! `/invitations`: owners invite people; in the browser, a part of the team's page.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use dashboard_pages::TypedTeam;
use domain::{
    access::members::{Invitation, InviteError, Invited, Role, Way},
    email::{EmailAddress, InvalidEmail},
    ids::InvitationId,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Rows},
        notice,
    },
    team::{self, PATH},
};
use crate::{
    app::App,
    dashboard::{is_of_api, members::RoleWord},
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// Somebody to invite.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct InviteBody {
    email: String,
    role: RoleWord,
}

/// An invitation that nobody has accepted yet.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::pages) struct InvitationBody {
    id: InvitationId,
    email: String,
    role: RoleWord,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp")]
    expires_at: OffsetDateTime,
}

/// An invitation that was just made.
#[derive(Serialize)]
struct InvitedBody {
    invitation: InvitationBody,
    /// The link to hand over, shown once; null where it is mailed, which is tried for an hour.
    link: Option<String>,
}

impl From<Invitation> for InvitationBody {
    fn from(invitation: Invitation) -> Self {
        let Invitation { id, email, role, created_at, expires_at, .. } = invitation;
        Self { id, email: email.as_str().to_owned(), role: role.into(), created_at, expires_at }
    }
}

/// The invitations that nobody has accepted yet, newest first.
pub(in crate::pages) async fn list(
    app: Data<App>,
    by: SignedIn,
) -> Result<Json<Rows<InvitationBody>>, Problem> {
    let listed =
        app.run(move |app| async move { app.dashboard.invitations.list(by.session.workspace).await });
    Ok(Json(Rows { rows: listed.await??.into_iter().map(InvitationBody::from).collect() }))
}

/// Invites somebody, in place of an earlier invitation of the same address. The link is shown once, unless it
/// is mailed.
pub(in crate::pages) async fn invite(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written: InviteBody = act::input(&request, payload).await?;
    let invited = match written.email.parse::<EmailAddress>() {
        Err(error) => Err(Problem::invalid(InvalidEmail::to_string(&error))),
        Ok(email) => {
            let (acting, role) = (by.acting(), written.role.into());
            let invited = app
                .run(move |app| async move { app.dashboard.invitations.invite(acting, email, role).await });
            invited.await?.map_err(Problem::from)
        }
    };
    match invited {
        Ok(Invited { invitation, way }) => {
            let link = match way {
                Way::Mailed => None,
                Way::Link(link) => Some(String::from(link)),
            };
            if is_of_api(&request) {
                return Ok(HttpResponse::Created().json(InvitedBody { invitation: invitation.into(), link }));
            }
            // A mailed invitation shows no link.
            notice::redirect_with(&app, &by, PATH, &link.unwrap_or_default())
        }
        Err(problem) if is_of_api(&request) => Err(problem),
        Err(problem) => {
            let (email, is_owner) = (written.email, Role::from(written.role) == Role::Owner);
            let typed = TypedTeam { is_invitation: true, email, is_owner, ..TypedTeam::default() };
            team::render(&app, &by, &request, Err(problem), typed).await
        }
    }
}

/// Withdraws an invitation.
pub(in crate::pages) async fn withdraw(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("invitation");
    let id: InvitationId = id(&request).ok_or_else(unknown)?;
    let withdrawn =
        app.run(move |app| async move { app.dashboard.invitations.withdraw(by.acting(), id).await });
    if withdrawn.await?? { Ok(act::done(&request, PATH)) } else { Err(unknown()) }
}

impl From<InviteError> for Problem {
    fn from(error: InviteError) -> Self {
        match error {
            InviteError::AlreadyMember => Self::dashboard(DashboardCode::AlreadyMember, error.to_string()),
            InviteError::Mail(cause) => {
                let message = "the invitation stands, but its mail cannot be sent now; invite again shortly";
                Self::dashboard(DashboardCode::MailFailed, message).caused_by(cause)
            }
            InviteError::UnknownWorkspace => Self::internal("a session without its workspace"),
            InviteError::Throttled(throttled) => throttled.into(),
            InviteError::Store(error) => error.into(),
        }
    }
}
