//! What the use cases know of a conversation and of the team.

use std::collections::HashMap;

use actix_web::web::Data;
use dashboard_pages::Choice;
use domain::{
    access::members::Member,
    canned_replies::CannedReply,
    consent::ports::DraftRecord,
    contacts::ContactProfile,
    conversations::{Conversation, ConversationFilter},
    errors::StoreError,
    groups::TeamGroup,
    ids::{BroadcastId, ConversationId, MessageId},
    messages::ListedMessage,
    notes::Note,
    paging::{AskedPage, Page, PageLimit},
    presence::Present,
};

use super::unknown;
use crate::{
    App,
    dashboard::{SignedIn, broadcasts::of_messages, receipts},
    pages::names,
    problem::Problem,
};

/// Conversations of one person that are listed beside each other.
const MOST_OTHERS: u64 = 10;
/// Notes that a page shows, the newest.
const MOST_NOTES: u64 = 100;

/// Whom conversations can be given to.
pub(in crate::pages) struct Team {
    /// Members who have joined.
    pub(super) members: Vec<Member>,
    /// Its groups.
    pub(super) groups: Vec<TeamGroup>,
    /// What members are called, by their ids.
    pub(super) names: HashMap<String, String>,
}

impl Team {
    /// Members to give a conversation to.
    pub(in crate::pages) fn member_choices(&self) -> Vec<Choice> {
        let choice = |id: String| {
            let name = self.names.get(&id).cloned().unwrap_or_default();
            Choice { value: format!("member:{id}"), name }
        };
        self.members.iter().map(|member| choice(member.id.to_string())).collect()
    }

    /// Groups to send a conversation to.
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

/// Which page of a conversation's messages.
pub(super) enum MessagePage {
    /// The newest.
    Newest,
    /// Those from a cursor on.
    Before(String),
    /// That which begins with this message.
    Message(MessageId),
}

/// A conversation, a page of its messages, and whom it is with.
pub(super) struct Found {
    pub(super) conversation: Conversation,
    pub(super) tags: Vec<String>,
    pub(super) messages: Page<ListedMessage>,
    /// The broadcasts that messages of the page are of.
    pub(super) broadcasts: HashMap<BroadcastId, String>,
    /// Where the page begins, unless it is the newest.
    pub(super) before: Option<String>,
    pub(super) contact: ContactProfile,
    /// Whether they get marketing, where they have a number that it goes to.
    pub(super) gets_marketing: Option<bool>,
    /// Others with the same person, and whether there are more.
    pub(super) others: (Vec<Conversation>, bool),
    /// What the customer was asked to confirm.
    pub(super) drafts: Vec<DraftRecord>,
    /// What the team wrote to each other, newest first.
    pub(super) notes: Vec<Note>,
    /// Short texts to answer with.
    pub(super) canned: Vec<CannedReply>,
    /// Who else is in it right now.
    pub(super) present: Vec<Present>,
}

pub(super) async fn conversation(
    app: &Data<App>,
    by: &SignedIn,
    id: ConversationId,
    from: MessagePage,
) -> Result<Found, Problem> {
    let (workspace, member) = (by.session.workspace, by.session.member);
    let found = app.run(move |app| async move {
        let Some(conversation) = app.get_conversation.run(workspace, id).await? else { return Ok(None) };
        let before = match from {
            MessagePage::Newest => None,
            MessagePage::Before(cursor) => Some(cursor),
            // What is no message of the conversation leads to the newest.
            MessagePage::Message(message) => app.list_messages.cursor_at(workspace, id, message).await?,
        };
        let tags = app.tag_conversation.tags(workspace, id).await?;
        let asked = AskedPage { limit: PageLimit::default(), cursor: before.clone() };
        let Some(messages) = app.list_messages.run(workspace, id, &asked).await? else { return Ok(None) };
        let broadcasts = of_messages(&app, workspace, &messages.rows).await?;
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
    found.await??.ok_or_else(unknown)
}

/// The newest messages of a page that is shown are seen, and with them all before.
pub(super) async fn seen(app: &Data<App>, by: &SignedIn, found: &Found) -> Result<(), Problem> {
    let (workspace, member, id) = (by.session.workspace, by.session.member, found.conversation.id);
    let seen = app.run(move |app| async move { app.dashboard.notes.see(workspace, member, id).await });
    seen.await??;
    let newest = found.messages.rows.first().filter(|_| found.before.is_none());
    let Some(message) = newest.map(|row| row.message.id) else { return Ok(()) };
    let marked =
        app.run(move |app| async move { app.dashboard.mark_seen.run(workspace, member, id, message).await });
    if marked.await??.is_some() {
        receipts::tell_later(app, workspace, id, message);
    }
    Ok(())
}
