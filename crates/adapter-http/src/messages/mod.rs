//! `GET /v1/conversations/{id}/messages`, and messages by their ids and references.

pub(crate) mod find;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::Scope,
    messages::{ListedMessage, MessageBody},
    paging::Page,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    access::permit,
    app::App,
    paging::{PageQuery, id, not_found, read_page},
    problem::Problem,
    query::Parameters,
    schema::{messages as schema, values::Id},
};

/// A page of messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Messages)]
pub(crate) struct MessagesBody {
    #[schema(value_type = Vec<schema::Message>)]
    pub(crate) data: Vec<MessageBody>,
    /// What asks for the next page; null on the last.
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

impl From<Page<ListedMessage>> for MessagesBody {
    fn from(page: Page<ListedMessage>) -> Self {
        Self { data: page.rows.into_iter().map(MessageBody::from).collect(), next_cursor: page.next }
    }
}

/// The messages of a conversation, newest first.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/messages", tag = "Conversations", operation_id = "listMessages",
    security(("key" = ["conversations:read"])),
    params(("id" = Id, Path, example = "0192f0c1-7a00-7000-8000-000000000003", description = "The conversation's id."), PageQuery),
    responses((
        status = 200, description = "A page of messages.", body = MessagesBody,
        example = json!({ "data": [{
            "id": "0192f0c1-7a00-7000-8000-000000000001",
            "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "role": "customer", "senderId": null,
            "content": "هل الطلب جاهز؟", "attachments": [], "transcription": null,
            "createdAt": "2026-11-21T10:00:45.000Z",
        }], "nextCursor": null }),
    ))
)]
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<MessagesBody>, Problem> {
    let caller = permit(&request, Scope::ConversationsRead)?;
    let asked = read_page(&Parameters::of(&request)?)?;
    let unknown = || not_found("conversation");
    let id = id(&request).ok_or_else(unknown)?;
    let listed = app.run(move |app| async move { app.list_messages.run(caller.workspace, id, &asked).await });
    Ok(Json(listed.await??.ok_or_else(unknown)?.into()))
}
