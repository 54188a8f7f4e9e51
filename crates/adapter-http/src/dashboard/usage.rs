//! `GET /usage`.

use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use super::SignedIn;
use crate::{App, problem::Problem};

/// What was used this month, against the plan.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Usage)]
pub(crate) struct UsageBody {
    /// The calendar month (UTC), by its first day.
    #[schema(format = Date, example = "2026-11-01")]
    month: String,
    /// How many customers were written to, or wrote, this month.
    active_customers: u64,
    /// How many may be active in one month; null is unlimited.
    #[schema(required = true)]
    active_customer_limit: Option<u32>,
    /// Whether the subscription is paused: nothing is sent then.
    paused: bool,
}

/// What was used this month, against the plan.
#[utoipa::path(
    get, path = "/dashboard/api/usage", tag = "Workspace", operation_id = "getUsage",
    responses((status = 200, description = "What was used.", body = UsageBody))
)]
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
