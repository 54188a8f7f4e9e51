//! From updates and what is known to what is recorded. Pure but for the ids it draws.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use time::{Duration, OffsetDateTime};

use super::{
    super::{
        JournalEntry, JournalItem, UpdateOutcome,
        conversation::{ConversationUpdate, UpdateKind, Written},
    },
    batch::{Active, Activity, ConversationChange, InboxBatch, Mark, NewContact, NewMessage},
    lookup::{ByIdentity, KnownPerson, LookupResult},
    people::BatchPerson,
};
use crate::{
    clock::stamp_after,
    contacts::{Contact, ContactSource, Identity},
    conversation::Conversation,
    conversations::{Waiting, customer_wrote},
    events::{Customer, Event, EventData},
    ids::{ChannelId, ContactId, ConversationId, IdSource, MessageId},
    messages::{Context, Marks, Message, NetworkMessageId, Role},
};

/// Time for which an unknown echo may be one of our own sends whose answer is still being recorded.
const ECHO_PATIENCE: Duration = Duration::seconds(10);
/// Time for which a change of a message waits for the message itself, which may have been posted after it.
const MARK_PATIENCE: Duration = Duration::minutes(1);

/// A journaled update of a conversation, with its channel.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) journal: &'a JournalEntry,
    pub(super) channel: ChannelId,
    pub(super) update: &'a ConversationUpdate,
    /// Whether an echo may be of a send of ours whose answer is still being recorded.
    pub(super) may_be_ours: bool,
}

impl<'a> Entry<'a> {
    /// Returns the conversation update of a journal entry; `None` if it is another.
    pub(super) fn of(journal: &'a JournalEntry) -> Option<Self> {
        match &journal.item {
            JournalItem::Conversation { channel, update } => {
                let may_be_ours = update.network().repeats_sends();
                Some(Self { journal, channel: *channel, update, may_be_ours })
            }
            _ => None,
        }
    }
}

/// Decision about a batch.
pub(super) struct BatchOutcome {
    pub(super) batch: InboxBatch,
    /// One for each entry, in order.
    pub(super) outcomes: Vec<UpdateOutcome>,
}

/// Decides about a batch. `people` are those of the batch, whose contacts are merged already.
pub(super) fn decide(
    entries: &[Entry<'_>],
    people: &[BatchPerson],
    known: &LookupResult,
    now: OffsetDateTime,
    ids: &dyn IdSource,
) -> BatchOutcome {
    let mut builder = BatchBuilder::new(known, now, ids);
    let mut outcomes = vec![UpdateOutcome::Handled; entries.len()];
    let mut in_order: Vec<(usize, &BatchPerson)> =
        people.iter().flat_map(|person| person.updates.iter().map(move |place| (*place, person))).collect();
    in_order.sort_unstable_by_key(|(place, _)| *place);
    for (place, person) in in_order {
        if let (Some(entry), Some(outcome)) = (entries.get(place), outcomes.get_mut(place)) {
            *outcome = builder.take(entry, person);
        }
    }
    let done = entries.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == UpdateOutcome::Finished);
    let done = done.map(|(entry, _)| entry.journal.id).collect();
    BatchOutcome { batch: builder.finish(done), outcomes }
}

/// A person while the batch is folded.
struct PersonState {
    contact: Contact,
    /// Picture, identities, and the lesser ones of these; `None` for a known contact.
    new: Option<(Option<String>, Vec<Identity>, BTreeSet<Identity>)>,
    activity: Activity,
}

/// A conversation while the batch is folded.
struct BatchConversation {
    before_version: Option<i64>,
    conversation: Conversation,
    wrote_at: Option<OffsetDateTime>,
    waiting: Waiting,
    first_stamp: Option<OffsetDateTime>,
}

impl BatchConversation {
    /// Returns the time stamp of the conversation's next event.
    fn stamp(&mut self, now: OffsetDateTime) -> OffsetDateTime {
        let stamp = stamp_after(self.conversation.stamped_at, now);
        self.conversation.stamped_at = Some(stamp);
        self.first_stamp.get_or_insert(stamp);
        stamp
    }
}

struct BatchBuilder<'a> {
    known: &'a LookupResult,
    by_identity: ByIdentity<'a>,
    messages: HashMap<&'a str, MessageId>,
    now: OffsetDateTime,
    ids: &'a dyn IdSource,
    /// People by their first update, which tells those of a batch apart.
    people: BTreeMap<usize, PersonState>,
    conversations: BTreeMap<(ContactId, ChannelId), BatchConversation>,
    recorded: HashMap<String, MessageId>,
    marks: BTreeMap<MessageId, Mark>,
    batch: InboxBatch,
}

