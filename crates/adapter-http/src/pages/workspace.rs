//! `/usage`, in the browser `/dashboard/settings/usage`.

use dashboard_pages::{Language, Section, UsageDay, UsagePage};
use domain::workspaces::{DAYS_TOLD, DayUsage};
use serde::Serialize;

use super::{
    act::{self, Answer, Call},
    answer::ok,
};
use crate::{problem::Problem, query::Parameters};

/// What was used this month, against the plan.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UsageBody {
    /// The calendar month (UTC), by its first day.
    month: String,
    /// How many customers were written to, or wrote, this month.
    active_customers: u64,
    /// How many may be active in one month; null is unlimited.
    active_customer_limit: Option<u32>,
    /// Whether the subscription is paused: nothing is sent then.
    paused: bool,
}

/// Parses the number of days; 30 by default.
fn asked_days(parameters: &Parameters) -> Result<i64, Problem> {
    let read = |text: &str| text.parse().ok().filter(|days| (1..=DAYS_TOLD).contains(days));
    Ok(parameters.read("days", read, "a number from 1 to 396")?.unwrap_or(30))
}

/// What was used this month, against the plan.
pub(super) async fn usage(call: Call) -> Answer {
    let workspace = call.workspace();
    let found = call.run(move |app| async move { app.dashboard.show_usage.run(workspace).await });
    let usage = found.await?.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    if call.is_of_api() {
        return act::ok(&UsageBody {
            month: usage.month.first_day().to_string(),
            active_customers: usage.active_customers,
            active_customer_limit: usage.plan.active_customer_limit,
            paused: usage.plan.paused,
        });
    }
    let days = asked_days(&call.parameters()?)?;
    let told = call.run(move |app| async move { app.dashboard.count_usage.tell(workspace, days).await });
    let frame = call.frame(Section::Usage).await?;
    let told = told.await?.into_iter().map(|usage| day(usage, frame.language)).collect();
    let assistant = call.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let today = assistant.read.spent_today(workspace).await?;
        Ok::<_, Problem>(assistant.manage.get(workspace).await?.day_limit().is_nearly_reached(today))
    });
    let is_assistant_nearly_spent = assistant.await?;
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
