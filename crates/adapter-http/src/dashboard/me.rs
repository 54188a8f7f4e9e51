//! Who is signed in, and where.

use actix_web::web::Data;
use dashboard_pages::MemberRow;
use domain::{access::members::Member, ids::WorkspaceId, workspaces::Workspace};
use serde::Serialize;

use crate::{app::App, problem::Problem};

/// Who is signed in, and where.
#[derive(Serialize)]
pub(crate) struct MeBody {
    member: MemberRow,
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

pub(crate) async fn body(app: &Data<App>, member: Member) -> Result<MeBody, Problem> {
    let workspace = member.workspace;
    let found = app.run(move |app| async move { app.dashboard.workspaces.find(workspace).await });
    let workspace = found.await??.ok_or_else(|| Problem::internal("a member without their workspace"))?;
    Ok(MeBody { member: member.into(), workspace: workspace.into() })
}
