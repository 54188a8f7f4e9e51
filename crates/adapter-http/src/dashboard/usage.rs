//! `GET /usage`.

use actix_web::web::{Data, Json};
use domain::workspaces::DAYS_TOLD;
use serde::Serialize;

use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

/// What was used this month, against the plan.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsageBody {
    /// The calendar month (UTC), by its first day.
    month: String,
    /// How many customers were written to, or wrote, this month.
    active_customers: u64,
    /// How many may be active in one month; null is unlimited.
    active_customer_limit: Option<u32>,
    /// Whether the subscription is paused: nothing is sent then.
    paused: bool,
}

/// What was used this month, against the plan.
pub(crate) async fn get(app: Data<App>, by: SignedIn) -> Result<Json<UsageBody>, Problem> {
    let found = app.run(move |app| async move { app.dashboard.show_usage.run(by.session.workspace).await });
    let usage = found.await??.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    Ok(Json(UsageBody {
        month: usage.month.first_day().to_string(),
        active_customers: usage.active_customers,
        active_customer_limit: usage.plan.active_customer_limit,
        paused: usage.plan.paused,
    }))
}

/// Parses the number of days; 30 by default.
pub(crate) fn asked_days(parameters: &Parameters) -> Result<i64, Problem> {
    let read = |text: &str| text.parse().ok().filter(|days| (1..=DAYS_TOLD).contains(days));
    Ok(parameters.read("days", read, "a number from 1 to 396")?.unwrap_or(30))
}
