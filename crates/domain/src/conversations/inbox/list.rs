//! Listing the inbox, and counting what waits in it.

use std::sync::Arc;

use super::{Attention, InboxCounts, InboxFilter, InboxOrder, InboxRow, MOST_COUNTED, View};
use crate::{
    channels::ChannelKind,
    contacts::{Search, SearchTooLong},
    conversations::{ConversationStatus, Tag, ports::InboxLists},
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    paging::{AskedPage, Cursors, ForeignCursor, Page, Position},
    phone::Region,
};

/// It says which conversations a member asks for, with the search as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedInbox {
    pub view: View,
    /// It finds those of this status.
    pub status: Option<ConversationStatus>,
    /// It finds those over this network.
    pub channel: Option<ChannelKind>,
    /// It finds those with this tag.
    pub tag: Option<Tag>,
    /// It finds those with a person whose name or number has this part.
    pub search: Option<String>,
    /// The conversations are listed in this order.
    pub order: InboxOrder,
}

/// It says why conversations were not listed.
#[derive(Debug, thiserror::Error)]
pub enum ListInboxError {
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It lists conversations as the team sees them.
pub struct ListInbox {
    pub store: Arc<dyn InboxLists>,
    pub cursors: Cursors,
}

impl ListInbox {
    /// Reads a page of the conversations that pass the filter, as `member` sees them, in the order that is
    /// asked for. A number without a country code belongs to `region`.
    ///
    /// A page may hold less than it could, even nothing, and have a next one: of a tag or a search that finds very
    /// much, only so many conversations are looked at for each page.
    ///
    /// # Errors
    /// See [`ListInboxError`].
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

    /// Says until when the customer of a conversation can be answered, and since when they wait; `None` when
    /// the workspace has no such conversation.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn attention(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Attention>, StoreError> {
        self.store.attention(workspace, conversation).await
    }
}

/// It counts open conversations.
pub struct CountInbox {
    pub store: Arc<dyn InboxLists>,
}

impl CountInbox {
    /// Returns the numbers that a member sees beside the lists.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId, member: MemberId) -> Result<InboxCounts, StoreError> {
        self.store.inbox_counts(workspace, member, MOST_COUNTED).await
    }
}
