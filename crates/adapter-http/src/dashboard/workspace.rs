//! `GET` and `PATCH /workspace`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    phone::Region,
    workspaces::{ChangeWorkspaceError, WorkspaceSettings},
    zone::{UnknownZone, Zone},
};
use serde::Deserialize;

use super::me::WorkspaceBody;
use crate::{app::App, body, problem::Problem, session::SignedIn};

/// What is to be other than it is. What is left out stays.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SettingsBody {
    name: Option<String>,
    /// The language its templates default to.
    locale: Option<String>,
    /// The country whose code a number without one gets, by its two letters.
    region: Option<Region>,
    /// Where its clock is, by the name that the IANA gives it. One that is mistyped is refused with the one
    /// that was likely meant; of an offset, the workspace's region's.
    time_zone: Option<String>,
}

/// The workspace.
pub(crate) async fn get(app: Data<App>, by: SignedIn) -> Result<Json<WorkspaceBody>, Problem> {
    let found = app.run(move |app| async move { app.dashboard.workspaces.find(by.session.workspace).await });
    let found = found.await??.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    Ok(Json(found.into()))
}

/// Changes the workspace's settings.
pub(crate) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<WorkspaceBody>, Problem> {
    let SettingsBody { name, locale, region, time_zone } = body::json(&request, payload).await?.fields;
    let time_zone = match time_zone.map(|name| Zone::named(&name)).transpose() {
        Ok(time_zone) => time_zone,
        Err(unknown) => {
            let unknown = seen_from_here(&app, &by, region, unknown).await?;
            return Err(Problem::invalid(format!("`timeZone`: {unknown}")));
        }
    };
    let wanted = WorkspaceSettings { name, locale, region, time_zone };
    let changed =
        app.run(move |app| async move { app.dashboard.change_workspace.run(by.acting(), wanted).await });
    Ok(Json(changed.await??.into()))
}

/// Adds to an unknown time zone the suggestion for the region being set, or else for the workspace's.
async fn seen_from_here(
    app: &Data<App>,
    by: &SignedIn,
    region: Option<Region>,
    unknown: UnknownZone,
) -> Result<UnknownZone, Problem> {
    let workspace = by.session.workspace;
    let region = match region {
        Some(region) => region,
        None => app.run(move |app| async move { app.find_region.run(workspace).await }).await??,
    };
    Ok(unknown.seen_from(region))
}

impl From<ChangeWorkspaceError> for Problem {
    fn from(error: ChangeWorkspaceError) -> Self {
        match error {
            ChangeWorkspaceError::Name | ChangeWorkspaceError::Locale => Self::invalid(error.to_string()),
            ChangeWorkspaceError::Unknown => Self::internal("a session without its workspace"),
            ChangeWorkspaceError::Store(error) => error.into(),
        }
    }
}
