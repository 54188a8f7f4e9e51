//! `GET /v1/messages/{id}` and `GET /v1/messages?reference=`: a message and what became of it; for the
//! dashboard also messages by a person's number or by the network's id.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    Message, NetworkMessageId, TemplateRef,
    delivery::MessageDelivery,
    ports::{KeptMessage, KeptSend, MessageStore},
};
use crate::{
    attachments::{linked, ports::AttachmentLinks},
    clock::Clock,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
    phone::PhoneNumber,
};

/// Kinds of messages that a caller may see, at least one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// Messages in conversations, with their text.
    pub conversations: bool,
    /// Everything that was sent, without text and recipient.
    pub sends: bool,
}

/// Most messages found for one person; earlier ones are in the conversation.
pub const MOST_WITH_NUMBER: u32 = 30;

/// Search key of somebody who does not know the message's id.
#[derive(Debug, Clone)]
pub enum Clue {
    /// Number of the person whom it went to or came from.
    Number(PhoneNumber),
    NetworkId(NetworkMessageId),
}

/// A found message, as far as the caller may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMessage {
    pub id: MessageId,
    pub conversation: Option<ConversationId>,
    pub from: Option<PhoneNumber>,
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    /// Time at which the send was requested, or of recording if this service did not send it.
    pub created_at: OffsetDateTime,
    /// `None` if this service did not send it.
    pub delivery: Option<MessageDelivery>,
    /// `None` if it is in no conversation, or if the caller may not read those.
    pub message: Option<Message>,
}

/// Finder of messages by id, reference, number or the network's id.
pub struct FindMessages {
    pub store: Arc<dyn MessageStore>,
    pub cursors: Cursors,
    pub links: Arc<dyn AttachmentLinks>,
    pub clock: Arc<dyn Clock>,
}

impl FindMessages {
    /// Finds a message; `None` if the workspace has none of this id, or none that the caller may see.
    pub async fn one(
        &self,
        workspace: WorkspaceId,
        sight: Sight,
        id: MessageId,
    ) -> Result<Option<FoundMessage>, StoreError> {
        let found = self.store.find(workspace, id).await?.filter(|found| found.is_within(sight));
        match found {
            Some(found) => self.shown(found, sight).await.map(Some),
            None => Ok(None),
        }
    }

    /// Lists the messages sent under the reference, newest first.
    ///
    /// # Errors
    /// [`PageError::Cursor`] for a cursor of another list or workspace.
    pub async fn with_reference(
        &self,
        workspace: WorkspaceId,
        sight: Sight,
        reference: &str,
        asked: &AskedPage,
    ) -> Result<Page<FoundMessage>, PageError> {
        let list = format!("messages of {} {reference}", if sight.sends { "all" } else { "conversations" });
        let page = self.cursors.open(workspace, &list, asked)?;
        let found = self.store.find_by_reference(workspace, reference, sight.sends, page).await?;
        let mut rows = Vec::with_capacity(found.len());
        for found in found {
            rows.push(self.shown(found, sight).await?);
        }
        let place = |found: &FoundMessage| Position { at: found.created_at, id: found.id.uuid() };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        Ok(Page::cut(rows, page.limit, place, cursor))
    }

    /// Lists the messages that fit the clue, newest first: of a number the newest [`MOST_WITH_NUMBER`] of its
    /// person's conversations, of a network's id the one that has it.
    pub async fn by_clue(
        &self,
        workspace: WorkspaceId,
        sight: Sight,
        clue: &Clue,
    ) -> Result<Vec<FoundMessage>, StoreError> {
        let found = match clue {
            Clue::Number(phone) => self.store.newest_with(workspace, phone, MOST_WITH_NUMBER).await?,
            Clue::NetworkId(id) => self.store.find_by_network_id(workspace, id).await?.into_iter().collect(),
        };
        let mut rows = Vec::with_capacity(found.len());
        for found in found.into_iter().filter(|found| found.is_within(sight)) {
            rows.push(self.shown(found, sight).await?);
        }
        Ok(rows)
    }

    async fn shown(&self, found: KeptSend, sight: Sight) -> Result<FoundMessage, StoreError> {
        let KeptSend { id, sent, kept } = found;
        let delivery = sent.as_ref().map(|sent| MessageDelivery::of(&sent.sending, self.clock.now()));
        let message = match kept.filter(|_| sight.conversations) {
            Some(KeptMessage { message, files, missing, .. }) => {
                let attachments = linked(&*self.links, files).await?;
                Some(Message { attachments, ..message }.without(missing))
            }
            None => None,
        };
        let recorded_at = message.as_ref().map(|message| message.created_at);
        let asked_at = sent.as_ref().map(|sent| sent.sending.asked_at);
        let conversation = message.as_ref().map(|message| message.conversation);
        Ok(FoundMessage {
            id,
            conversation: sent.as_ref().and_then(|sent| sent.conversation).or(conversation),
            created_at: asked_at.or(recorded_at).unwrap_or(OffsetDateTime::UNIX_EPOCH),
            from: sent.as_ref().and_then(|sent| sent.from.clone()),
            template: sent.as_ref().and_then(|sent| sent.template.clone()),
            reference: sent.and_then(|sent| sent.reference),
            delivery,
            message,
        })
    }
}

impl KeptSend {
    fn is_within(&self, sight: Sight) -> bool {
        match &self.sent {
            Some(sent) => sight.sends || (sight.conversations && sent.in_conversation),
            None => sight.conversations,
        }
    }
}
