//! `/dashboard/settings/usage`.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{Language, Section, UsageDay, UsagePage};
use domain::workspaces::DayUsage;

use super::{answer::ok, frame};
use crate::{app::App, dashboard::usage::asked_days, problem::Problem, query::Parameters, session::SignedIn};

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
    let told = told.await??.into_iter().map(|usage| day(usage, frame.language)).collect();
    let assistant = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let today = assistant.read.spent_today(workspace).await?;
        Ok::<_, Problem>(assistant.manage.get(workspace).await?.day_limit().is_nearly_reached(today))
    });
    let is_assistant_nearly_spent = assistant.await??;
    ok(&UsagePage {
        frame: &frame,
        month: frame.language.month(usage.month.first_day()),
        active: usage.active_customers,
        limit: usage.plan.active_customer_limit,
        is_paused: usage.plan.paused,
        is_assistant_nearly_spent,
        asked: days,
        days: told,
    })
}

fn day(usage: DayUsage, language: Language) -> UsageDay {
    let DayUsage { day, received, sent, templates, active_customers } = usage;
    UsageDay {
        day: language.day(day),
        received,
        sent,
        templates: templates.into_iter().collect(),
        active: active_customers,
    }
}
