//! Look-ups of a conversation and of the team.

use std::collections::{BTreeSet, HashMap};

use actix_web::web::Data;
use dashboard_pages::Choice;
use domain::{
    access::members::Member,
    canned_replies::CannedReply,
    consent::ports::DraftRecord,
    contacts::ContactProfile,
    conversation::Conversation,
    conversations::ConversationFilter,
    errors::StoreError,
    groups::TeamGroup,
    ids::{BroadcastId, ConversationId, MessageId, WorkspaceId},
    messages::ListedMessage,
    notes::Note,
    paging::{AskedPage, Page, PageLimit},
    presence::Present,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    super::{act::Call, names},
    query::unknown,
};
use crate::{app::App, dashboard::receipts, problem::Problem, session::SignedIn};

/// Most other conversations of the same contact listed beside one.
const MOST_OTHERS: u64 = 10;
/// Most notes on a page, newest first.
const MOST_NOTES: u64 = 100;

/// Members and groups that a conversation can be assigned to.
pub(in crate::pages) struct Team {
    pub(super) members: Vec<Member>,
    pub(super) groups: Vec<TeamGroup>,
    /// Names by member id, including former members.
    pub(super) names: HashMap<String, String>,
}

impl Team {
    pub(in crate::pages) fn member_choices(&self) -> Vec<Choice> {
        let choice = |id: String| {
            let name = self.names.get(&id).cloned().unwrap_or_default();
            Choice { value: format!("member:{id}"), name }
        };
        self.members.iter().map(|member| choice(member.id.to_string())).collect()
    }

    pub(in crate::pages) fn group_choices(&self) -> Vec<Choice> {
        let choice = |id: String, name: &str| Choice { value: format!("group:{id}"), name: name.to_owned() };
        self.groups.iter().map(|group| choice(group.id.to_string(), &group.name)).collect()
    }
}

pub(in crate::pages) async fn team(app: &Data<App>, by: &SignedIn) -> Result<Team, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let members = app.dashboard.members.list(workspace).await?;
        Ok::<_, StoreError>((members, app.dashboard.groups.list(workspace).await?))
    });
    let (mut members, groups) = found.await??;
    let names = names::members(app, by).await?;
    members.retain(|member| member.joined);
    Ok(Team { members, groups, names })
}

pub(super) enum MessagePage {
    Newest,
    Before(String),
    /// The page that begins with this message.
    Message(MessageId),
    /// The page that ends with what was recorded before this moment.
    Until(OffsetDateTime),
}

pub(super) struct Found {
    pub(super) conversation: Conversation,
    pub(super) tags: Vec<String>,
    pub(super) messages: Page<ListedMessage>,
    /// Names of the broadcasts among the page's messages.
    pub(super) broadcasts: HashMap<BroadcastId, String>,
    /// Cursor of the page; `None` for the newest.
    pub(super) before: Option<String>,
    pub(super) contact: ContactProfile,
    /// Whether the contact gets marketing; `None` without a number.
    pub(super) gets_marketing: Option<bool>,
    /// Other conversations with the same contact, and whether there are more.
    pub(super) others: (Vec<Conversation>, bool),
    pub(super) drafts: Vec<DraftRecord>,
    /// Newest first.
    pub(super) notes: Vec<Note>,
    pub(super) canned: Vec<CannedReply>,
    /// Other members who are in the conversation right now.
    pub(super) present: Vec<Present>,
}

pub(super) async fn conversation(
    call: &Call,
    id: ConversationId,
    from: MessagePage,
) -> Result<Found, Problem> {
    let (workspace, member) = (call.workspace(), call.by.session.member);
    let found = call.run(move |app| async move {
        let Some(conversation) = app.get_conversation.run(workspace, id).await? else { return Ok(None) };
        let before = match from {
            MessagePage::Newest => None,
            MessagePage::Before(cursor) => Some(cursor),
            // A message from elsewhere leads to the newest page.
            MessagePage::Message(message) => app.list_messages.cursor_at(workspace, id, message).await?,
            MessagePage::Until(at) => Some(app.list_messages.cursor_before(workspace, id, at, Uuid::nil())),
        };
        let tags = app.tag_conversation.tags(workspace, id).await?;
        let asked = AskedPage { limit: PageLimit::default(), cursor: before.clone() };
        let Some(messages) = app.list_messages.run(workspace, id, &asked).await? else { return Ok(None) };
        let broadcasts = broadcasts_of(&app, workspace, &messages.rows).await?;
        let Some(contact) = app.get_contact.run(workspace, conversation.contact).await? else {
            return Ok(None);
        };
        let gets_marketing = if contact.contact.phone.is_some() {
            let stop = app.dashboard.broadcasts.stops.of(workspace, conversation.contact).await?;
            stop.map(|stop| stop.is_none())
        } else {
            None
        };
        let filter =
            ConversationFilter { contact: Some(conversation.contact), ..ConversationFilter::default() };
        let page = AskedPage { limit: PageLimit::new(MOST_OTHERS).unwrap_or_default(), cursor: None };
        let listed = app.list_conversations.run(workspace, filter, &page).await?;
        let mut others = (listed.rows, listed.next.is_some());
        others.0.retain(|other| other.id != id);
        let drafts = app.dashboard.consent.manage.list(workspace, id).await?.unwrap_or_default();
        let page = AskedPage { limit: PageLimit::new(MOST_NOTES).unwrap_or_default(), cursor: None };
        let notes = app.dashboard.notes.list(workspace, id, &page).await?;
        let notes = notes.map(|page| page.rows).unwrap_or_default();
        let canned = app.dashboard.canned_replies.list(workspace).await?;
        let present = app.dashboard.presence.others(workspace, member, id).await?.unwrap_or_default();
        Ok::<_, Problem>(Some(Found {
            conversation,
            tags,
            messages,
            broadcasts,
            before,
            contact,
            gets_marketing,
            others,
            drafts,
            notes,
            canned,
            present,
        }))
    });
    found.await?.ok_or_else(unknown)
}

/// Returns the names of the broadcasts that sent these messages.
pub(super) async fn broadcasts_of(
    app: &App,
    workspace: WorkspaceId,
    messages: &[ListedMessage],
) -> Result<HashMap<BroadcastId, String>, StoreError> {
    let references = messages.iter().filter_map(|row| row.message.meta.as_ref()?.reference.as_deref());
    let ids: BTreeSet<BroadcastId> = references.filter_map(|reference| reference.parse().ok()).collect();
    let ids: Vec<BroadcastId> = ids.into_iter().collect();
    app.dashboard.broadcasts.manage.names(workspace, &ids).await
}

/// Marks the mentions and, if the newest page is shown, all messages as seen.
pub(super) async fn seen(call: &Call, found: &Found) -> Result<(), Problem> {
    let (workspace, member, id) = (call.workspace(), call.by.session.member, found.conversation.id);
    let seen = call.run(move |app| async move { app.dashboard.notes.see(workspace, member, id).await });
    seen.await?;
    let newest = found.messages.rows.first().filter(|_| found.before.is_none());
    let Some(message) = newest.map(|row| row.message.id) else { return Ok(()) };
    let marked =
        call.run(move |app| async move { app.dashboard.mark_seen.run(workspace, member, id, message).await });
    if marked.await?.is_some() {
        receipts::tell_later(&call.app, workspace, id, message);
    }
    Ok(())
}
