//! `GET /v1/conversations` and `GET /v1/conversations/{id}`.

pub(crate) mod wire;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::Scope, conversation::ConversationStatus, conversations::ConversationFilter, since::read_since,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    access::permit,
    app::App,
    paging::{PageQuery, id, not_found, read_page},
    problem::Problem,
    query::Parameters,
    schema::{conversations::Status, values::Id},
};
use wire::ConversationBody;

/// A page of conversations.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Conversations)]
pub(crate) struct ConversationsBody {
    data: Vec<ConversationBody>,
    /// What asks for the next page; null on the last.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// The workspace's conversations, newest first.
#[utoipa::path(
    get, path = "/v1/conversations", tag = "Conversations", operation_id = "listConversations",
    security(("key" = ["conversations:read"])),
    params(
        ("status" = inline(Option<Status>), Query, description = "Only those in this state."),
        ("contactId" = Option<Id>, Query, example = "0192f0c1-7a00-7000-8000-000000000004",
            description = "Only those of this contact."),
        ("groupId" = Option<Id>, Query, description = "Only those of this group."),
        (
            "since" = Option<String>, Query, example = "2026-11-21T10:00:00Z", min_length = 1,
            description = "Only those made at or after this time (ISO 8601).",
        ),
        PageQuery
    ),
    responses((
        status = 200, description = "A page of conversations.", body = ConversationsBody,
        example = json!({ "data": [{
            "id": "0192f0c1-7a00-7000-8000-000000000003", "contactId": "0192f0c1-7a00-7000-8000-000000000004",
            "channel": "whatsapp", "status": "open", "assignedTo": null,
            "group": { "id": "0192f0c1-7a00-7000-8000-000000000006", "name": "Sales" },
            "lastMessageAt": "2026-11-21T10:00:45.000Z", "createdAt": "2026-11-20T08:12:03.000Z",
        }], "nextCursor": null }),
    ))
)]
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<ConversationsBody>, Problem> {
    let caller = permit(&request, Scope::ConversationsRead)?;
    let parameters = Parameters::of(&request)?;
    let (filter, asked) = (filter(&parameters)?, read_page(&parameters)?);
    let listed =
        app.run(move |app| async move { app.list_conversations.run(caller.workspace, filter, &asked).await });
    let page = listed.await??;
    let data = page.rows.into_iter().map(ConversationBody::from).collect();
    Ok(Json(ConversationsBody { data, next_cursor: page.next }))
}

/// One conversation.
#[utoipa::path(
    get, path = "/v1/conversations/{id}", tag = "Conversations", operation_id = "getConversation",
    security(("key" = ["conversations:read"])),
    params(("id" = Id, Path, example = "0192f0c1-7a00-7000-8000-000000000003",
        description = "The conversation's id.")),
    responses((
        status = 200, description = "The conversation.", body = ConversationBody,
        example = json!({
            "id": "0192f0c1-7a00-7000-8000-000000000003", "contactId": "0192f0c1-7a00-7000-8000-000000000004",
            "channel": "whatsapp", "status": "bot", "assignedTo": null, "group": null,
            "lastMessageAt": "2026-11-21T10:00:45.000Z", "createdAt": "2026-11-20T08:12:03.000Z",
        }),
    ))
)]
pub(crate) async fn get(app: Data<App>, request: HttpRequest) -> Result<Json<ConversationBody>, Problem> {
    let caller = permit(&request, Scope::ConversationsRead)?;
    let unknown = || not_found("conversation");
    let id = id(&request).ok_or_else(unknown)?;
    let found = app.run(move |app| async move { app.get_conversation.run(caller.workspace, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

fn filter(parameters: &Parameters) -> Result<ConversationFilter, Problem> {
    let statuses = ConversationStatus::ALL.map(ConversationStatus::as_str);
    let moment = "a date or a date and time, such as 2026-11-21 or 2026-11-21T10:00:00Z, with `+` as %2B";
    Ok(ConversationFilter {
        status: parameters.word("status", ConversationStatus::read, &statuses)?,
        contact: parameters.read("contactId", |text| text.parse().ok(), "a UUID")?,
        group: parameters.read("groupId", |text| text.parse().ok(), "a UUID")?,
        since: parameters.read("since", read_since, moment)?,
    })
}
