//! `POST /v1/messages`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    access::Scope,
    ids::ConversationId,
    messages::MessageBody,
    sending::{IdempotencyKey, ReplyRequest},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{created, key, refused};
use crate::{
    access::permit,
    app::App,
    body,
    problem::Problem,
    schema::{messages::Message, values::Id},
};

/// Prefix of this route's requests under an idempotency key, apart from those of other routes.
const ROUTE: &str = "POST /v1/messages";

/// A text into a conversation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = ReplyForm)]
struct ReplyBody {
    /// The conversation.
    #[schema(value_type = Id)]
    conversation_id: ConversationId,
    /// What to say.
    #[schema(min_length = 1, max_length = 4096)]
    text: String,
}

/// What was said.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Reply)]
pub(crate) struct RepliedBody {
    /// The conversation.
    #[schema(value_type = Id)]
    pub(crate) conversation_id: Option<ConversationId>,
    /// The message in it.
    #[schema(value_type = Message)]
    pub(crate) message: Option<MessageBody>,
}

/// Sends a plain text into a conversation, as the person who made the key; or answers as the first request
/// with the same `Idempotency-Key` did.
///
/// A message that the network refuses, such as one more than 24 hours after the customer last wrote, stays in
/// the conversation and is announced nowhere.
#[utoipa::path(
    post, path = "/v1/messages", tag = "Messages", operation_id = "sendReply",
    security(("key" = ["messages:send"])),
    params(key::IdempotencyKeyHeader),
    request_body(content = ReplyBody, example = json!({
        "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "text": "نعم، متوفر باللون الأزرق.",
    })),
    responses(
        (
            status = 201, description = "The network took it, now or when this key was first used.",
            body = RepliedBody,
            headers(("Idempotency-Replayed" = String, description = "`true` on the answer to a repeat.")),
            example = json!({
                "conversationId": "0192f0c1-7a00-7000-8000-000000000003",
                "message": {
                    "id": "0192f0c1-7a00-7000-8000-000000000001",
                    "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "role": "team",
                    "senderId": "0192f0c1-7a00-7000-8000-000000000005",
                    "content": "نعم، متوفر باللون الأزرق.", "attachments": [], "transcription": null,
                    "createdAt": "2026-11-21T10:00:45.000Z",
                    "delivery": { "status": "sent", "error": null, "at": "2026-11-21T10:00:45.000Z" },
                },
            }),
        ),
        (status = 404, description = "The conversation is not in this workspace."),
        refused::ReplyRefused,
    )
)]
pub(crate) async fn send_reply(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = permit(&request, Scope::MessagesSend)?;
    let key = key::read(request.headers())?;
    let body = body::json::<ReplyBody>(&request, payload).await?;
    let canonical = format!("{ROUTE}\n{}", body.canonical).into_bytes();
    let asked = ReplyRequest {
        conversation: body.fields.conversation_id,
        text: body.fields.text,
        buttons: Vec::new(),
        upload: None,
        key: key.map(|key| IdempotencyKey { key, request: canonical }),
        id: None,
    };
    let (workspace, author) = (caller.workspace, caller.creator);
    let replied = app.run(|app| async move { app.send_reply.run(workspace, author, &asked).await }).await??;
    let body = RepliedBody {
        conversation_id: replied.result.conversation,
        message: replied.result.message.map(MessageBody::taken),
    };
    Ok(created(replied.replayed).json(body))
}
