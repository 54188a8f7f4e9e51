//! `PUT /conversations/{id}/seen`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{conversations::inbox::ReadState, ids::MessageId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::missing::unknown;
use crate::{app::App, body, dashboard::receipts, paging::id, problem::Problem, session::SignedIn};

/// What one has seen.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SeenBody {
    /// The newest message that was shown.
    message_id: MessageId,
}

/// How far one has read a conversation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadStateBody {
    /// When the newest message was recorded that one has seen.
    #[serde(with = "domain::clock::timestamp::option")]
    seen_at: Option<OffsetDateTime>,
    /// How many messages of the customer's came after it, among the 100 newest.
    unread: u32,
}

impl From<ReadState> for ReadStateBody {
    fn from(ReadState { seen_at, unread }: ReadState) -> Self {
        Self { seen_at, unread }
    }
}

/// Notes up to which message one has read a conversation; earlier than before, nothing changes. Each member
/// has read for themselves alone; the customer is shown that it was read where the workspace says so.
pub(crate) async fn mark(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<ReadStateBody>, Problem> {
    let SeenBody { message_id } = body::json(&request, payload).await?.fields;
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    let marked = app
        .run(move |app| async move { app.dashboard.mark_seen.run(workspace, member, id, message_id).await });
    let state = marked.await??.ok_or_else(unknown)?;
    receipts::tell_later(&app, workspace, id, message_id);
    Ok(Json(state.into()))
}
