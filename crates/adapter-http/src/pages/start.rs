//! `/dashboard` and `/dashboard/settings/start`: the first page and the first steps.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{Section, StartPage, Step};
use domain::{
    access::members::Role,
    assistant::AssistantMode,
    channels::AccountKind,
    ids::WorkspaceId,
    templates::{TemplateFilter, TemplateStatus},
};

use super::{
    answer::{ok, see_other},
    frame,
};
use crate::{app::App, problem::Problem, session::SignedIn};

const PATH: &str = "/dashboard/settings/start";
const INBOX: &str = "/dashboard/inbox";

/// Redirects to the inbox; owners to the first steps, as long as a needed one is open.
pub(super) async fn begin(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    if by.session.role != Role::Owner {
        return Ok(see_other(INBOX));
    }
    let steps = steps(&app, by.session.workspace).await?;
    let is_open = steps.iter().any(|(step, done)| step.is_needed() && !done);
    Ok(see_other(if is_open { PATH } else { INBOX }))
}

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Start).await?;
    ok(&StartPage { frame: &frame, steps: steps(&app, by.session.workspace).await? })
}

async fn steps(app: &Data<App>, workspace: WorkspaceId) -> Result<Vec<(Step, bool)>, Problem> {
    let taken = app.run(move |app| async move {
        let mut taken = Vec::with_capacity(Step::ALL.len());
        for step in Step::ALL {
            taken.push((step, is_taken(&app, workspace, step).await?));
        }
        Ok::<_, Problem>(taken)
    });
    taken.await?
}

async fn is_taken(app: &App, workspace: WorkspaceId, step: Step) -> Result<bool, Problem> {
    let dashboard = &app.dashboard;
    Ok(match step {
        Step::Channel => {
            let manage = &dashboard.channels.manage;
            let mut accounts = manage.list(workspace, AccountKind::Business).await?;
            accounts.extend(manage.list(workspace, AccountKind::Page).await?);
            accounts.iter().any(|account| !account.connections.is_empty())
        }
        Step::Template => {
            let listed = app.list_templates.run(workspace, TemplateFilter::default()).await?;
            listed.iter().any(|listed| listed.template.status == TemplateStatus::Approved)
        }
        Step::Team => {
            dashboard.members.list(workspace).await?.len() > 1
                || !dashboard.invitations.list(workspace).await?.is_empty()
        }
        Step::Programs => {
            !dashboard.webhooks.manage.list(workspace).await?.is_empty()
                || dashboard.list_keys.run(workspace).await?.iter().any(|key| key.revoked_at.is_none())
        }
        Step::System => dashboard.systems.manage.get(workspace).await?.is_some(),
        Step::Assistant => dashboard.assistant.manage.get(workspace).await?.mode != AssistantMode::Off,
    })
}
