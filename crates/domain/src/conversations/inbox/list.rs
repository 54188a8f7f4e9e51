//! Listing the inbox, and counting its open conversations.

use std::sync::Arc;

use super::{
    Attention, InboxCounts, InboxRow, MOST_COUNTED,
    view::{InboxFilter, InboxOrder, View},
};
use crate::{
    channels::ChannelKind,
    contacts::{Search, SearchTooLong},
    conversation::ConversationStatus,
    conversations::ports::InboxLists,
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    paging::{AskedPage, Cursors, ForeignCursor, Page, Position},
    phone::Region,
    tag::Tag,
};

/// Conversations that a member asks for, with the search as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedInbox {
    pub view: View,
    pub status: Option<ConversationStatus>,
    pub channel: Option<ChannelKind>,
    pub tag: Option<Tag>,
    /// Part of a contact's name or number.
    pub search: Option<String>,
    pub order: InboxOrder,
}

/// Reason that conversations were not listed.
#[derive(Debug, thiserror::Error)]
pub enum ListInboxError {
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that lists conversations as the team sees them.
pub struct ListInbox {
    pub store: Arc<dyn InboxLists>,
    pub cursors: Cursors,
}

impl ListInbox {
    /// Reads a page of the conversations that pass the filter, as `member` sees them. A number without a
    /// country code belongs to `region`.
    ///
    /// A page that has a next one may still hold less than its limit, even nothing: for a tag or a search
    /// that finds very much, a bounded number of conversations is looked at for each page.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        region: Region,
        asked: AskedInbox,
        page: &AskedPage,
    ) -> Result<Page<InboxRow>, ListInboxError> {
        let AskedInbox { view, status, channel, tag, search, order } = asked;
        let search = search.map(|search| Search::read(&search, region)).transpose()?.flatten();
        let filter = InboxFilter { view, status, channel, tag, search, order };
        let list = filter.list();
        let page = self.cursors.open(workspace, &list, page)?;
        let found = self.store.inbox(workspace, member, &filter, page).await?;
        let place = |row: &InboxRow| {
            let at = match order {
                InboxOrder::Newest => row.conversation.last_message_at,
                InboxOrder::Waiting => row.waiting_since.unwrap_or(row.conversation.last_message_at),
            };
            Position { at, id: row.conversation.id.uuid() }
        };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        let cut = Page::cut(found.rows, page.limit, place, cursor);
        let next = cut.next.or_else(|| found.reached.map(cursor));
        Ok(Page { next, ..cut })
    }

    /// Returns until when the customer of a conversation can be answered, and since when they wait; `None` if
    /// the workspace has no such conversation.
    pub async fn attention(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Attention>, StoreError> {
        self.store.attention(workspace, conversation).await
    }
}

/// Use case that counts open conversations.
pub struct CountInbox {
    pub store: Arc<dyn InboxLists>,
}

impl CountInbox {
    /// Returns the numbers that a member sees beside the lists.
    pub async fn run(&self, workspace: WorkspaceId, member: MemberId) -> Result<InboxCounts, StoreError> {
        self.store.inbox_counts(workspace, member, MOST_COUNTED).await
    }
}
