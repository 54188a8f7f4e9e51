//! `GET /members`, `PATCH` and `DELETE /members/{id}`, `GET /members/{id}/made`, `GET /former-members`,
//! `POST /me/leave`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    access::members::{FormerMember, InvalidMemberName, Language, Member, MemberRefusal, MembersError, Role},
    ids::MemberId,
    removal::{Made, Revoked},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tracing::warn;
use utoipa::ToSchema;

use super::{api_keys::KeyBody, system::SystemBody, webhooks::AddressBody};
use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    query::Parameters,
    schema::values,
    session::SignedIn,
};

/// What a member may: an `agent` answers customers, an `owner` decides about the workspace as well.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
pub(crate) enum RoleWord {
    Owner,
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
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = Language)]
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
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Member)]
pub(crate) struct MemberBody {
    #[schema(value_type = values::Id)]
    id: MemberId,
    email: String,
    /// Null until they have accepted their invitation.
    #[schema(required = true)]
    name: Option<String>,
    #[schema(inline)]
    role: RoleWord,
    /// Whether they can sign in.
    joined: bool,
    /// Whether a second factor is asked of them.
    second_factor: bool,
    /// What their pages and mails are in; null until they choose it.
    #[schema(required = true, inline)]
    language: Option<LanguageWord>,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
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
#[derive(Serialize, ToSchema)]
#[schema(as = Members)]
pub(crate) struct MembersBody {
    rows: Vec<MemberBody>,
}

/// Somebody who has left the team, and whose name stays beside what they made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FormerMember)]
pub(crate) struct FormerMemberBody {
    #[schema(value_type = values::Id)]
    id: MemberId,
    /// Their name, or their address where they never gave one.
    name: String,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
    left_at: OffsetDateTime,
}

/// Who has left the team.
#[derive(Serialize, ToSchema)]
#[schema(as = FormerMembers)]
pub(crate) struct FormerMembersBody {
    rows: Vec<FormerMemberBody>,
}

/// What somebody made that still works.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MadeByMember)]
pub(crate) struct MadeBody {
    api_keys: Vec<KeyBody>,
    webhook_addresses: Vec<AddressBody>,
    /// The workspace's own system, where they connected it.
    #[schema(required = true)]
    system: Option<SystemBody>,
}

/// Another role.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RoleForm)]
pub(crate) struct RoleBody {
    #[schema(inline)]
    role: RoleWord,
}

/// The team, the longest known first.
#[utoipa::path(
    get, path = "/dashboard/api/members", tag = "Members", operation_id = "listMembers",
    responses((status = 200, description = "The members.", body = MembersBody))
)]
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<MembersBody>, Problem> {
    let listed = app.run(move |app| async move { app.dashboard.members.list(by.session.workspace).await });
    Ok(Json(MembersBody { rows: listed.await??.into_iter().map(MemberBody::from).collect() }))
}

/// Gives a member another role.
#[utoipa::path(
    patch, path = "/dashboard/api/members/{id}", tag = "Members", operation_id = "changeRole",
    params(("id" = values::Id, Path, description = "The member's id.")),
    request_body(content = RoleBody),
    responses(
        (status = 204, description = "Changed."),
        (status = 409, description = "`last_owner`: make somebody else an owner first.")
    )
)]
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

/// Who has left the team, the longest known first.
#[utoipa::path(
    get, path = "/dashboard/api/former-members", tag = "Members", operation_id = "listFormerMembers",
    responses((status = 200, description = "The former members.", body = FormerMembersBody))
)]
pub(crate) async fn former(app: Data<App>, by: SignedIn) -> Result<Json<FormerMembersBody>, Problem> {
    let listed = app.run(move |app| async move { app.dashboard.members.former(by.session.workspace).await });
    let row = |FormerMember { id, name, left_at }| FormerMemberBody { id, name, left_at };
    Ok(Json(FormerMembersBody { rows: listed.await??.into_iter().map(row).collect() }))
}

/// What a member, or a former one, made that still works. It is what `revoke` revokes when they are removed.
#[utoipa::path(
    get, path = "/dashboard/api/members/{id}/made", tag = "Members", operation_id = "listMadeByMember",
    params(("id" = values::Id, Path, description = "The member's id, or a former member's.")),
    responses((status = 200, description = "What they made.", body = MadeBody))
)]
pub(crate) async fn made(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<MadeBody>, Problem> {
    let member: MemberId = id(&request).ok_or(MembersError::Refused(MemberRefusal::Unknown))?;
    let (workspace, role) = (by.session.workspace, by.session.role);
    let found = app.run(move |app| async move {
        let is_known = app.dashboard.members.get(workspace, member).await?.is_some()
            || app.dashboard.members.former(workspace).await?.iter().any(|former| former.id == member);
        if !is_known {
            return Err(MembersError::Refused(MemberRefusal::Unknown));
        }
        Ok(app.dashboard.remove_member.made(workspace, member).await?)
    });
    let Made { api_keys, webhook_addresses, system } = found.await??;
    let now = app.clock.now();
    Ok(Json(MadeBody {
        api_keys: api_keys.into_iter().map(Into::into).collect(),
        webhook_addresses: webhook_addresses.into_iter().map(Into::into).collect(),
        system: system.map(|system| SystemBody::of(system, role, now)),
    }))
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
#[utoipa::path(
    delete, path = "/dashboard/api/members/{id}", tag = "Members", operation_id = "removeMember",
    params(
        ("id" = values::Id, Path, description = "The member's id."),
        ("revoke" = Option<String>, Query, example = "apiKeys,webhookAddresses",
            description = "What of theirs to revoke, with commas between: `apiKeys`, `webhookAddresses` (removed) and \
                           `system` (disconnected). Without it, all of it goes on working."),
    ),
    responses(
        (status = 204, description = "Removed."),
        (status = 409, description = "`last_owner`: make somebody else an owner first.")
    )
)]
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

/// Leaves the workspace.
#[utoipa::path(
    post, path = "/dashboard/api/me/leave", tag = "Me", operation_id = "leave",
    responses(
        (status = 204, description = "Left; signed out everywhere."),
        (status = 409, description = "`last_owner`: make somebody else an owner first.")
    )
)]
pub(crate) async fn leave(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    let member = by.session.member;
    gone(&app, by, member, Revoked::default()).await?;
    let mut answer = HttpResponse::NoContent().finish();
    app.edge.cookies.forget(&mut answer);
    Ok(answer)
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
