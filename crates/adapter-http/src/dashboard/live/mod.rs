//! `GET /events`: changes as server-sent events.

mod stream;

use std::convert::Infallible;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data},
};
use futures_util::stream::unfold;
use tokio::sync::mpsc;

use crate::{
    app::App,
    live::MOST_STREAMS,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// Changes buffered for a browser, besides those in its connection.
const WAITING: usize = 16;

/// What changes in the workspace from now on, as server-sent events: where, never what it says.
///
/// The events are `conversation.changed`, `message.recorded`, `message.changed`, `message.status`,
/// `note.added` and `presence.changed`, each with `conversationId` and, about a message, `messageId` in its
/// data; and `groups.changed`, `workspace.changed`, `system.changed`, `broadcasts.changed`,
/// `channels.changed`, `imports.changed`, `team.changed`, `canned_replies.changed`, `contacts.changed`, and
/// for owners alone `webhooks.changed`, `invitations.changed`, `api_keys.changed`, `automations.changed`,
/// `templates.changed` and `assistant.changed`, which are about the workspace as a whole and have nothing
/// there. All who listen are told of the same changes in the same order; but of what owners alone may look at
/// nobody else is told, and that somebody has read a conversation is a `conversation.changed` with
/// `"readByYou": true` for all their own browsers, and for nobody else; that somebody is in one, all but they
/// themselves are told. A stream begins with `open`, whose id is the place from which it tells: what is
/// loaded after that misses nothing. A browser that comes back with `Last-Event-ID`, to whatever node, goes
/// on where it was; after a quarter of an hour, a thousand changes, or when the database was lost meanwhile,
/// it is told `reset` instead and loads everything again. The stream ends with the session.
pub(crate) async fn listen(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let heard = request.headers().get("last-event-id").filter(|id| !id.is_empty());
    let heard = heard.map(|id| id.to_str().unwrap_or_default());
    // A browser that opens a new stream cannot set the header; one that reconnects sets it, and it is the
    // newer.
    let heard = heard.or(parameters.get("lastEventId")?.filter(|id| !id.is_empty())).map(str::to_owned);
    let session = by.session;
    let workspace = session.workspace;
    let slot = app.dashboard.live.slots().take(session.id).ok_or_else(too_many)?;
    let begun =
        app.run(move |app| async move { app.dashboard.live.listen(workspace, heard.as_deref()).await });
    let listener = begun.await??;
    let (out, told) = mpsc::channel(WAITING);
    app.runtime.spawn(stream::write(app.clone().into_inner(), session, slot, listener, out));
    let events = unfold(told, |mut told: mpsc::Receiver<Bytes>| async move {
        let bytes = told.recv().await?;
        Some((Ok::<_, Infallible>(bytes), told))
    });
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(Box::pin(events)))
}

fn too_many() -> Problem {
    let message = format!("this session has {MOST_STREAMS} streams open; close one first");
    Problem::dashboard(DashboardCode::TooManyStreams, message)
}
