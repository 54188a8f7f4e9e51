//! `POST /conversations/{id}/messages`, by a form `/dashboard/inbox/{id}/reply`.

use actix_web::web::Payload;
use dashboard_pages::Outcome;
use domain::{
    ids::{ConversationId, UploadId},
    sending::{IdempotencyKey, Refusal, Replied, ReplyRequest, SendError},
};
use serde::Deserialize;

use super::{
    super::{
        act::{Answer, Call, Given},
        answer::see_other,
        form::Form,
        refusal::{self, WrongField},
    },
    page::show,
    query::{conversation, path_of, unknown},
    refused::RefusedAct,
    templates::replied,
};
use crate::problem::Problem;

/// First parts of the canonical requests of JSON and of forms, which tell these requests apart under an
/// idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations";
const FORM_ROUTE: &str = "POST /dashboard/inbox/reply";

/// A text, a file, or a file with a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TextBody {
    /// Needed without a file. Beside a picture, a film or a document over WhatsApp it is their caption, of at
    /// most 1,024 characters; beside any other file it goes as a message of its own, right behind it.
    #[serde(default)]
    text: String,
    /// What `POST /attachments` answered.
    attachment_id: Option<UploadId>,
}

/// Sends a text or a file into a conversation, as whoever is signed in; or answers as the first request with
/// the same `Idempotency-Key` did, which a form carries as a field. Of a file and a text that go as two
/// messages, the answer is the file's; one that says that the text was not sent can be repeated with the same
/// key, and sends the text alone.
pub(in crate::pages) async fn send(call: Call, payload: Payload) -> Answer {
    match call.given(payload).await? {
        Given::Json(payload) => {
            let (id, body, key) = call.keyed::<TextBody, _>(payload, ROUTE, unknown).await?;
            Ok(replied(run(&call, id, body, key).await??))
        }
        Given::Form(form) => send_form(&call, &form).await,
    }
}

async fn run(
    call: &Call,
    conversation: ConversationId,
    TextBody { text, attachment_id: upload }: TextBody,
    key: Option<IdempotencyKey>,
) -> Result<Result<Replied, SendError>, Problem> {
    let asked = ReplyRequest { conversation, text, buttons: Vec::new(), upload, key, id: None };
    let (workspace, author) = (call.workspace(), call.by.session.member);
    call.app.run(move |app| async move { app.send_reply.run(workspace, author, &asked).await }).await
}

async fn send_form(call: &Call, form: &Form) -> Answer {
    let id = conversation(call)?;
    // Browsers end lines with CRLF, phones with LF.
    let (text, key) = (form.text("text")?.replace("\r\n", "\n"), form.key()?);
    let upload = form.filled("attachment")?.map(|id| id.parse::<UploadId>());
    let upload = upload.transpose().map_err(|_| Problem::invalid("`attachment` must be a UUID"))?;
    let file = upload.map(|id| id.to_string()).unwrap_or_default();
    let canonical = format!("{FORM_ROUTE}/{id}/{file}\n{text}").into_bytes();
    let body = TextBody { text: text.clone(), attachment_id: upload };
    let sent = run(call, id, body, Some(IdempotencyKey { key: key.clone(), request: canonical })).await?;
    let Err(error) = sent else { return Ok(see_other(&path_of(call, id)?)) };
    // The key was used for another text and cannot send this one.
    let is_spent = matches!(error, SendError::Refused(Refusal::KeyReused));
    let key = if is_spent { call.app.ids.next().to_string() } else { key };
    let words = call.words();
    let of_length = refusal::of_length(&error, words);
    let problem = Problem::from(error);
    let outcome = refusal::outcome(&problem);
    // A failed message is shown in the conversation: it is no draft any more.
    let draft = (outcome != Outcome::Recorded).then_some((text, key));
    let refused = match of_length {
        Some(because) => WrongField::new("text", because).refused(&call.request),
        None => refusal::of_form(&call.request, problem, words)?,
    };
    let refused = Some(refusal::with_outcome(refused, outcome, words));
    show(call, Some(id), RefusedAct { refused, draft, ..RefusedAct::default() }).await
}
