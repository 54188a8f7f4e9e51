//! `/workspace/read-receipts`: whether customers see that their messages were read.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::ids::{ConversationId, MessageId, WorkspaceId};
use serde::{Deserialize, Serialize};
use tracing::debug;

use crate::{app::App, body, problem::Problem, session::SignedIn};

/// Whether customers see what was read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReceiptsBody {
    /// When a member has read a conversation, its network is told that the newest message is read. On from
    /// the start.
    on: bool,
}

/// Whether customers see what was read.
pub(crate) async fn get(app: Data<App>, by: SignedIn) -> Result<Json<ReceiptsBody>, Problem> {
    let on = app.run(move |app| async move { app.dashboard.tell_read.is_on(by.session.workspace).await });
    Ok(Json(ReceiptsBody { on: on.await?? }))
}

/// Sets whether customers are told that their messages were read.
pub(crate) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let ReceiptsBody { on } = body::json(&request, payload).await?.fields;
    let set = app.run(move |app| async move { app.dashboard.tell_read.set(by.acting(), on).await });
    set.await??;
    Ok(HttpResponse::NoContent().finish())
}

/// Tells the network in the background that a member has read up to this message.
pub(crate) fn tell_later(
    app: &Data<App>,
    workspace: WorkspaceId,
    conversation: ConversationId,
    message: MessageId,
) {
    app.later(move |app| async move {
        if let Err(error) = app.dashboard.tell_read.run(workspace, conversation, message).await {
            debug!(%workspace, %error, "a network was not told that a message is read");
        }
    });
}
