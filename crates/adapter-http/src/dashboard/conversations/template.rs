//! `POST /conversations/{id}/template`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{messages::MessageBody, sending::IdempotencyKey};

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
        request::ThreadSendBody,
    },
};

/// What sets this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/template";

/// Sends an approved template to whom the conversation is with, over its own number, as whoever is signed in; or answers
/// as the first request with the same `Idempotency-Key` did.
#[utoipa::path(
    post, path = "/dashboard/api/conversations/{id}/template", tag = "Conversations",
    operation_id = "sendTemplateInConversation",
    params(("id" = values::Id, Path, description = "The conversation's id."), IdempotencyKeyHeader),
    request_body(content = ThreadSendBody, example = json!({
        "template": "order_ready", "language": "ar", "variables": { "name": "سارة", "order": "A-1042" },
    })),
    responses(
        (status = 201, description = "The network took it, now or when this key was first used.", body = RepliedBody),
        (
            status = 400,
            description = "A field breaks a rule; or `variables_mismatch`, `variable_empty`, `code_required`, \
                `header_required`, `header_not_allowed` or `button_variables_mismatch`.",
        ),
        (status = 404, description = "It is not in this workspace; or `template_not_found`."),
        (
            status = 409,
            description = "`template_not_approved`, `template_not_on_number`, `no_whatsapp_channel`, `no_channel`, \
                `plan_limit`, `author_left` or `request_in_flight`.",
        ),
        (status = 422, description = "`whatsapp_rejected` or `idempotency_key_reused`."),
        (status = 503, description = "`network_unavailable`: nothing was sent; wait `Retry-After` seconds."),
        (status = 504, description = "`outcome_unknown`: a delivery event will tell.")
    )
)]
pub(crate) async fn send(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<ThreadSendBody>(&request, payload).await?;
    let conversation = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{conversation}\n{}", body.canonical).into_bytes();
    let asked = body.fields.into_request(key.map(|key| IdempotencyKey { key, request: canonical }));
    let (workspace, author) = (by.session.workspace, by.session.member);
    let sent = app.run(move |app| async move {
        app.dashboard.send_in_thread.run(workspace, author, conversation, asked).await
    });
    let sent = sent.await??;
    let body = RepliedBody {
        conversation_id: sent.result.conversation,
        message: sent.result.message.map(MessageBody::from),
    };
    Ok(created(sent.replayed).json(body))
}
