//! `GET` and `PATCH /contacts/{id}`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    contacts::ContactName,
    conversations::ConversationFilter,
    ids::ContactId,
    paging::{AskedPage, PageLimit},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{SignedIn, conversations::InboxBody};
use crate::{
    App, body,
    contacts::wire::{ContactBody, RenameBody},
    openapi::values,
    paging::{id, not_found},
    problem::Problem,
};

/// Conversations of one person that are shown: each is of another number, page or account of the workspace.
const MOST_THREADS: u64 = 100;

/// A person with all their conversations.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactPage)]
pub(crate) struct ContactPageBody {
    contact: ContactBody,
    /// The newest first: one for each number, page or account that they have written to.
    conversations: Vec<InboxBody>,
}

fn unknown() -> Problem {
    not_found("contact")
}

/// A person and their conversations.
#[utoipa::path(
    get, path = "/dashboard/api/contacts/{id}", tag = "Contacts", operation_id = "getContact",
    params(("id" = values::Id, Path, description = "The contact's id.")),
    responses((status = 200, description = "The person.", body = ContactPageBody))
)]
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<ContactPageBody>, Problem> {
    let id: ContactId = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let shown = app.run(move |app| async move {
        let Some(contact) = app.get_contact.run(workspace, id).await? else { return Ok(None) };
        let filter = ConversationFilter { contact: Some(id), ..ConversationFilter::default() };
        let limit = PageLimit::new(MOST_THREADS).unwrap_or_default();
        let page = AskedPage { limit, cursor: None };
        let threads = app.list_conversations.run(workspace, filter, &page).await?.rows;
        let ids: Vec<_> = threads.iter().map(|thread| thread.id).collect();
        let tags = app.tag_conversation.tags_of(workspace, &ids).await?;
        let conversations = threads.into_iter().zip(tags).map(|(thread, tags)| InboxBody::new(thread, tags));
        Ok::<_, Problem>(Some(ContactPageBody {
            contact: contact.into(),
            conversations: conversations.collect(),
        }))
    });
    Ok(Json(shown.await??.ok_or_else(unknown)?))
}

/// Gives a person another name.
#[utoipa::path(
    patch, path = "/dashboard/api/contacts/{id}", tag = "Contacts", operation_id = "renameContact",
    params(("id" = values::Id, Path, description = "The contact's id.")),
    request_body(content = RenameBody, example = json!({ "name": "سارة أحمد" })),
    responses((status = 200, description = "The person under the new name.", body = ContactBody))
)]
pub(crate) async fn rename(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<ContactBody>, Problem> {
    let RenameBody { name } = body::json(&request, payload).await?.fields;
    let name = ContactName::read(&name)?;
    let id = id(&request).ok_or_else(unknown)?;
    let renamed = app.run(move |app| async move { app.rename_contact.run_by(by.acting(), id, &name).await });
    Ok(Json(renamed.await??.ok_or_else(unknown)?.into()))
}
