//! `/invitations`: owners invite people, and the holder of a link opens and accepts it.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    access::members::{AcceptError, AcceptRequest, Invitation, InvitationToken, InviteError, Invited, Way},
    email::InvalidEmail,
    ids::InvitationId,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    members::{LanguageWord, RoleWord},
    sign_in::{begun_session, origin},
};
use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// What makes a member of whoever was invited.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptBody {
    /// What stands behind `#` in the link.
    token: String,
    name: String,
    /// At least 10 characters, at most 1024 bytes.
    password: String,
    /// What their pages and mails are in from now on; without it, their browser says it.
    language: Option<LanguageWord>,
}

/// Somebody to invite.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InviteBody {
    email: String,
    role: RoleWord,
}

/// An invitation that nobody has accepted yet.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InvitationBody {
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
pub(crate) struct InvitedBody {
    invitation: InvitationBody,
    /// The link to hand over, shown once; null where it is mailed, which is tried for an hour.
    link: Option<String>,
}

/// The open invitations.
#[derive(Serialize)]
pub(crate) struct InvitationsBody {
    rows: Vec<InvitationBody>,
}

impl From<Invitation> for InvitationBody {
    fn from(invitation: Invitation) -> Self {
        let Invitation { id, email, role, created_at, expires_at, .. } = invitation;
        Self { id, email: email.as_str().to_owned(), role: role.into(), created_at, expires_at }
    }
}

/// Makes a member of whoever holds the link, and signs them in. The link works once.
pub(crate) async fn accept(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let AcceptBody { token, name, password, language } = body::json(&request, payload).await?.fields;
    let (token, language) = (InvitationToken::presented(&token), language.map(Into::into));
    let asked = AcceptRequest { token, name, password, language };
    let origin = origin(&app, &request);
    let accepted = app.run(|app| async move { app.dashboard.accept_invitation.run(asked, origin).await });
    begun_session(&app, &request, accepted.await??).await
}

/// The invitations that nobody has accepted yet, newest first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<InvitationsBody>, Problem> {
    let listed =
        app.run(move |app| async move { app.dashboard.invitations.list(by.session.workspace).await });
    Ok(Json(InvitationsBody { rows: listed.await??.into_iter().map(InvitationBody::from).collect() }))
}

/// Invites somebody, in place of an earlier invitation of the same address.
pub(crate) async fn invite(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let InviteBody { email, role } = body::json(&request, payload).await?.fields;
    let email = email.parse().map_err(|error: InvalidEmail| Problem::invalid(error.to_string()))?;
    let invited =
        app.run(
            move |app| async move { app.dashboard.invitations.invite(by.acting(), email, role.into()).await },
        );
    let Invited { invitation, way } = invited.await??;
    let link = match way {
        Way::Mailed => None,
        Way::Link(link) => Some(link.into()),
    };
    Ok(HttpResponse::Created().json(InvitedBody { invitation: invitation.into(), link }))
}

/// Withdraws an invitation.
pub(crate) async fn withdraw(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("invitation");
    let id = id(&request).ok_or_else(unknown)?;
    let withdrawn =
        app.run(move |app| async move { app.dashboard.invitations.withdraw(by.acting(), id).await });
    if withdrawn.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
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

impl From<AcceptError> for Problem {
    fn from(error: AcceptError) -> Self {
        match error {
            AcceptError::NotValid => Self::dashboard(DashboardCode::InvitationNotValid, error.to_string()),
            AcceptError::Name(error) => error.into(),
            AcceptError::Password(error) => error.into(),
            AcceptError::Busy(busy) => busy.into(),
            AcceptError::Store(error) => error.into(),
        }
    }
}
