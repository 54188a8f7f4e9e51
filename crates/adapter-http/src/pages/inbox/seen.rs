//! `PUT /conversations/{id}/seen`.

use actix_web::web::Payload;
use domain::{conversations::inbox::ReadState, ids::MessageId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    super::act::{self, Answer, Call},
    query::{conversation, unknown},
};
use crate::dashboard::receipts;

/// What one has seen.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SeenBody {
    /// The newest message that was shown.
    message_id: MessageId,
}

/// How far one has read a conversation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadStateBody {
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
pub(in crate::pages) async fn mark(call: Call, payload: Payload) -> Answer {
    let SeenBody { message_id } = call.json(payload).await?;
    let (workspace, member, id) = (call.workspace(), call.by.session.member, conversation(&call)?);
    let marked = call
        .run(move |app| async move { app.dashboard.mark_seen.run(workspace, member, id, message_id).await });
    let state = marked.await?.ok_or_else(unknown)?;
    receipts::tell_later(&call.app, workspace, id, message_id);
    act::ok(&ReadStateBody::from(state))
}
