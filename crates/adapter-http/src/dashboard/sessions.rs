//! `GET` and `DELETE /sessions`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json},
};
use domain::{access::sessions::ListedSession, ids::SessionId};
use serde::Serialize;
use time::OffsetDateTime;

use super::device::renew_device;
use crate::{app::App, problem::Problem, session::SignedIn};

/// A session of one's own.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionBody {
    id: SessionId,
    /// Whether it is the one that asks.
    current: bool,
    /// From where it was begun.
    address: Option<String>,
    user_agent: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    began_at: OffsetDateTime,
    /// When it was last used, to the minute.
    #[serde(with = "domain::clock::timestamp")]
    seen_at: OffsetDateTime,
}

/// One's own sessions.
#[derive(Serialize)]
pub(crate) struct SessionsBody {
    rows: Vec<SessionBody>,
}

/// One's own sessions, newest first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<SessionsBody>, Problem> {
    let current = by.session.id;
    let listed = app.run(move |app| async move { app.dashboard.sessions.list(&by.session).await });
    let row = |listed: ListedSession| {
        let ListedSession { id, address, user_agent, began_at, seen_at } = listed;
        SessionBody { id, current: id == current, address, user_agent, began_at, seen_at }
    };
    Ok(Json(SessionsBody { rows: listed.await??.into_iter().map(row).collect() }))
}

/// Ends all of one's own sessions but the one that asks. No other browser is known for the member any more.
pub(crate) async fn end_others(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let SignedIn { session, address } = by.clone();
    let ended = app.run(move |app| async move { app.dashboard.sessions.end_others(&session, address).await });
    ended.await??;
    let mut answer = HttpResponse::NoContent().finish();
    renew_device(&app, by, &request, &mut answer).await;
    Ok(answer)
}
