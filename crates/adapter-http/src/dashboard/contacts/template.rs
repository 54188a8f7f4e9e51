//! `POST /contacts/{id}/template` and `GET /contacts/{id}/templates`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::ContactId,
    messages::MessageBody,
    sending::{IdempotencyKey, Replied, SentInConversation, TemplateRequest},
};

use super::unknown;
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
        request::ContactSendBody,
    },
    session::SignedIn,
    templates::TemplatesBody,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/contacts/template";

/// Sends an approved template to a person's number as whoever is signed in, which opens the conversation
/// where there is none; or answers as the first request with the same `Idempotency-Key` did.
#[utoipa::path(
    post, path = "/dashboard/api/contacts/{id}/template", tag = "Contacts",
    operation_id = "sendTemplateToContact",
    params(("id" = values::Id, Path, description = "The contact's id."), IdempotencyKeyHeader),
    request_body(content = ContactSendBody, example = json!({
        "template": "order_ready", "language": "ar", "variables": { "name": "سارة", "order": "A-1042" },
    })),
    responses(
        (status = 201, description = "The network took it, now or when this key was first used.", body = RepliedBody),
        (
            status = 400,
            description = "A field breaks a rule; or `variables_mismatch`, `variable_empty`, `code_required`, \
                `header_required`, `header_not_allowed`, `button_variables_mismatch` or `unknown_sender`.",
        ),
        (status = 404, description = "They are not in this workspace; or `template_not_found`."),
        (
            status = 409,
            description = "`template_not_approved`, `template_not_on_number`, `no_whatsapp_channel`, \
                `plan_limit` or `request_in_flight`.",
        ),
        (status = 422, description = "`whatsapp_rejected` or `idempotency_key_reused`."),
        (status = 503, description = "`network_unavailable` or `held_back`: nothing was sent; wait `Retry-After` seconds."),
        (status = 504, description = "`outcome_unknown`: an event may tell, or nothing ever will. Another key may send it twice.")
    )
)]
pub(crate) async fn send(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<ContactSendBody>(&request, payload).await?;
    let contact = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{contact}\n{}", body.canonical).into_bytes();
    let asked = body.fields.into_request(key.map(|key| IdempotencyKey { key, request: canonical }));
    let sent = send_to(&app, &by, contact, asked).await?;
    let body = RepliedBody {
        conversation_id: sent.result.conversation,
        message: sent.result.message.map(MessageBody::taken),
    };
    Ok(created(sent.replayed).json(body))
}

/// Sends a template to a person in the name of the signed-in member.
pub(crate) async fn send_to(
    app: &Data<App>,
    by: &SignedIn,
    contact: ContactId,
    asked: TemplateRequest,
) -> Result<Replied, Problem> {
    let (acting, author) = (by.acting(), by.session.member);
    let sent =
        app.run(
            move |app| async move { app.dashboard.directory.send.run(acting, author, contact, asked).await },
        );
    let SentInConversation { replied, unlogged } = sent.await??.ok_or_else(unknown)?;
    if let Some(error) = unlogged {
        let workspace = by.session.workspace;
        tracing::error!(%error, %workspace, member = %author, send = %replied.result.id, "a template is not in the log of changes");
    }
    Ok(replied)
}

/// The approved templates that can be sent to a person with whom there is no conversation yet, with what each
/// needs. One-time codes are not among them. The list is empty for somebody without a number.
#[utoipa::path(
    get, path = "/dashboard/api/contacts/{id}/templates", tag = "Contacts",
    operation_id = "listTemplatesForContact",
    params(("id" = values::Id, Path, description = "The contact's id.")),
    responses((status = 200, description = "The templates, by name and language.", body = TemplatesBody))
)]
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<TemplatesBody>, Problem> {
    let contact = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.directory.templates.run(workspace, contact).await });
    Ok(Json(listed.await??.ok_or_else(unknown)?.into()))
}
