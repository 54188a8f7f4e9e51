//! `GET` and `PATCH /me`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    access::members::{Member, MembersError},
    ids::WorkspaceId,
    workspaces::Workspace,
};
use serde::{Deserialize, Serialize};

use super::members::{LanguageWord, MemberBody};
use crate::{app::App, body, problem::Problem, session::SignedIn};

/// Who is signed in, and where.
#[derive(Serialize)]
pub(crate) struct MeBody {
    member: MemberBody,
    workspace: WorkspaceBody,
}

/// A workspace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspaceBody {
    id: WorkspaceId,
    name: String,
    /// The language its templates default to.
    locale: String,
    /// The country whose code a number without one gets.
    region: String,
    /// Where its clock is, by the name that the IANA gives it.
    time_zone: String,
}

impl From<Workspace> for WorkspaceBody {
    fn from(workspace: Workspace) -> Self {
        // `/usage` shows the plan, with what is used of it.
        let Workspace { id, name, locale, region, time_zone, plan: _ } = workspace;
        let (region, time_zone) = (region.as_str().to_owned(), time_zone.into());
        Self { id, name, locale, region, time_zone }
    }
}

/// What is to be other than it is of oneself. What is left out stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnProfileBody {
    name: Option<String>,
    /// What one's pages and mails are in.
    language: Option<LanguageWord>,
}

/// Who is signed in, and where.
pub(crate) async fn me(app: Data<App>, by: SignedIn) -> Result<Json<MeBody>, Problem> {
    let session = by.session;
    let found =
        app.run(move |app| async move { app.dashboard.members.get(session.workspace, session.member).await });
    let member = found.await??.ok_or_else(|| Problem::internal("a session without its member"))?;
    Ok(Json(body(&app, member).await?))
}

pub(super) async fn body(app: &Data<App>, member: Member) -> Result<MeBody, Problem> {
    let workspace = member.workspace;
    let found = app.run(move |app| async move { app.dashboard.workspaces.find(workspace).await });
    let workspace = found.await??.ok_or_else(|| Problem::internal("a member without their workspace"))?;
    Ok(MeBody { member: member.into(), workspace: workspace.into() })
}

/// Changes one's own name or language.
pub(crate) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let OwnProfileBody { name, language } = body::json(&request, payload).await?.fields;
    let changed = app.run(move |app| async move {
        let (members, acting, member) = (&app.dashboard.members, by.acting(), by.session.member);
        if let Some(name) = name {
            members.rename(acting, member, &name).await?;
        }
        if let Some(language) = language {
            members.choose_language(acting, member, language.into()).await?;
        }
        Ok::<_, MembersError>(())
    });
    changed.await??;
    Ok(HttpResponse::NoContent().finish())
}
