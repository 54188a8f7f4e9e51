//! `/dashboard/settings/workspace`: the workspace's own settings.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{Refused, Section, WorkspaceForm, WorkspacePage, words::SettingsWords};
use domain::{
    phone::Region,
    workspaces::{ChangeWorkspaceError, Workspace, WorkspaceSettings},
    zone::Zone,
};

use super::{
    answer::{page, see_other},
    form::Form,
    frame, refusal,
};
use crate::{app::App, problem::Problem, session::SignedIn};

const PATH: &str = "/dashboard/settings/workspace";

/// A rejected form: its input, and the reason.
type Rejected = (WorkspaceForm, Refused);

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    rejected: Option<Rejected>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Workspace).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let found = app.dashboard.workspaces.find(workspace).await?;
        let by_mail = app.dashboard.resets.policy.by_mail(workspace).await?;
        Ok::<_, Problem>((found, by_mail, app.dashboard.tell_read.is_on(workspace).await?))
    });
    let (kept, resets_by_mail, marks_read) = found.await??;
    let kept = kept.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    let (form, refused) = if let Some((form, refused)) = rejected {
        (form, Some(refused))
    } else {
        let Workspace { id: _, name, locale, region, time_zone, plan: _ } = kept;
        let (region, time_zone) = (region.as_str().to_owned(), String::from(time_zone));
        (WorkspaceForm { name, locale, region, time_zone }, None)
    };
    page(
        refusal::status(refused.as_ref()),
        &WorkspacePage { frame: &frame, form, zones: Zone::names(), resets_by_mail, marks_read, refused },
    )
}

pub(super) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    match form.text("do")?.as_str() {
        "settings" => set(&app, &by, &request, &form).await,
        "resets" => {
            let (acting, by_mail) = (by.acting(), form.filled("by-mail")?.is_some());
            let set =
                app.run(
                    move |app| async move { app.dashboard.resets.policy.set_by_mail(acting, by_mail).await },
                );
            set.await??;
            Ok(see_other(PATH))
        }
        "receipts" => {
            let (acting, on) = (by.acting(), form.filled("marks-read")?.is_some());
            let set = app.run(move |app| async move { app.dashboard.tell_read.set(acting, on).await });
            set.await??;
            Ok(see_other(PATH))
        }
        _ => Err(Problem::invalid("`do` names nothing that can be done")),
    }
}

async fn set(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let trimmed = |text: String| text.trim().to_owned();
    let written = WorkspaceForm {
        name: form.text("name")?,
        locale: trimmed(form.text("locale")?),
        region: trimmed(form.text("region")?),
        time_zone: trimmed(form.text("time-zone")?),
    };
    let words: &SettingsWords = &frame::bare(request).words().settings;
    let wrong = |field: &str, because: String| refusal::because(request, because).at(field);
    let Ok(region) = written.region.parse::<Region>() else {
        return render(app, by, request, Some((written, wrong("region", words.wrong_region.to_owned()))))
            .await;
    };
    // A form from before zones existed has none and leaves the zone unchanged.
    let time_zone = form.filled("time-zone")?.map(|name| Zone::named(&name)).transpose();
    let time_zone = match time_zone {
        Ok(time_zone) => time_zone,
        Err(unknown) => {
            let because = match unknown.seen_from(region).nearest {
                Some(nearest) => format!("{} {nearest}", words.wrong_zone),
                None => words.unknown_zone.to_owned(),
            };
            return render(app, by, request, Some((written, wrong("time-zone", because)))).await;
        }
    };
    let wanted = WorkspaceSettings {
        name: Some(written.name.clone()),
        locale: Some(written.locale.clone()),
        region: Some(region),
        time_zone,
    };
    let acting = by.acting();
    let changed = app.run(move |app| async move { app.dashboard.change_workspace.run(acting, wanted).await });
    match changed.await? {
        Ok(_) => Ok(see_other(PATH)),
        Err(ChangeWorkspaceError::Name) => {
            render(app, by, request, Some((written, wrong("name", words.wrong_name.to_owned())))).await
        }
        Err(ChangeWorkspaceError::Locale) => {
            render(app, by, request, Some((written, wrong("locale", words.wrong_locale.to_owned())))).await
        }
        Err(error) => Err(error.into()),
    }
}
