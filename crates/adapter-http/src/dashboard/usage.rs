//! `GET /usage`.

use std::collections::BTreeMap;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::workspaces::{DAYS_TOLD, DayUsage};
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

/// What was used on a day.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DayBody {
    /// The day (UTC).
    day: String,
    /// Messages of customers.
    received: u64,
    /// Messages to customers, templates included. One-time codes are in no conversation, and not among them.
    sent: u64,
    /// Templates that the networks took, one-time codes included, by the category that they have now:
    /// `utility`, `marketing`, `authentication`, or `unknown` for those that there are no more.
    templates: BTreeMap<String, u64>,
    /// Customers with whom a message was exchanged.
    active_customers: u64,
}

/// Days, the newest first.
#[derive(Serialize)]
pub(crate) struct DaysBody {
    rows: Vec<DayBody>,
}

impl From<DayUsage> for DayBody {
    fn from(usage: DayUsage) -> Self {
        let DayUsage { day, received, sent, templates, active_customers } = usage;
        Self { day: day.to_string(), received, sent, templates, active_customers }
    }
}

/// What was used day by day, for up to thirteen months. A message counts on the day on which it was recorded.
/// Days before the first message are left out, and so is for some minutes what an upgrade has not counted
/// yet.
pub(crate) async fn days(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<DaysBody>, Problem> {
    let days = asked_days(&Parameters::of(&request)?)?;
    let told =
        app.run(move |app| async move { app.dashboard.count_usage.tell(by.session.workspace, days).await });
    Ok(Json(DaysBody { rows: told.await??.into_iter().map(DayBody::from).collect() }))
}

/// Parses the number of days; 30 by default.
pub(crate) fn asked_days(parameters: &Parameters) -> Result<i64, Problem> {
    let read = |text: &str| text.parse().ok().filter(|days| (1..=DAYS_TOLD).contains(days));
    Ok(parameters.read("days", read, "a number from 1 to 396")?.unwrap_or(30))
}
