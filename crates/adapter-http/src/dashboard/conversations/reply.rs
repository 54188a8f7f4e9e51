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

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::id,
    problem::Problem,
    sending::{created, key, reply::RepliedBody},
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations";

/// A text, a file, or a file with a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct TextBody {
    /// Needed without a file. Beside a picture, a film or a document over WhatsApp it is their caption, of at
    /// most 1,024 characters; beside any other file it goes as a message of its own, right behind it.
    #[serde(default)]
    text: String,
    /// What `POST /attachments` answered.
    attachment_id: Option<UploadId>,
}

/// Sends a text or a file into a conversation, as whoever is signed in; or answers as the first request with
/// the same `Idempotency-Key` did. Of a file and a text that go as two messages, the answer is the file's;
/// one that says that the text was not sent can be repeated with the same key, and sends the text alone.
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
