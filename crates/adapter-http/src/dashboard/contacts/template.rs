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
    sending::{created, key, reply::RepliedBody, request::ContactSendBody},
    session::SignedIn,
    templates::TemplatesBody,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/contacts/template";

/// Sends an approved template to a person's number as whoever is signed in, which opens the conversation
/// where there is none; or answers as the first request with the same `Idempotency-Key` did.
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
