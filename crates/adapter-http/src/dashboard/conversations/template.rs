//! `POST /conversations/{id}/template` and `GET /conversations/{id}/templates`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::ConversationId,
    messages::MessageBody,
    sending::{IdempotencyKey, Replied, SentInConversation, TemplateRequest},
};

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::id,
    problem::Problem,
    sending::{created, key, reply::RepliedBody, request::ConversationSendBody},
    session::SignedIn,
    templates::TemplatesBody,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/template";

/// Sends an approved template to whom the conversation is with, over its own number, as whoever is signed in;
/// or answers as the first request with the same `Idempotency-Key` did.
pub(crate) async fn send(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<ConversationSendBody>(&request, payload).await?;
    let conversation = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{conversation}\n{}", body.canonical).into_bytes();
    let asked = body.fields.into_request(key.map(|key| IdempotencyKey { key, request: canonical }));
    let sent = send_into(&app, &by, conversation, asked).await?;
    let body = RepliedBody {
        conversation_id: sent.result.conversation,
        message: sent.result.message.map(MessageBody::taken),
    };
    Ok(created(sent.replayed).json(body))
}

/// Sends a template into a conversation in the name of the signed-in member.
pub(crate) async fn send_into(
    app: &Data<App>,
    by: &SignedIn,
    conversation: ConversationId,
    asked: TemplateRequest,
) -> Result<Replied, Problem> {
    let (acting, author) = (by.acting(), by.session.member);
    let sent = app.run(move |app| async move {
        app.dashboard.send_in_conversation.run(acting, author, conversation, asked).await
    });
    let SentInConversation { replied, unlogged } = sent.await??;
    if let Some(error) = unlogged {
        let workspace = by.session.workspace;
        tracing::error!(%error, %workspace, member = %author, send = %replied.result.id, "a template is not in the log of changes");
    }
    Ok(replied)
}

/// The approved templates that can be sent from the conversation: those of its number's account, with what
/// each needs. One-time codes are not among them. The list is empty where no template can reach the person.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<TemplatesBody>, Problem> {
    let conversation = id(&request).ok_or_else(unknown)?;
    let (workspace, author) = (by.session.workspace, by.session.member);
    let listed = app.run(move |app| async move {
        app.dashboard.list_conversation_templates.run(workspace, author, conversation).await
    });
    Ok(Json(listed.await??.ok_or_else(unknown)?.into()))
}
