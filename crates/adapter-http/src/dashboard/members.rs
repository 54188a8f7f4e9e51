//! `GET /members`, `PATCH` and `DELETE /members/{id}`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    access::members::{InvalidMemberName, Language, Member, MemberRefusal, MembersError, Role},
    ids::MemberId,
    removal::Revoked,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tracing::warn;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// What a member may: an `agent` answers customers, an `owner` decides about the workspace as well.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleWord {
    Owner,
    #[default]
    Agent,
}

impl From<Role> for RoleWord {
    fn from(role: Role) -> Self {
        match role {
            Role::Owner => Self::Owner,
            Role::Agent => Self::Agent,
        }
    }
}

impl From<RoleWord> for Role {
    fn from(word: RoleWord) -> Self {
        match word {
            RoleWord::Owner => Self::Owner,
            RoleWord::Agent => Self::Agent,
        }
    }
}

/// What a member's pages and mails are in.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum LanguageWord {
    #[serde(rename = "ar")]
    Arabic,
    #[serde(rename = "en")]
    English,
}

impl From<Language> for LanguageWord {
    fn from(language: Language) -> Self {
        match language {
            Language::Arabic => Self::Arabic,
            Language::English => Self::English,
        }
    }
}

impl From<LanguageWord> for Language {
    fn from(word: LanguageWord) -> Self {
        match word {
            LanguageWord::Arabic => Self::Arabic,
            LanguageWord::English => Self::English,
        }
    }
}

/// A person on the team.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberBody {
    id: MemberId,
    email: String,
    /// Null until they have accepted their invitation.
    name: Option<String>,
    role: RoleWord,
    joined: bool,
    /// Whether a second factor is asked of them.
    second_factor: bool,
    /// What their pages and mails are in; null until they choose it.
    language: Option<LanguageWord>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

impl From<Member> for MemberBody {
    fn from(member: Member) -> Self {
        let Member { id, email, name, role, joined, second_factor, language, created_at, .. } = member;
        Self {
            id,
            email: email.as_str().to_owned(),
            name,
            role: role.into(),
            joined,
            second_factor,
            language: language.map(Into::into),
            created_at,
        }
    }
}

/// The team.
#[derive(Serialize)]
pub(crate) struct MembersBody {
    rows: Vec<MemberBody>,
}

/// Another role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoleBody {
    role: RoleWord,
}

/// The team, the longest known first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<MembersBody>, Problem> {
    let listed = app.run(move |app| async move { app.dashboard.members.list(by.session.workspace).await });
    Ok(Json(MembersBody { rows: listed.await??.into_iter().map(MemberBody::from).collect() }))
}

/// Gives a member another role.
pub(crate) async fn change_role(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let RoleBody { role } = body::json(&request, payload).await?.fields;
    let id = id(&request).ok_or(MembersError::Refused(MemberRefusal::Unknown))?;
    let changed = app
        .run(move |app| async move { app.dashboard.members.change_role(by.acting(), id, role.into()).await });
    changed.await??;
    Ok(HttpResponse::NoContent().finish())
}

fn revoked(request: &HttpRequest) -> Result<Revoked, Problem> {
    let parameters = Parameters::of(request)?;
    let mut revoked = Revoked::default();
    for word in parameters.get("revoke")?.unwrap_or_default().split(',').filter(|word| !word.is_empty()) {
        match word {
            "apiKeys" => revoked.api_keys = true,
            "webhookAddresses" => revoked.webhook_addresses = true,
            "system" => revoked.system = true,
            _ => {
                let message = "`revoke` names none but `apiKeys`, `webhookAddresses` and `system`";
                return Err(Problem::invalid(message));
            }
        }
    }
    Ok(revoked)
}

/// Removes a member: their sessions end at once, their conversations wait for somebody else, and what they
/// made stays, but for what `revoke` names. That stops working in the same moment.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or(MembersError::Refused(MemberRefusal::Unknown))?;
    gone(&app, by, id, revoked(&request)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Removes a member and releases their conversations for others. Conversations that could not be released now
/// are released in the background.
pub(crate) async fn gone(
    app: &Data<App>,
    by: SignedIn,
    member: MemberId,
    revoked: Revoked,
) -> Result<(), Problem> {
    let done = app.run(move |app| async move {
        app.dashboard.remove_member.run(by.acting(), member, revoked).await?;
        let (workspace, by) = (by.session.workspace, by.session.member);
        if let Err(error) = app.change_conversation.let_go_of(workspace, member, by).await {
            warn!(%error, %workspace, %member, "conversations of who has left are not let go of yet");
        }
        Ok::<_, MembersError>(())
    });
    done.await?.map_err(Problem::from)
}

impl From<InvalidMemberName> for Problem {
    fn from(error: InvalidMemberName) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<MembersError> for Problem {
    fn from(error: MembersError) -> Self {
        match error {
            MembersError::Refused(MemberRefusal::Unknown) => not_found("member"),
            MembersError::Refused(refusal @ MemberRefusal::LastOwner) => {
                Self::dashboard(DashboardCode::LastOwner, refusal.to_string())
            }
            MembersError::Name(error) => error.into(),
            MembersError::Store(error) => error.into(),
        }
    }
}
