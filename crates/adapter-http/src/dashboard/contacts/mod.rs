//! `/contacts`.

pub(crate) mod directory;
pub(crate) mod export;
pub(crate) mod template;

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    contacts::{ContactName, ContactSignal, KeptSignal},
    conversations::ConversationFilter,
    ids::{ChannelId, ContactId},
    messages::Referral,
    paging::{AskedPage, PageLimit},
};
use serde::Serialize;
use time::OffsetDateTime;

use super::conversations::InboxBody;
use crate::{
    app::App,
    body,
    contacts::wire::{ContactBody, RenameBody},
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

/// Most conversations shown of one person; each is of another number, page or account of the workspace.
const MOST_CONVERSATIONS: u64 = 100;

/// A person with all their conversations.
#[derive(Serialize)]
pub(crate) struct ContactPageBody {
    contact: ContactBody,
    /// The newest first: one for each number, page or account that they have written to.
    conversations: Vec<InboxBody>,
    /// What they told networks without writing, the latest first: of each kind the latest over each number,
    /// page or account.
    signals: Vec<SignalBody>,
}

/// What a person told a network without writing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignalBody {
    kind: &'static str,
    /// The number, page or account.
    channel_id: ChannelId,
    channel: &'static str,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
    /// Whether they want no marketing, or nothing more of what they opted in to; null for a referral.
    stopped: Option<bool>,
    /// What they were shown when they opted in.
    title: Option<String>,
    /// What the business gave the opt-in to be known by.
    payload: Option<String>,
    referral: Option<Referral>,
}

impl From<KeptSignal> for SignalBody {
    fn from(KeptSignal { channel, channel_kind, at, signal }: KeptSignal) -> Self {
        let kind = signal.kind();
        let (stopped, title, payload, referral) = match signal {
            ContactSignal::Marketing { stopped } => (Some(stopped), None, None, None),
            ContactSignal::OptIn { stopped, title, payload } => (Some(stopped), title, payload, None),
            ContactSignal::Referral { referral } => (None, None, None, Some(*referral)),
        };
        let channel_id = channel;
        Self { kind, channel_id, channel: channel_kind.as_str(), at, stopped, title, payload, referral }
    }
}

fn unknown() -> Problem {
    not_found("contact")
}

/// A person and their conversations.
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
        let limit = PageLimit::new(MOST_CONVERSATIONS).unwrap_or_default();
        let page = AskedPage { limit, cursor: None };
        let conversations = app.list_conversations.run(workspace, filter, &page).await?.rows;
        let ids: Vec<_> = conversations.iter().map(|conversation| conversation.id).collect();
        let tags = app.tag_conversation.tags_of(workspace, &ids).await?;
        let mut bodies = Vec::new();
        for (conversation, tags) in conversations.into_iter().zip(tags) {
            let attention = app.dashboard.list_inbox.attention(workspace, conversation.id).await?;
            bodies.push(InboxBody::new(conversation, tags, attention));
        }
        let signals = app.get_contact.signals(workspace, id).await?;
        let signals = signals.into_iter().map(SignalBody::from).collect();
        Ok::<_, Problem>(Some(ContactPageBody { contact: contact.into(), conversations: bodies, signals }))
    });
    Ok(Json(shown.await??.ok_or_else(unknown)?))
}

/// Gives a person another name.
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
