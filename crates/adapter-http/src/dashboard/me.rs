//! `GET` and `PATCH /me`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{access::members::Member, ids::WorkspaceId, workspaces::Workspace};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SignedIn, members::MemberBody};
use crate::{App, body, openapi::values::Id, problem::Problem};

/// Who is signed in, and where.
#[derive(Serialize, ToSchema)]
#[schema(as = Me)]
pub(crate) struct MeBody {
    member: MemberBody,
    workspace: WorkspaceBody,
}

/// A workspace.
#[derive(Serialize, ToSchema)]
#[schema(as = Workspace)]
pub(crate) struct WorkspaceBody {
    #[schema(value_type = Id)]
    id: WorkspaceId,
    /// What it is called.
    name: String,
    /// The language its templates default to.
    #[schema(example = "ar")]
    locale: String,
    /// The country whose code a number without one gets.
    #[schema(example = "IQ")]
    region: String,
}

impl From<Workspace> for WorkspaceBody {
    fn from(workspace: Workspace) -> Self {
        // The plan is shown with what is used of it.
        let Workspace { id, name, locale, region, plan: _ } = workspace;
        Self { id, name, locale, region: region.as_str().to_owned() }
    }
}

/// Another name for oneself.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OwnName)]
pub(crate) struct OwnNameBody {
    #[schema(min_length = 1, max_length = 200, example = "Sara")]
    name: String,
}

/// Who is signed in, and where.
#[utoipa::path(
    get, path = "/dashboard/api/me", tag = "Me", operation_id = "getMe",
    responses((status = 200, description = "The member and the workspace.", body = MeBody))
)]
pub(crate) async fn me(app: Data<App>, by: SignedIn) -> Result<Json<MeBody>, Problem> {
    let session = by.session;
    let found =
        app.run(move |app| async move { app.dashboard.members.get(session.workspace, session.member).await });
    let member = found.await??.ok_or_else(|| Problem::internal("a session without its member"))?;
    Ok(Json(body(&app, member).await?))
}

/// The member with the workspace.
pub(super) async fn body(app: &Data<App>, member: Member) -> Result<MeBody, Problem> {
    let workspace = member.workspace;
    let found = app.run(move |app| async move { app.dashboard.workspaces.find(workspace).await });
    let workspace = found.await??.ok_or_else(|| Problem::internal("a member without their workspace"))?;
    Ok(MeBody { member: member.into(), workspace: workspace.into() })
}

/// Changes one's own name.
#[utoipa::path(
    patch, path = "/dashboard/api/me", tag = "Me", operation_id = "renameMe",
    request_body(content = OwnNameBody),
    responses((status = 204, description = "Renamed."))
)]
pub(crate) async fn rename(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let OwnNameBody { name } = body::json(&request, payload).await?.fields;
    let renamed = app.run(move |app| async move {
        app.dashboard.members.rename(by.acting(), by.session.member, &name).await
    });
    renamed.await??;
    Ok(HttpResponse::NoContent().finish())
}
