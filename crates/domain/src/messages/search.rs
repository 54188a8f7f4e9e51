//! `GET /dashboard/api/messages/search` and `…/conversations/{id}/messages/search`: messages by their words;
//! and storing the words of messages that were written without.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    Role,
    ports::{FoundText, MessageSearchStore},
    words::{InvalidWordSearch, SnippetPart, WordSearch},
};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{ContactId, ConversationId, MessageId, WorkspaceId},
    paging::{AskedPage, Cursors, ForeignCursor, Page, Position},
    phone::PhoneNumber,
};

/// Longest snippet, in characters.
const SNIPPET: usize = 160;
/// Most messages whose words one step stores.
const KEPT_AT_ONCE: u32 = 500;

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageMatch {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub channel: ChannelKind,
    pub contact: ContactId,
    pub name: Option<String>,
    pub phone: Option<PhoneNumber>,
    pub role: Role,
    /// Text around the words that were searched for.
    pub snippet: Vec<SnippetPart>,
    pub created_at: OffsetDateTime,
    /// Cursor of the page of its conversation that begins with it.
    pub from_here: String,
}

/// Reason why nothing was searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchMessagesError {
    #[error(transparent)]
    Search(#[from] InvalidWordSearch),
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Search for messages by their words.
pub struct SearchMessages {
    pub store: Arc<dyn MessageSearchStore>,
    pub cursors: Cursors,
}

impl SearchMessages {
    /// Lists a page of the messages that have a word beginning with each that was written, newest first, in
    /// one conversation or in all; `None` if the workspace has no such conversation. A page may be short
    /// although another follows: for each, only a bounded part of a conversation is looked at.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        within: Option<ConversationId>,
        written: &str,
        asked: &AskedPage,
    ) -> Result<Option<Page<MessageMatch>>, SearchMessagesError> {
        let search = WordSearch::read(written)?;
        let scope = within.map_or_else(|| "everywhere".to_owned(), |id| id.to_string());
        let list = format!("message search {scope} {}", search.words().join(" "));
        let page = self.cursors.open(workspace, &list, asked)?;
        let found = match within {
            None => Some(self.store.search(workspace, search.words(), page).await?),
            Some(id) => self.store.search_conversation(workspace, id, search.words(), page).await?,
        };
        let Some(found) = found else { return Ok(None) };
        let place = |found: &FoundText| Position { at: found.created_at, id: found.id.uuid() };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        let cut = Page::cut(found.rows, page.limit, place, cursor);
        let rows = cut.rows.into_iter().map(|found| self.shown(workspace, &search, found)).collect();
        Ok(Some(Page { rows, next: cut.next.or(found.ended_at.map(cursor)) }))
    }

    fn shown(&self, workspace: WorkspaceId, search: &WordSearch, found: FoundText) -> MessageMatch {
        let list = format!("messages/{}", found.conversation);
        // The highest id of that time: the page begins with the message itself.
        let here = Position { at: found.created_at, id: uuid::Uuid::max() };
        let spoken = found.transcription.filter(|_| !search.finds(&found.content));
        MessageMatch {
            id: found.id,
            conversation: found.conversation,
            channel: found.channel,
            contact: found.contact,
            name: found.name,
            phone: found.phone,
            role: found.role,
            snippet: search.snippet(spoken.as_deref().unwrap_or(&found.content), SNIPPET),
            created_at: found.created_at,
            from_here: self.cursors.issue(workspace, &list, here),
        }
    }
}

/// Storing of the words of messages that were written without: those from before there was a search, and
/// those that were edited or transcribed later.
#[derive(Clone)]
pub struct KeepWords {
    pub store: Arc<dyn MessageSearchStore>,
}

impl KeepWords {
    /// Lists the workspaces with such messages.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.store.workspaces_without_words().await
    }

    /// Does one step; returns whether there may be more.
    pub async fn step(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        Ok(self.store.keep_words(workspace, KEPT_AT_ONCE).await? == KEPT_AT_ONCE)
    }
}
