//! `POST /conversations/{id}/messages`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    ids::UploadId,
    messages::MessageBody,
    sending::{IdempotencyKey, ReplyRequest},
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::id,
    problem::Problem,
    schema::values,
    sending::{
        created,
        key::{self, IdempotencyKeyHeader},
        reply::RepliedBody,
    },
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations";

/// A text, a file, or a file with a text.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = ReplyForm)]
pub(crate) struct TextBody {
    /// Needed without a file. Beside a picture, a film or a document over WhatsApp it is their caption, of at
    /// most 1,024 characters; beside any other file it goes as a message of its own, right behind it.
    #[schema(max_length = 4096)]
    #[serde(default)]
    text: String,
    /// What `POST /attachments` answered.
    #[schema(value_type = Option<values::Id>)]
    attachment_id: Option<UploadId>,
}

/// Sends a text or a file into a conversation, as whoever is signed in; or answers as the first request with
/// the same `Idempotency-Key` did. Of a file and a text that go as two messages, the answer is the file's;
/// one that says that the text was not sent can be repeated with the same key, and sends the text alone.
#[utoipa::path(
    post, path = "/dashboard/api/conversations/{id}/messages", tag = "Conversations",
    operation_id = "sendReply",
    params(("id" = values::Id, Path, description = "The conversation's id."), IdempotencyKeyHeader),
    request_body(content = TextBody),
    responses(
        (status = 201, description = "The network took it, now or when this key was first used.", body = RepliedBody),
        (status = 404, description = "It is not in this workspace; or `attachment_not_found`."),
        (
            status = 409,
            description = "`no_whatsapp_channel`, `no_channel`, `plan_limit`, `author_left`, `attachment_used` or \
                `request_in_flight`.",
        ),
        (status = 413, description = "`attachment_too_large` for the conversation's network."),
        (status = 415, description = "`attachment_type`: the conversation's network takes no such file."),
        (status = 422, description = "`whatsapp_rejected` or `idempotency_key_reused`."),
        (status = 503, description = "`network_unavailable` or `held_back`: nothing was sent; wait `Retry-After` seconds."),
        (status = 504, description = "`outcome_unknown`: an event may tell, or nothing ever will. Another key may send it twice.")
    )
)]
pub(crate) async fn reply(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<TextBody>(&request, payload).await?;
    let conversation = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{conversation}\n{}", body.canonical).into_bytes();
    let asked = ReplyRequest {
        conversation,
        text: body.fields.text,
        buttons: Vec::new(),
        upload: body.fields.attachment_id,
        key: key.map(|key| IdempotencyKey { key, request: canonical }),
        id: None,
    };
    let (workspace, author) = (by.session.workspace, by.session.member);
    let replied = app.run(move |app| async move { app.send_reply.run(workspace, author, &asked).await });
    let replied = replied.await??;
    let body = RepliedBody {
        conversation_id: replied.result.conversation,
        message: replied.result.message.map(MessageBody::taken),
    };
    Ok(created(replied.replayed).json(body))
}
