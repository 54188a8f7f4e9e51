//! `/invitations`: owners invite people; in the browser, a part of the team's page.

use actix_web::web::Payload;
use dashboard_pages::{InvitationRow, TypedTeam};
use domain::{
    access::members::{InviteError, Invited, Role, Way},
    email::{EmailAddress, InvalidEmail},
    ids::InvitationId,
};
use serde::{Deserialize, Serialize};

use super::{
    super::act::{self, Answer, Call, Rows},
    team::{self, PATH},
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

/// Somebody to invite.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct InviteBody {
    email: String,
    role: Role,
}

/// An invitation that was just made.
#[derive(Serialize)]
struct InvitedBody {
    invitation: InvitationRow,
    /// The link to hand over, shown once; null where it is mailed, which is tried for an hour.
    link: Option<String>,
}

/// The invitations that nobody has accepted yet, newest first.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.dashboard.invitations.list(workspace).await });
    act::ok(&Rows { rows: listed.await?.into_iter().map(InvitationRow::from).collect() })
}

/// Invites somebody, in place of an earlier invitation of the same address. The link is shown once, unless it
/// is mailed.
pub(in crate::pages) async fn invite(call: Call, payload: Payload) -> Answer {
    let written: InviteBody = call.input(payload).await?;
    let invited = match written.email.parse::<EmailAddress>() {
        Err(error) => Err(Problem::invalid(InvalidEmail::to_string(&error))),
        Ok(email) => {
            let (acting, role) = (call.acting(), written.role);
            let invited = call
                .run(move |app| async move { app.dashboard.invitations.invite(acting, email, role).await });
            invited.await
        }
    };
    match invited {
        Ok(Invited { invitation, way }) => {
            let link = match way {
                Way::Mailed => None,
                Way::Link(link) => Some(String::from(link)),
            };
            if call.is_of_api() {
                return act::created(&InvitedBody { invitation: invitation.into(), link });
            }
            // A mailed invitation shows no link.
            call.tell(PATH, &link.unwrap_or_default())
        }
        Err(problem) if call.is_of_api() => Err(problem),
        Err(problem) => {
            let (email, is_owner) = (written.email, written.role == Role::Owner);
            let typed = TypedTeam { is_invitation: true, email, is_owner, ..TypedTeam::default() };
            team::render(&call, Err(problem), typed).await
        }
    }
}

/// Withdraws an invitation.
pub(in crate::pages) async fn withdraw(call: Call) -> Answer {
    let unknown = || not_found("invitation");
    let (acting, id): (_, InvitationId) = (call.acting(), call.id(unknown)?);
    let withdrawn = call.run(move |app| async move { app.dashboard.invitations.withdraw(acting, id).await });
    if withdrawn.await? { Ok(call.done(PATH)) } else { Err(unknown()) }
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
