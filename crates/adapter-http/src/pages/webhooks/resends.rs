//! `/webhooks/{id}/resends` and `/resends/{id}`: what an address missed in a window, sent again.

use actix_web::web::Payload;
use dashboard_pages::ResendRow;
use domain::{
    ids::{ResendId, WebhookAddressId},
    since::read_since,
    webhooks::{Resend, ResendWindow},
};
use serde::Deserialize;
use time::OffsetDateTime;

use super::{
    super::act::{self, Answer, Call, Rows},
    known, unknown,
};
use crate::{paging::not_found, problem::Problem, query::MOMENT};

/// A window of an address's log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowBody {
    /// From this time on: a date or a time.
    since: String,
    /// Before this time; without it, now.
    until: Option<String>,
}

fn row(resend: Resend) -> ResendRow {
    ResendRow {
        state: resend.state(),
        delivered: resend.delivered(),
        waiting: resend.waiting(),
        id: resend.id,
        address_id: resend.window.address,
        since: resend.window.since.into(),
        until: resend.window.until.into(),
        total: resend.total,
        queued: resend.queued,
        refused: resend.refused,
        held: resend.held,
        created_at: resend.created_at.into(),
        ended_at: resend.ended_at.map(Into::into),
        stopped: resend.stopped,
    }
}

/// The windows of an address's log that were sent again, newest first, 50 at most.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let address = known(&call).await?.id;
    act::ok(&Rows { rows: of(&call, address).await? })
}

pub(super) async fn of(call: &Call, address: WebhookAddressId) -> Result<Vec<ResendRow>, Problem> {
    let workspace = call.workspace();
    let resends =
        call.run(move |app| async move { app.dashboard.webhooks.resend.list(workspace, address).await });
    Ok(resends.await?.into_iter().map(row).collect())
}

/// Has all that failed or was held in a window sent again, and what waits in it tried at once: the oldest
/// first, whatever becomes of this process.
pub(in crate::pages) async fn begin(call: Call, payload: Payload) -> Answer {
    let WindowBody { since, until } = call.json(payload).await?;
    let address = call.id(unknown)?;
    let since = moment("since", &since)?;
    let until = until.map_or_else(|| Ok(call.app.clock.now()), |until| moment("until", &until))?;
    act::created(&send(&call, ResendWindow { address, since, until }).await?)
}

pub(super) async fn send(call: &Call, window: ResendWindow) -> Result<ResendRow, Problem> {
    let acting = call.acting();
    let begun =
        call.run(move |app| async move { app.dashboard.webhooks.resend.window(acting, window).await });
    begun.await.map(row)
}

fn moment(field: &str, text: &str) -> Result<OffsetDateTime, Problem> {
    read_since(text).ok_or_else(|| Problem::invalid(format!("`{field}` must be {MOMENT}")))
}

/// How far a window that is sent again has come.
pub(in crate::pages) async fn get(call: Call) -> Answer {
    let unknown = || not_found("re-send");
    let (workspace, id): (_, ResendId) = (call.workspace(), call.id(unknown)?);
    let found =
        call.run(move |app| async move { app.dashboard.webhooks.resend.progress(workspace, id).await });
    act::ok(&row(found.await?.ok_or_else(unknown)?))
}
