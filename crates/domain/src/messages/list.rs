//! `GET /v1/conversations/{id}/messages`.

use std::sync::Arc;

use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Message,
    delivery::MessageDelivery,
    ports::{KeptMessage, MessageStore},
};
use crate::{
    attachments::{linked, ports::AttachmentLinks},
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, PageLimit, PageRequest, Position},
};

/// A message of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMessage {
    pub message: Message,
    /// `None` if this service did not send it.
    pub delivery: Option<MessageDelivery>,
}

/// Listing of a conversation's messages.
pub struct ListMessages {
    pub store: Arc<dyn MessageStore>,
    pub cursors: Cursors,
    pub links: Arc<dyn AttachmentLinks>,
}

impl ListMessages {
    /// Returns a page of the conversation, newest first; `None` if the workspace has no such conversation. A
    /// conversation that was merged into another is that other under its old id too, and so are its cursors.
    ///
    /// # Errors
    /// [`PageError::Cursor`] for a cursor of another conversation, list or workspace.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        asked: &AskedPage,
    ) -> Result<Option<Page<ListedMessage>>, PageError> {
        let page = self.page(workspace, conversation, asked).await?;
        let Some(kept) = self.store.list(workspace, conversation, page).await? else { return Ok(None) };
        let list = list_of(kept.first().map_or(conversation, |first| first.message.conversation));
        let mut rows = Vec::with_capacity(kept.len());
        for KeptMessage { message, files, missing, sending, awaited: _ } in kept {
            let attachments = linked(&*self.links, files).await?;
            let message = Message { attachments, ..message }.without(missing);
            // A message that is in a conversation is no longer in flight.
            let delivery = sending.map(|sending| MessageDelivery::of(&sending, sending.asked_at));
            rows.push(ListedMessage { message, delivery });
        }
        let place = |row: &ListedMessage| Position { at: row.message.created_at, id: row.message.id.uuid() };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        Ok(Some(Page::cut(rows, page.limit, place, cursor)))
    }

    /// Opens the page that is asked for. A cursor is valid for the conversation's given id, and for its
    /// current one.
    async fn page(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        asked: &AskedPage,
    ) -> Result<PageRequest, PageError> {
        let foreign = match self.cursors.open(workspace, &list_of(conversation), asked) {
            Ok(page) => return Ok(page),
            Err(foreign) => foreign,
        };
        let newest = PageRequest { limit: PageLimit::ONE, after: None };
        let newest = self.store.list(workspace, conversation, newest).await?.unwrap_or_default();
        let found = newest.first().map(|first| first.message.conversation).filter(|id| *id != conversation);
        let found = found.ok_or(foreign)?;
        Ok(self.cursors.open(workspace, &list_of(found), asked)?)
    }

    /// Returns the cursor of the page that begins with this message; `None` if the conversation has no such
    /// message.
    pub async fn cursor_at(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<Option<String>, StoreError> {
        let found = self.store.find(workspace, message).await?.and_then(|found| found.kept);
        let message = found.map(|kept| kept.message).filter(|message| message.conversation == conversation);
        Ok(message
            .map(|message| self.cursor_before(workspace, conversation, message.created_at, Uuid::max())))
    }

    /// Returns the cursor of the page that ends right before a moment; of messages of that moment, those with
    /// a lower id belong to it.
    pub fn cursor_before(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        at: OffsetDateTime,
        id: Uuid,
    ) -> String {
        self.cursors.issue(workspace, &list_of(conversation), Position { at, id })
    }
}

/// Returns the name of the list that a cursor is signed for.
fn list_of(conversation: ConversationId) -> String {
    format!("messages/{conversation}")
}
