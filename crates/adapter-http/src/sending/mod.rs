//! `POST /v1/messages/template` and `POST /v1/messages`.

pub(crate) mod key;
mod refusal;
pub(crate) mod refused;
pub(crate) mod reply;
pub(crate) mod request;
mod result;

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    web::{Data, Payload},
};
use domain::{access::Scope, sending::IdempotencyKey};

use crate::{access::permit, app::App, body, problem::Problem};
use request::SendBody;
use result::SendResultBody;

/// Prefix of this route's requests under an idempotency key, apart from those of other routes.
const ROUTE: &str = "POST /v1/messages/template";

/// Sends a template, or answers as the first request with the same `Idempotency-Key` did.
///
/// A notice (with `variables`) adds the person to the contacts and shows in their conversation. A one-time
/// code (with `code`) is kept nowhere: `contactId`, `conversationId` and `message` are null, as they are for
/// whatever a send-only number sends. `sent` means that the network took it; delivery events tell the rest
/// and carry `reference`.
#[utoipa::path(
    post, path = "/v1/messages/template", tag = "Messages", operation_id = "sendTemplate",
    security(("key" = ["messages:send"])),
    params(key::IdempotencyKeyHeader),
    request_body(content = SendBody, examples(
        ("notice" = (summary = "A notice", value = json!({
            "to": "٠٧٧٠ ١٢٣ ٤٥٦٧", "template": "order_ready", "language": "ar",
            "variables": ["سارة", "A-1042"], "reference": "order-1042",
        }))),
        ("code" = (summary = "A one-time code", value = json!({
            "to": "+964 770 123 4567", "template": "login_code", "code": "483920", "reference": "login-7",
        }))),
    )),
    responses(
        (
            status = 201, description = "The network took it, now or when this key was first used.",
            body = SendResultBody,
            headers(("Idempotency-Replayed" = String, description = "`true` on the answer to a repeat.")),
            examples(
                ("notice" = (summary = "A notice", value = json!({
                    "id": "0192f0c1-7a00-7000-8000-000000000001", "status": "sent", "to": "+9647701234567",
                    "from": "+9647700000001", "contactId": "0192f0c1-7a00-7000-8000-000000000004",
                    "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "reference": "order-1042",
                    "message": {
                        "id": "0192f0c1-7a00-7000-8000-000000000001",
                        "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "role": "team",
                        "senderId": null, "content": "مرحبا سارة، طلبك A-1042 جاهز.", "attachments": [],
                        "transcription": null, "createdAt": "2026-11-21T10:00:45.000Z",
                        "meta": {
                            "template": { "name": "order_ready", "language": "ar" },
                            "reference": "order-1042", "via": "api",
                        },
                        "delivery": { "status": "sent", "error": null, "at": "2026-11-21T10:00:45.000Z" },
                    },
                }))),
                ("code" = (summary = "A one-time code", value = json!({
                    "id": "0192f0c1-7a00-7000-8000-000000000001", "status": "sent", "to": "+9647701234567",
                    "from": "+9647700000001", "contactId": null, "conversationId": null,
                    "reference": "login-7", "message": null,
                }))),
            ),
        ),
        refused::Refused,
    )
)]
pub(crate) async fn send_template(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = permit(&request, Scope::MessagesSend)?;
    let key = key::read(request.headers())?;
    let body = body::json::<SendBody>(&request, payload).await?;
    let canonical = format!("{ROUTE}\n{}", body.canonical).into_bytes();
    let key = key.map(|key| IdempotencyKey { key, request: canonical });
    let asked = body.fields.into_request(key);

    let sent = app.run(|app| async move { app.send_template.run(&caller, &asked).await }).await??;

    Ok(created(sent.replayed).json(SendResultBody::from(sent)))
}

/// Begins a 201, marked if it repeats an earlier answer.
pub(crate) fn created(replayed: bool) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Created();
    if replayed {
        answer.insert_header(("Idempotency-Replayed", "true"));
    }
    answer
}
