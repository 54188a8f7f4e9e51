//! `POST /conversations/{id}/messages`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    messages::MessageBody,
    sending::{IdempotencyKey, ReplyRequest},
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{SignedIn, unknown};
use crate::{
    App, body,
    openapi::values,
    paging::id,
    problem::Problem,
    sending::{
        created,
        key::{self, IdempotencyKeyHeader},
        reply::RepliedBody,
    },
};

/// What sets this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations";

/// A text.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewReply)]
pub(crate) struct TextBody {
    #[schema(min_length = 1, max_length = 4096)]
    text: String,
}

/// Sends a plain text into a conversation, as whoever is signed in; or answers as the first request with the same
/// `Idempotency-Key` did.
#[utoipa::path(
    post, path = "/dashboard/api/conversations/{id}/messages", tag = "Conversations",
    operation_id = "sendReply",
    params(("id" = values::Id, Path, description = "The conversation's id."), IdempotencyKeyHeader),
    request_body(content = TextBody),
    responses(
        (status = 201, description = "The network took it, now or when this key was first used.", body = RepliedBody),
        (
            status = 409,
            description = "`no_whatsapp_channel`, `no_channel`, `plan_limit`, `author_left` or `request_in_flight`.",
        ),
        (status = 422, description = "`whatsapp_rejected` or `idempotency_key_reused`."),
        (status = 503, description = "`network_unavailable`: nothing was sent; wait `Retry-After` seconds."),
        (status = 504, description = "`outcome_unknown`: a delivery event will tell.")
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
        key: key.map(|key| IdempotencyKey { key, request: canonical }),
    };
    let (workspace, author) = (by.session.workspace, by.session.member);
    let replied = app.run(move |app| async move { app.send_reply.run(workspace, author, &asked).await });
    let replied = replied.await??;
    let body = RepliedBody {
        conversation_id: replied.result.conversation,
        message: replied.result.message.map(MessageBody::from),
    };
    Ok(created(replied.replayed).json(body))
}
