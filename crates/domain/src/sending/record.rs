//! Recording of what the network accepted: the contact, the conversation, the message, the event.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    accepted::{AcceptedSend, ConversationEffect, ConversationParts},
    ledger::{ConversationEntry, Intent, SendResult},
    ports::{Recorded, SendLedger},
};
use crate::{
    attachments::{Attachment, linked, ports::AttachmentLinks},
    channels::ChannelKind,
    clock::stamp_after,
    contacts::{Contact, ContactSource},
    conversation::Conversation,
    deps::Deps,
    errors::{StoreError, retry_stale},
    events::{Customer, Event},
    ids::{ContactId, ConversationId, IdSource},
    messages::{Context, Marks, Message, MessageMeta, NetworkMessageId},
};

/// Tries at recording before a lost race is given up: of sends into one conversation at one moment, each
/// decides again until its time is its own.
const TRIES: usize = 200;

/// Recorder of acceptances, reported by the network's answer or by a status.
pub struct Recorder {
    pub ledger: Arc<dyn SendLedger>,
    pub deps: Deps,
    pub links: Arc<dyn AttachmentLinks>,
}

impl Recorder {
    /// Records an acceptance. Returns the send's result, recorded now or before; `None` if the send was
    /// released meanwhile.
    pub async fn run(
        &self,
        intent: &Intent,
        network_id: &NetworkMessageId,
    ) -> Result<Option<SendResult>, StoreError> {
        retry_stale(TRIES, || self.try_once(intent, network_id)).await
    }

    async fn try_once(
        &self,
        intent: &Intent,
        network_id: &NetworkMessageId,
    ) -> Result<Option<SendResult>, StoreError> {
        let mut parts = match &intent.conversation_entry {
            ConversationEntry::TemplateSend(template_send) => {
                self.ledger.conversation(intent.workspace, intent.channel, &template_send.to).await?
            }
            ConversationEntry::Reply(reply) => {
                self.ledger.conversation_of(intent.workspace, reply.conversation, intent.id).await?
            }
            ConversationEntry::Nothing => ConversationParts::default(),
        };
        let files = linked(&*self.links, std::mem::take(&mut parts.files)).await?;
        let accepted =
            accept(intent, network_id.clone(), parts, files, self.deps.clock.now(), &*self.deps.ids);
        match self.ledger.record(intent.workspace, &accepted).await? {
            Recorded::Now => {
                self.deps.signals.deliveries_due(intent.workspace);
                Ok(Some(accepted.result))
            }
            Recorded::Before(result) => Ok(Some(*result)),
            Recorded::Released => Ok(None),
        }
    }
}

/// Returns what an accepted send leaves behind, given what exists. Pure except for the ids it takes.
fn accept(
    intent: &Intent,
    network_id: NetworkMessageId,
    parts: ConversationParts,
    files: Vec<Attachment>,
    now: OffsetDateTime,
    ids: &dyn IdSource,
) -> AcceptedSend {
    let effect = keep(intent, parts, files, now, ids);
    let events = effect.iter().map(announce).collect();
    let result = SendResult {
        id: intent.id,
        from: intent.from.clone(),
        contact: effect.as_ref().map(|kept| kept.contact.id),
        conversation: effect.as_ref().map(|kept| kept.conversation.id),
        reference: intent.reference.clone(),
        message: effect.as_ref().map(|kept| kept.message.clone()),
    };
    AcceptedSend { network_id, accepted_at: now, result, effect, events }
}

/// Returns the change to the inbox. A known contact keeps their name, a closed conversation stays closed, a
/// new conversation is the assistant's (docs/use/rest-api.md, "What a send records").
fn keep(
    intent: &Intent,
    parts: ConversationParts,
    files: Vec<Attachment>,
    now: OffsetDateTime,
    ids: &dyn IdSource,
) -> Option<ConversationEffect> {
    let (content, name, phone) = match &intent.conversation_entry {
        ConversationEntry::Nothing => return None,
        ConversationEntry::TemplateSend(template_send) => {
            (&template_send.content, template_send.name.clone(), Some(template_send.to.clone()))
        }
        ConversationEntry::Reply(reply) => (&reply.text, None, reply.phone.clone()),
    };
    let contact_is_new = parts.contact.is_none();
    let contact = parts.contact.unwrap_or_else(|| Contact {
        id: ContactId::new(ids),
        name,
        phone,
        source: ContactSource::Import,
        created_at: now,
    });
    let conversation_is_new = parts.conversation.is_none();
    let mut conversation = parts.conversation.unwrap_or_else(|| {
        Conversation::new(ConversationId::new(ids), contact.id, intent.channel, ChannelKind::Whatsapp, now)
    });
    let now = stamp_after(conversation.stamped_at, now);
    conversation.last_message_at = now;
    let message = Message {
        id: intent.id,
        conversation: conversation.id,
        role: intent.conversation_entry.role(),
        sender_id: intent.conversation_entry.author().map(|author| author.to_string()),
        content: content.clone(),
        attachments: files,
        transcription: None,
        created_at: now,
        sent_at: None,
        meta: intent
            .template
            .clone()
            .map(|template| MessageMeta { template, reference: intent.reference.clone() }),
        context: Context::default(),
        marks: Marks::default(),
        system_message: None,
    };
    Some(ConversationEffect { contact, contact_is_new, conversation, conversation_is_new, message })
}

fn announce(kept: &ConversationEffect) -> Event {
    Event::message_sent(kept.message.clone(), Customer::of(&kept.contact))
}
