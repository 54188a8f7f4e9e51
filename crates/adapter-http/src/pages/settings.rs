//! `/workspace`, in the browser `/dashboard/settings/workspace`: the workspace's own settings.

use std::sync::Arc;

use actix_web::web::Payload;
use dashboard_pages::{Refused, Section, WorkspaceForm, WorkspacePage};
use domain::{
    phone::Region,
    workspaces::{ChangeWorkspaceError, Workspace, WorkspaceSettings},
    zone::{UnknownZone, Zone},
};
use serde::Deserialize;

use super::{
    act::{self, Answer, Call, Given},
    answer::{page, see_other},
    form::Form,
    refusal,
};
use crate::{app::App, dashboard::me::WorkspaceBody, problem::Problem};

const PATH: &str = "/dashboard/settings/workspace";

/// What is to be other than it is. What is left out stays.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SettingsBody {
    name: Option<String>,
    /// The language its templates default to.
    locale: Option<String>,
    /// The country whose code a number without one gets, by its two letters.
    region: Option<Region>,
    /// Where its clock is, by the name that the IANA gives it. One that is mistyped is refused with the one
    /// that was likely meant; of an offset, the workspace's region's.
    time_zone: Option<String>,
}

/// A rejected form: its input, and the reason.
type Rejected = (WorkspaceForm, Refused);

/// The workspace.
pub(super) async fn show(call: Call) -> Answer {
    if call.is_of_api() {
        let workspace = call.workspace();
        let found = call.run(move |app| async move { app.dashboard.workspaces.find(workspace).await });
        return act::ok(&WorkspaceBody::from(found.await?.ok_or_else(gone)?));
    }
    render(&call, None).await
}

fn gone() -> Problem {
    Problem::internal("a session without its workspace")
}

async fn render(call: &Call, rejected: Option<Rejected>) -> Answer {
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let found = app.dashboard.workspaces.find(workspace).await?;
        let by_mail = app.dashboard.resets.policy.by_mail(workspace).await?;
        Ok::<_, Problem>((found, by_mail, app.dashboard.tell_read.is_on(workspace).await?))
    });
    let (kept, resets_by_mail, marks_read) = found.await?;
    let (form, refused) = if let Some((form, refused)) = rejected {
        (form, Some(refused))
    } else {
        let Workspace { id: _, name, locale, region, time_zone, plan: _ } = kept.ok_or_else(gone)?;
        let (region, time_zone) = (region.as_str().to_owned(), String::from(time_zone));
        (WorkspaceForm { name, locale, region, time_zone }, None)
    };
    let (frame, status) = (call.frame(Section::Workspace).await?, refusal::status(refused.as_ref()));
    page(
        status,
        &WorkspacePage { frame: &frame, form, zones: Zone::names(), resets_by_mail, marks_read, refused },
    )
}

/// Changes the workspace's settings.
pub(super) async fn change(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Form(form) => form,
        Given::Json(payload) => {
            let wanted = wanted(&call, call.json(payload).await?).await?;
            return act::ok(&WorkspaceBody::from(changed(&call, wanted).await??));
        }
    };
    let acting = call.acting();
    match call.what().as_str() {
        "settings" => return set(&call, &form).await,
        "resets" => {
            let by_mail = form.filled("by-mail")?.is_some();
            let policy =
                call.run(
                    move |app| async move { app.dashboard.resets.policy.set_by_mail(acting, by_mail).await },
                );
            policy.await?;
        }
        "receipts" => {
            let on = form.filled("marks-read")?.is_some();
            call.run(move |app| async move { app.dashboard.tell_read.set(acting, on).await }).await?;
        }
        _ => return Err(Problem::invalid("`do` names nothing that can be done")),
    }
    Ok(see_other(PATH))
}

async fn changed(
    call: &Call,
    wanted: WorkspaceSettings,
) -> Result<Result<Workspace, ChangeWorkspaceError>, Problem> {
    let acting = call.acting();
    let changing =
        move |app: Arc<App>| async move { app.dashboard.change_workspace.run(acting, wanted).await };
    call.app.run(changing).await
}

async fn wanted(call: &Call, body: SettingsBody) -> Result<WorkspaceSettings, Problem> {
    let SettingsBody { name, locale, region, time_zone } = body;
    let time_zone = match time_zone.map(|name| Zone::named(&name)).transpose() {
        Ok(time_zone) => time_zone,
        Err(unknown) => {
            let unknown = seen_from_here(call, region, unknown).await?;
            return Err(Problem::invalid(format!("`timeZone`: {unknown}")));
        }
    };
    Ok(WorkspaceSettings { name, locale, region, time_zone })
}

/// Adds to an unknown time zone the suggestion for the region being set, or else for the workspace's.
async fn seen_from_here(
    call: &Call,
    region: Option<Region>,
    unknown: UnknownZone,
) -> Result<UnknownZone, Problem> {
    let workspace = call.workspace();
    let region = match region {
        Some(region) => region,
        None => call.run(move |app| async move { app.find_region.run(workspace).await }).await?,
    };
    Ok(unknown.seen_from(region))
}

/// Sets what a form says, or shows it again with the field that is wrong.
async fn set(call: &Call, form: &Form) -> Answer {
    let trimmed = |text: String| text.trim().to_owned();
    let written = WorkspaceForm {
        name: form.text("name")?,
        locale: trimmed(form.text("locale")?),
        region: trimmed(form.text("region")?),
        time_zone: trimmed(form.text("time-zone")?),
    };
    let words = &call.words().settings;
    // A form from before zones existed has none and leaves the zone unchanged.
    let time_zone = form.filled("time-zone")?.map(|name| Zone::named(&name)).transpose();
    let (field, because) = match (written.region.parse::<Region>(), time_zone) {
        (Err(_), _) => ("region", words.wrong_region.to_owned()),
        (Ok(region), Err(unknown)) => match unknown.seen_from(region).nearest {
            Some(nearest) => ("time-zone", format!("{} {nearest}", words.wrong_zone)),
            None => ("time-zone", words.unknown_zone.to_owned()),
        },
        (Ok(region), Ok(time_zone)) => {
            let (name, locale) = (Some(written.name.clone()), Some(written.locale.clone()));
            let wanted = WorkspaceSettings { name, locale, region: Some(region), time_zone };
            match changed(call, wanted).await? {
                Ok(_) => return Ok(see_other(PATH)),
                Err(ChangeWorkspaceError::Name) => ("name", words.wrong_name.to_owned()),
                Err(ChangeWorkspaceError::Locale) => ("locale", words.wrong_locale.to_owned()),
                Err(error) => return Err(error.into()),
            }
        }
    };
    render(call, Some((written, refusal::because(&call.request, because).at(field)))).await
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