impl<'a> BatchBuilder<'a> {
    fn new(known: &'a LookupResult, now: OffsetDateTime, ids: &'a dyn IdSource) -> Self {
        Self {
            known,
            by_identity: ByIdentity::of(&known.people),
            messages: known.messages.iter().map(|known| (known.network_id.reveal(), known.id)).collect(),
            now,
            ids,
            people: BTreeMap::new(),
            conversations: BTreeMap::new(),
            recorded: HashMap::new(),
            marks: BTreeMap::new(),
            batch: InboxBatch::at(now),
        }
    }

    fn take(&mut self, entry: &Entry<'_>, person: &BatchPerson) -> UpdateOutcome {
        match &entry.update.what {
            UpdateKind::Wrote(written) => {
                if self.is_new(written) {
                    self.wrote(entry, person, written);
                }
                UpdateOutcome::Finished
            }
            UpdateKind::Echoed { written, .. } => {
                if !self.is_new(written) {
                    return UpdateOutcome::Finished;
                }
                if entry.may_be_ours && self.now - entry.journal.received_at < ECHO_PATIENCE {
                    return UpdateOutcome::Waits;
                }
                self.team_wrote(entry, person, written);
                UpdateOutcome::Finished
            }
            UpdateKind::Reacted { message, emoji } => {
                let reaction = (emoji.clone(), entry.update.at);
                self.mark(entry, message.reveal(), |mark| keep_latest(&mut mark.reaction, reaction))
            }
            UpdateKind::Edited { message, content, held_elsewhere } => {
                let edited = (content.clone(), entry.update.at);
                let outcome =
                    self.mark(entry, message.reveal(), |mark| keep_latest(&mut mark.edited, edited));
                if outcome == UpdateOutcome::Handled {
                    // The original never came: this text is all there is.
                    let context = Context { held_elsewhere: *held_elsewhere, ..Context::default() };
                    let (network_id, media) = (message.clone(), Vec::new());
                    let written = Written { network_id, content: content.clone(), media, context };
                    self.wrote(entry, person, &written);
                    return UpdateOutcome::Finished;
                }
                outcome
            }
            UpdateKind::Deleted { message } => {
                let at = Some(entry.update.at);
                self.mark(entry, message.reveal(), |mark| mark.deleted_at = at)
            }
            // Settled before, when contacts were merged.
            UpdateKind::Renumbered { .. } => UpdateOutcome::Finished,
            UpdateKind::Seen { .. } | UpdateKind::Signalled { .. } => UpdateOutcome::Handled,
        }
    }

    fn is_new(&self, written: &Written) -> bool {
        self.id_of(&written.network_id).is_none()
    }

    fn id_of(&self, network_id: &NetworkMessageId) -> Option<MessageId> {
        let id = network_id.reveal();
        self.messages.get(id).or_else(|| self.recorded.get(id)).copied()
    }

    fn wrote(&mut self, entry: &Entry<'_>, person: &BatchPerson, written: &Written) {
        let at = entry.update.at.min(self.now);
        let kind = entry.update.network();
        let state = self.person(person, ContactSource::Messaged);
        state.activity.wrote(kind, at);
        let contact = state.contact.clone();
        let customer = Customer::of(&contact);
        let now = self.now;
        let state = self.conversation(&contact, entry);
        let mut stamp = state.stamp(now);
        let mut change = customer_wrote(&state.conversation, &customer, stamp);
        state.conversation = change.conversation;
        state.wrote_at = state.wrote_at.max(Some(at));
        // If another app holds the conversation, that app answers.
        if !written.context.held_elsewhere {
            state.waiting.wrote(stamp);
        }
        let began = !change.events.is_empty();
        if began {
            stamp = state.stamp(now);
            state.conversation.last_message_at = state.conversation.last_message_at.max(stamp);
            // The event shows the conversation as the message that began it leaves it.
            for event in &mut change.events {
                if let EventData::Conversation { conversation, .. } = &mut event.data {
                    conversation.last_message_at = state.conversation.last_message_at;
                }
            }
        }
        let conversation = state.conversation.id;
        self.batch.events.extend(change.events);
        let message = self.message(conversation, Role::Customer, written, stamp, Some(entry.update.at));
        // A message with files is announced once they are here.
        if written.media.is_empty() {
            self.batch.events.push(Event::message_received(message.clone(), customer));
        }
        self.record(message, written, began);
    }

    /// Records that the team wrote in the network's own app.
    fn team_wrote(&mut self, entry: &Entry<'_>, person: &BatchPerson, written: &Written) {
        let contact = self.person(person, ContactSource::Import).contact.clone();
        let now = self.now;
        let state = self.conversation(&contact, entry);
        let stamp = state.stamp(now);
        state.waiting.answer();
        state.conversation.last_message_at = state.conversation.last_message_at.max(stamp);
        let conversation = state.conversation.id;
        let message = self.message(conversation, Role::Team, written, stamp, None);
        if written.media.is_empty() {
            self.batch.events.push(Event::message_sent(message.clone(), Customer::of(&contact)));
        }
        self.record(message, written, false);
    }

