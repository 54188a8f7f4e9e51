//! `/dashboard/settings/usage` and `/dashboard/settings/log`.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{ChangeRow, LogPage, Section, UsageDay, UsagePage};
use domain::{
    access::audit::{Action, AuditFilter},
    paging::{AskedPage, PageLimit},
    workspaces::DayUsage,
};
use url::form_urlencoded::Serializer;

use super::{answer::shown, frame, names};
use crate::{
    App,
    dashboard::{SignedIn, usage::asked_days},
    problem::Problem,
    query::Parameters,
};

pub(super) async fn usage(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Usage).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move { app.dashboard.show_usage.run(workspace).await });
    let usage = found.await??.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    let days = asked_days(&Parameters::of(&request)?.filled())?;
    let told = app.run(move |app| async move { app.dashboard.count_usage.tell(workspace, days).await });
    let told = told.await??.into_iter().map(day).collect();
    shown(&UsagePage {
        frame: &frame,
        month: usage.month.first_day().to_string(),
        active: usage.active_customers,
        limit: usage.plan.active_customer_limit,
        is_paused: usage.plan.paused,
        asked: days,
        days: told,
    })
}

fn day(usage: DayUsage) -> UsageDay {
    let DayUsage { day, received, sent, templates, active_customers } = usage;
    UsageDay {
        day: day.to_string(),
        received,
        sent,
        templates: templates.into_iter().collect(),
        active: active_customers,
    }
}

/// What was changed by whom. A member or an action that there is not finds nothing.
pub(super) async fn log(app: Data<App>, by: SignedIn, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Log).await?;
    let parameters = Parameters::of(&request)?;
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default());
    let (member, action, cursor) = (text("memberId")?, text("action")?, text("cursor")?);
    let names = names::members(&app, &by).await?;
    let filter = AuditFilter { member: member.parse().ok(), action: Action::read(action) };
    let cursor = Some(cursor.to_owned()).filter(|cursor| !cursor.is_empty());
    let asked = AskedPage { limit: PageLimit::default(), cursor };
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.list_audit.run(workspace, filter, &asked).await });
    let listed = listed.await??;
    let earlier = listed.next.map(|next| {
        let mut query = Serializer::new(String::new());
        query.append_pair("memberId", member).append_pair("action", action).append_pair("cursor", &next);
        format!("/dashboard/settings/log?{}", query.finish())
    });
    let changes = listed.rows.into_iter().map(|entry| ChangeRow {
        at: entry.at.into(),
        by: entry.actor.member().and_then(|member| names.get(&member.to_string()).cloned()),
        action: entry.action,
        subject: entry.subject.map(|subject| names.get(&subject).cloned().unwrap_or(subject)),
        details: if entry.details.is_empty() {
            String::new()
        } else {
            serde_json::Value::from(entry.details).to_string()
        },
        address: entry.address.map(|address| address.to_string()),
    });
    let changes = changes.collect();
    let mut members: Vec<(String, String)> = names.clone().into_iter().collect();
    members.sort_by(|one, other| one.1.cmp(&other.1));
    let (member, action) = (member.to_owned(), Action::read(action));
    shown(&LogPage { frame: &frame, changes, members, member, action, earlier })
}
