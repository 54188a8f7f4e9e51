//! `GET /v1/conversations`.

use std::{fmt::Display, sync::Arc};

use time::OffsetDateTime;

use super::ports::ConversationStore;
use crate::{
    conversation::{Conversation, ConversationStatus},
    ids::{ContactId, GroupId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// Filter of conversations: those that pass every part that is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationFilter {
    pub status: Option<ConversationStatus>,
    pub contact: Option<ContactId>,
    pub group: Option<GroupId>,
    pub since: Option<OffsetDateTime>,
}

impl ConversationFilter {
    /// Returns the name under which cursors of the filtered list are signed.
    fn list(&self) -> String {
        fn part(value: Option<impl Display>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        let status = part(self.status.map(ConversationStatus::as_str));
        let since = part(self.since.map(OffsetDateTime::unix_timestamp_nanos));
        format!("conversations/{status}/{}/{}/{since}", part(self.contact), part(self.group))
    }
}

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
