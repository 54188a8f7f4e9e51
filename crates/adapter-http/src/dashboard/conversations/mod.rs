//! `/conversations` and what is under it.

pub(crate) mod booking_requests;
pub(crate) mod customer;
pub(crate) mod drafts;
pub(crate) mod inbox;
pub(crate) mod leads;
pub(crate) mod moves;
pub(crate) mod notes;
pub(crate) mod presence;
pub(crate) mod products;
pub(crate) mod reply;
pub(crate) mod seen;
pub(crate) mod tags;
pub(crate) mod template;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    conversations::{Conversation, inbox::Attention},
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};
use inbox::wire::ReplyWindowBody;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::SignedIn;
use crate::{
    App,
    conversations::wire::ConversationBody,
    messages::MessagesBody,
    openapi::values,
    paging::{PageQuery, asked, id, not_found},
    problem::Problem,
    query::Parameters,
};

/// A conversation as the team sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InboxConversation)]
pub(crate) struct InboxBody {
    conversation: ConversationBody,
    /// By name.
    tags: Vec<String>,
    /// How long one may answer in one's own words; null where the customer has never written.
    #[schema(required = true)]
    reply_window: Option<ReplyWindowBody>,
    /// When the customer wrote first after they were last written to; null when they wait for nothing, or the
    /// conversation is closed.
    #[serde(with = "domain::clock::timestamp::option")]
    #[schema(value_type = Option<values::Timestamp>, required = true)]
    waiting_since: Option<OffsetDateTime>,
}

impl InboxBody {
    pub(super) fn new(conversation: Conversation, tags: Vec<String>, attention: Option<Attention>) -> Self {
        let closes_at = attention.and_then(|attention| attention.reply_closes_at());
        Self {
            conversation: conversation.into(),
            tags,
            reply_window: closes_at.map(|closes_at| ReplyWindowBody { closes_at }),
            waiting_since: attention.and_then(|attention| attention.waiting_since),
        }
    }
}

fn unknown() -> Problem {
    not_found("conversation")
}

/// The conversation with its tags.
async fn tagged(
    app: &App,
    workspace: WorkspaceId,
    conversation: Conversation,
) -> Result<InboxBody, StoreError> {
    let tags = app.tag_conversation.tags(workspace, conversation.id).await?;
    let attention = app.dashboard.list_inbox.attention(workspace, conversation.id).await?;
    Ok(InboxBody::new(conversation, tags, attention))
}

/// The conversation as it is.
async fn show(
    app: &App,
    workspace: WorkspaceId,
    id: ConversationId,
) -> Result<Option<InboxBody>, StoreError> {
    match app.get_conversation.run(workspace, id).await? {
        Some(found) => tagged(app, workspace, found).await.map(Some),
        None => Ok(None),
    }
}

/// One conversation.
#[utoipa::path(
    get, path = "/dashboard/api/conversations/{id}", tag = "Conversations", operation_id = "getConversation",
    params(("id" = values::Id, Path, description = "The conversation's id.")),
    responses((status = 200, description = "The conversation.", body = InboxBody))
)]
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<InboxBody>, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let shown = app.run(move |app| async move { show(&app, by.session.workspace, id).await });
    Ok(Json(shown.await??.ok_or_else(unknown)?))
}

/// The messages of a conversation and its own notices, newest first.
#[utoipa::path(
    get, path = "/dashboard/api/conversations/{id}/messages", tag = "Conversations",
    operation_id = "listMessages",
    params(("id" = values::Id, Path, description = "The conversation's id."), PageQuery),
    responses((status = 200, description = "A page of messages.", body = MessagesBody))
)]
pub(crate) async fn messages(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<MessagesBody>, Problem> {
    let asked = asked(&Parameters::of(&request)?)?;
    let id = id(&request).ok_or_else(unknown)?;
    let listed =
        app.run(move |app| async move { app.list_messages.run(by.session.workspace, id, &asked).await });
    Ok(Json(listed.await??.ok_or_else(unknown)?.into()))
}
