//! `PUT /conversations/{id}/seen`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{conversations::inbox::ReadState, ids::MessageId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::missing::unknown;
use crate::{
    app::App, body, dashboard::receipts, paging::id, problem::Problem, schema::values, session::SignedIn,
};

/// What one has seen.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Seen)]
pub(crate) struct SeenBody {
    /// The newest message that was shown.
    #[schema(value_type = values::Id)]
    message_id: MessageId,
}

/// How far one has read a conversation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReadState)]
pub(crate) struct ReadStateBody {
    /// When the newest message was recorded that one has seen.
    #[serde(with = "domain::clock::timestamp::option")]
    #[schema(value_type = Option<values::Timestamp>, required = true)]
    seen_at: Option<OffsetDateTime>,
    /// How many messages of the customer's came after it, among the 20 newest.
    #[schema(maximum = 20)]
    unread: u32,
}

impl From<ReadState> for ReadStateBody {
    fn from(ReadState { seen_at, unread }: ReadState) -> Self {
        Self { seen_at, unread }
    }
}

/// Notes up to which message one has read a conversation; earlier than before, nothing changes. Each member
/// has read for themselves alone; the customer is shown that it was read where the workspace says so.
#[utoipa::path(
    put, path = "/dashboard/api/conversations/{id}/seen", tag = "Conversations", operation_id = "markSeen",
    params(("id" = values::Id, Path, description = "The conversation's id.")),
    request_body(content = SeenBody),
    responses((status = 200, description = "How far one has read it now.", body = ReadStateBody))
)]
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
