//! What the use cases know of a conversation and of the team.

use std::collections::HashMap;

use actix_web::web::Data;
use domain::{
    access::members::Member,
    canned_replies::CannedReply,
    consent::ports::DraftRecord,
    contacts::ContactProfile,
    conversations::{Conversation, ConversationFilter},
    errors::StoreError,
    groups::TeamGroup,
    ids::{BroadcastId, ConversationId},
    messages::ListedMessage,
    notes::Note,
    paging::{AskedPage, Page, PageLimit},
    presence::Present,
};

use crate::{
    App,
    dashboard::{SignedIn, broadcasts::of_messages},
    pages::names,
    paging::not_found,
    problem::Problem,
};

/// Conversations of one person that are listed beside each other.
const MOST_OTHERS: u64 = 10;
/// Notes that a page shows, the newest.
const MOST_NOTES: u64 = 100;

/// Whom conversations can be given to.
pub(super) struct Team {
    /// Members who have joined.
    pub(super) members: Vec<Member>,
    /// Its groups.
    pub(super) groups: Vec<TeamGroup>,
    /// What members are called, by their ids.
    pub(super) names: HashMap<String, String>,
}

pub(super) async fn team(app: &Data<App>, by: &SignedIn) -> Result<Team, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let members = app.dashboard.members.list(workspace).await?;
        Ok::<_, StoreError>((members, app.dashboard.groups.list(workspace).await?))
    });
    let (mut members, groups) = found.await??;
    let names = members.iter().map(|member| (member.id.to_string(), names::of(member))).collect();
    members.retain(|member| member.joined);
    Ok(Team { members, groups, names })
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
    /// Others with the same person.
    pub(super) others: Vec<Conversation>,
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
    before: Option<String>,
) -> Result<Found, Problem> {
    let (workspace, member) = (by.session.workspace, by.session.member);
    let found = app.run(move |app| async move {
        let Some(conversation) = app.get_conversation.run(workspace, id).await? else { return Ok(None) };
        let tags = app.tag_conversation.tags(workspace, id).await?;
        let asked = AskedPage { limit: PageLimit::default(), cursor: before.clone() };
        let Some(messages) = app.list_messages.run(workspace, id, &asked).await? else { return Ok(None) };
        let broadcasts = of_messages(&app, workspace, &messages.rows).await?;
        let Some(contact) = app.get_contact.run(workspace, conversation.contact).await? else {
            return Ok(None);
        };
        let filter =
            ConversationFilter { contact: Some(conversation.contact), ..ConversationFilter::default() };
        let page = AskedPage { limit: PageLimit::new(MOST_OTHERS).unwrap_or_default(), cursor: None };
        let mut others = app.list_conversations.run(workspace, filter, &page).await?.rows;
        others.retain(|other| other.id != id);
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
            others,
            drafts,
            notes,
            canned,
            present,
        }))
    });
    found.await??.ok_or_else(|| not_found("conversation"))
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
    marked.await?.map(drop).map_err(Problem::from)
}
