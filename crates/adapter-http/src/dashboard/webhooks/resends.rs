//! Resends of the deliveries that an address missed in a window.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::{ResendId, WebhookAddressId},
    since::read_since,
    webhooks::{Resend, ResendWindow},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::known;
use crate::{
    app::App,
    body,
    dashboard::deliveries::MOMENT,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

/// A window of an address's log that is sent again, and how far that has come.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResendBody {
    id: ResendId,
    address_id: WebhookAddressId,
    #[serde(with = "domain::clock::timestamp")]
    since: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp")]
    until: OffsetDateTime,
    /// `under_way`, `done` when nothing waits any more, or `stopped`.
    state: &'static str,
    /// How many deliveries had failed, were held or waited when it was asked for.
    total: u64,
    /// How many of them were made due at once.
    queued: u64,
    /// How many of those were delivered since.
    delivered: u64,
    /// How many of those have failed for good since.
    refused: u64,
    /// How many of those are held, because the address was disabled meanwhile.
    held: u64,
    /// How many still wait: to be queued, or for an attempt.
    waiting: u64,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    /// When all was queued; null before.
    #[serde(with = "domain::clock::timestamp::option")]
    ended_at: Option<OffsetDateTime>,
    stopped: Option<String>,
}

/// What was sent again of an address.
#[derive(Serialize)]
pub(crate) struct ResendsBody {
    rows: Vec<ResendBody>,
}

/// A window of an address's log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowBody {
    /// From this time on: a date or a time.
    since: String,
    /// Before this time; without it, now.
    until: Option<String>,
}

impl From<Resend> for ResendBody {
    fn from(resend: Resend) -> Self {
        let (state, delivered, waiting) = (resend.state().as_str(), resend.delivered(), resend.waiting());
        let Resend { id, window, total, queued, refused, held, created_at, ended_at, stopped, .. } = resend;
        Self {
            id,
            address_id: window.address,
            since: window.since,
            until: window.until,
            state,
            total,
            queued,
            delivered,
            refused,
            held,
            waiting,
            created_at,
            ended_at,
            stopped,
        }
    }
}

/// The windows of an address's log that were sent again, newest first, 50 at most.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<ResendsBody>, Problem> {
    let address = known(&app, &by, &request).await?.id;
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.webhooks.resend.list(workspace, address).await });
    Ok(Json(ResendsBody { rows: listed.await??.into_iter().map(ResendBody::from).collect() }))
}

/// Has all that failed or was held in a window sent again, and what waits in it tried at once: the oldest
/// first, whatever becomes of this process.
pub(crate) async fn begin(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let WindowBody { since, until } = body::json(&request, payload).await?.fields;
    let address = id(&request).ok_or_else(super::unknown)?;
    let since = moment("since", &since)?;
    let until = until.map_or_else(|| Ok(app.clock.now()), |until| moment("until", &until))?;
    let window = ResendWindow { address, since, until };
    let begun =
        app.run(move |app| async move { app.dashboard.webhooks.resend.window(by.acting(), window).await });
    Ok(HttpResponse::Created().json(ResendBody::from(begun.await??)))
}

fn moment(field: &str, text: &str) -> Result<OffsetDateTime, Problem> {
    read_since(text).ok_or_else(|| Problem::invalid(format!("`{field}` must be {MOMENT}")))
}

/// How far a window that is sent again has come.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<ResendBody>, Problem> {
    let unknown = || not_found("re-send");
    let (workspace, id) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let found =
        app.run(move |app| async move { app.dashboard.webhooks.resend.progress(workspace, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}
