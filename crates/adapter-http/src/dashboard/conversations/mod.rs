//! `/conversations` and what is under it.

pub(crate) mod booking_requests;
pub(crate) mod customer;
pub(crate) mod drafts;
pub(crate) mod inbox;
pub(crate) mod leads;
mod missing;
pub(crate) mod moves;
pub(crate) mod notes;
pub(crate) mod presence;
pub(crate) mod products;
pub(crate) mod reply;
pub(crate) mod seen;
mod system_messages;
pub(crate) mod tags;
pub(crate) mod template;

use std::collections::{BTreeSet, HashMap};

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    conversation::Conversation,
    conversations::inbox::Attention,
    errors::StoreError,
    ids::{BroadcastId, ConversationId, WorkspaceId},
    messages::{ListedMessage, MessageBody},
};
use inbox::wire::ReplyWindowBody;
use missing::unknown;
use serde::Serialize;
use system_messages::SystemMessageBody;
use time::OffsetDateTime;

use crate::{
    app::App,
    conversations::wire::ConversationBody,
    messages::MessagesBody,
    paging::{id, read_page},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

/// A conversation as the team sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InboxBody {
    conversation: ConversationBody,
    tags: Vec<String>,
    /// How long one may answer in one's own words; null where the customer has never written.
    reply_window: Option<ReplyWindowBody>,
    /// When the customer wrote first after they were last written to; null when they wait for nothing, or the
    /// conversation is closed.
    #[serde(with = "domain::clock::timestamp::option")]
    waiting_since: Option<OffsetDateTime>,
}

/// A page of a conversation's messages, and of which broadcasts they are.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationMessagesBody {
    data: Vec<MessageBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
    /// The broadcasts that `meta.reference` of these messages names.
    broadcasts: Vec<BroadcastNameBody>,
    /// What the `system` messages of these tell, as data. Lines from before it was kept have none here.
    notices: Vec<SystemMessageBody>,
}

/// What a broadcast is called.
#[derive(Serialize)]
pub(crate) struct BroadcastNameBody {
    id: BroadcastId,
    name: String,
}

impl InboxBody {
    pub(crate) fn new(conversation: Conversation, tags: Vec<String>, attention: Option<Attention>) -> Self {
        let closes_at = attention.and_then(|attention| attention.reply_closes_at());
        Self {
            conversation: conversation.into(),
            tags,
            reply_window: closes_at.map(|closes_at| ReplyWindowBody { closes_at }),
            waiting_since: attention.and_then(|attention| attention.waiting_since),
        }
    }
}

/// Builds the body of a conversation with its tags and its need of attention.
async fn tagged(
    app: &App,
    workspace: WorkspaceId,
    conversation: Conversation,
) -> Result<InboxBody, StoreError> {
    let tags = app.tag_conversation.tags(workspace, conversation.id).await?;
    let attention = app.dashboard.list_inbox.attention(workspace, conversation.id).await?;
    Ok(InboxBody::new(conversation, tags, attention))
}

/// Loads the conversation as it is now; `None` if there is none.
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

/// Returns the names of the broadcasts that sent these messages.
pub(crate) async fn broadcasts_of(
    app: &App,
    workspace: WorkspaceId,
    messages: &[ListedMessage],
) -> Result<HashMap<BroadcastId, String>, StoreError> {
    let references = messages.iter().filter_map(|row| row.message.meta.as_ref()?.reference.as_deref());
    let ids: BTreeSet<BroadcastId> = references.filter_map(|reference| reference.parse().ok()).collect();
    let ids: Vec<BroadcastId> = ids.into_iter().collect();
    app.dashboard.broadcasts.manage.names(workspace, &ids).await
}

/// One conversation.
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
pub(crate) async fn messages(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<ConversationMessagesBody>, Problem> {
    let asked = read_page(&Parameters::of(&request)?)?;
    let id = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move {
        let Some(page) = app.list_messages.run(workspace, id, &asked).await? else { return Ok(None) };
        let names = broadcasts_of(&app, workspace, &page.rows).await?;
        Ok::<_, Problem>(Some((page, names)))
    });
    let (page, names) = listed.await??.ok_or_else(unknown)?;
    let mut broadcasts: Vec<_> = names.into_iter().map(|(id, name)| BroadcastNameBody { id, name }).collect();
    broadcasts.sort_unstable_by_key(|broadcast| broadcast.id);
    let notices = page.rows.iter().filter_map(|row| SystemMessageBody::of(&row.message)).collect();
    let MessagesBody { data, next_cursor } = page.into();
    Ok(Json(ConversationMessagesBody { data, next_cursor, broadcasts, notices }))
}