    fn record(&mut self, message: Message, written: &Written, began: bool) {
        let network_id = written.network_id.clone();
        self.recorded.insert(network_id.reveal().to_owned(), message.id);
        self.batch.messages.push(NewMessage { message, network_id, media: written.media.clone(), began });
    }

    fn message(
        &self,
        conversation: ConversationId,
        role: Role,
        written: &Written,
        created_at: OffsetDateTime,
        sent_at: Option<OffsetDateTime>,
    ) -> Message {
        Message {
            id: MessageId::new(self.ids),
            conversation,
            role,
            sender_id: None,
            content: written.content.replace('\0', ""),
            attachments: Vec::new(),
            transcription: None,
            created_at,
            sent_at,
            meta: None,
            context: written.context.clone().named(|id| self.id_of(&id)),
            marks: Marks::default(),
            system_message: None,
        }
    }

    fn mark(&mut self, entry: &Entry<'_>, message: &str, change: impl FnOnce(&mut Mark)) -> UpdateOutcome {
        match self.messages.get(message) {
            Some(id) => {
                change(self.marks.entry(*id).or_insert_with(|| Mark::on(*id)));
                UpdateOutcome::Finished
            }
            // A message recorded just now is found by the next lookup.
            None if self.recorded.contains_key(message) => UpdateOutcome::Waits,
            None if self.now - entry.journal.received_at < MARK_PATIENCE => UpdateOutcome::Waits,
            None => UpdateOutcome::Handled,
        }
    }

    fn person(&mut self, person: &BatchPerson, source: ContactSource) -> &mut PersonState {
        let key = person.updates.first().copied().unwrap_or_default();
        let (by_identity, ids, now) = (&self.by_identity, self.ids, self.now);
        self.people.entry(key).or_insert_with(|| match person.contact(by_identity) {
            Some(known) => {
                PersonState { contact: known.contact.clone(), new: None, activity: Activity::default() }
            }
            None => PersonState {
                contact: Contact {
                    id: ContactId::new(ids),
                    name: person.name.clone(),
                    phone: person.phone.clone(),
                    source,
                    created_at: now,
                },
                new: Some((
                    person.avatar_url.clone(),
                    person.identities.iter().filter(|one| one.phone().is_none()).cloned().collect(),
                    person.identities.iter().filter(|one| person.is_lesser(one)).cloned().collect(),
                )),
                activity: Activity::default(),
            },
        })
    }

    fn conversation(&mut self, contact: &Contact, entry: &Entry<'_>) -> &mut BatchConversation {
        let (known, ids, now, channel) = (self.known, self.ids, self.now, entry.channel);
        self.conversations.entry((contact.id, channel)).or_insert_with(|| {
            match conversation_of(known, contact, channel) {
                Some(conversation) => BatchConversation {
                    before_version: Some(conversation.version),
                    conversation: conversation.clone(),
                    wrote_at: None,
                    waiting: Waiting::default(),
                    first_stamp: None,
                },
                None => BatchConversation {
                    before_version: None,
                    conversation: Conversation::new(
                        ConversationId::new(ids),
                        contact.id,
                        channel,
                        entry.update.network(),
                        now,
                    ),
                    wrote_at: None,
                    waiting: Waiting::default(),
                    first_stamp: None,
                },
            }
        })
    }

    fn finish(self, done: Vec<crate::ids::JournalId>) -> InboxBatch {
        let mut batch = self.batch;
        for PersonState { contact, new, activity } in self.people.into_values() {
            match new {
                Some((avatar_url, identities, lesser)) => {
                    batch.new_contacts.push(NewContact { contact, avatar_url, identities, lesser, activity });
                }
                None => batch.active.push(Active { contact: contact.id, activity }),
            }
        }
        // Rows are locked in one order everywhere, to avoid deadlocks.
        batch.active.sort_unstable_by_key(|active| active.contact);
        batch.conversations = self
            .conversations
            .into_values()
            .map(|conversation| ConversationChange {
                before_version: conversation.before_version,
                conversation: conversation.conversation,
                customer_wrote_at: conversation.wrote_at,
                waiting: conversation.waiting,
                first_stamp: conversation.first_stamp,
            })
            .collect();
        batch.conversations.sort_unstable_by_key(|conversation| conversation.conversation.id);
        batch.marks = self.marks.into_values().collect();
        batch.done = done;
        batch
    }
}

/// Keeps the later one by the network's clock; at equal times, the one that came later.
fn keep_latest<T>(kept: &mut Option<(T, OffsetDateTime)>, new: (T, OffsetDateTime)) {
    if kept.as_ref().is_none_or(|(_, at)| *at <= new.1) {
        *kept = Some(new);
    }
}

pub(super) fn conversation_of<'a>(
    known: &'a LookupResult,
    contact: &Contact,
    channel: ChannelId,
) -> Option<&'a Conversation> {
    let person: &KnownPerson = known.people.iter().find(|person| person.contact.id == contact.id)?;
    person.conversations.iter().find(|conversation| conversation.channel == channel)
}

#[cfg(test)]
mod tests;
