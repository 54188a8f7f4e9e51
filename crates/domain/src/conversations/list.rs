//! `GET /v1/conversations`.

use std::sync::Arc;

use super::{filter::ConversationFilter, ports::ConversationStore};
use crate::{
    conversation::Conversation,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// Use case that lists a workspace's conversations.
pub struct ListConversations {
    pub store: Arc<dyn ConversationStore>,
    pub cursors: Cursors,
}

impl ListConversations {
    /// Returns a page of the conversations that pass the filter, newest first. A contact or a group that the
    /// workspace does not have is in no conversation.
    ///
    /// # Errors
    /// [`PageError::Cursor`] for a cursor of another filter, list or workspace.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        asked: &AskedPage,
    ) -> Result<Page<Conversation>, PageError> {
        let list = filter.list();
        let page = self.cursors.open(workspace, &list, asked)?;
        let rows = self.store.list(workspace, filter, page).await?;
        let place = |conversation: &Conversation| Position {
            at: conversation.created_at,
            id: conversation.id.uuid(),
        };
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, &list, place)))
    }
}
