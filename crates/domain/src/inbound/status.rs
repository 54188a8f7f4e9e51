//! Applying statuses to the messages they are about.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use time::OffsetDateTime;

use super::{StatusUpdate, ports::SentMessages};
use crate::{
    broadcasts::{HeedRefusals, RefusedMessage},
    clock::stamp_after,
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::{ConversationId, JournalId, MessageId, WorkspaceId},
    messages::{Announcement, DeliveryStatus, NetworkError, NetworkMessageId, Progress},
    sending::{LedgerEntry, Recorder, SendState},
    webhooks::{Customer, Event},
};

/// A lost race is decided again so often.
const TRIES: usize = 8;

/// A status names its message by these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageNames {
    /// It is the send, where its tag came back.
    pub tag: Option<MessageId>,
    pub network_id: NetworkMessageId,
}

/// It is a send, and the person it went to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    pub entry: LedgerEntry,
    /// It is `None` for what is kept nowhere.
    pub customer: Option<Customer>,
    /// It is the time that the latest event about it, or about its conversation, was given.
    pub stamped_at: Option<OffsetDateTime>,
}

/// It is a status out of the journal.
#[derive(Debug, Clone, Copy)]
pub struct JournaledStatus<'a> {
    /// It leaves the journal with the status; `None` when that has to stay.
    pub id: Option<JournalId>,
    pub status: &'a StatusUpdate,
}

/// It is what statuses change about one message.
#[derive(Debug, Clone)]
pub struct StatusChange {
    pub id: MessageId,
    /// The message was there when this was decided: it is the guard.
    pub before: Progress,
    /// The message is there now.
    pub after: Progress,
    /// It says why it failed; `None` for what is kept nowhere.
    pub kept_error: Option<String>,
    /// It is the network's code for the failure, which is kept of everything.
    pub error_code: Option<i64>,
    /// These are announced, in order.
    pub events: Vec<Event>,
}

impl SentMessage {
    /// Returns the conversation that it was sent in; `None` for what is kept nowhere.
    pub const fn conversation(&self) -> Option<ConversationId> {
        match &self.entry.state {
            SendState::Sent(result) => result.conversation,
            SendState::InFlight | SendState::Refused => None,
        }
    }
}

impl StatusChange {
    /// Returns the time that the last of its events was given; `None` where nothing is announced.
    pub fn stamped_at(&self) -> Option<OffsetDateTime> {
        self.events.last().map(|event| event.created_at)
    }
}

/// It says what became of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It is taken in, or there was nothing to take in, and it has left the journal.
    Done,
    /// It may be about a send whose answer is still being written down, and stays in the journal.
    Early,
    /// It is about no message of ours, and has left the journal.
    Foreign,
}

/// It applies statuses.
pub struct ApplyStatuses {
    pub messages: Arc<dyn SentMessages>,
    pub recorder: Arc<Recorder>,
    /// Heeds what was refused after it was taken.
    pub refusals: HeedRefusals,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl ApplyStatuses {
    /// Takes in statuses of one workspace, in their order: all of them, or none. Answers for each what became of
    /// it. A send that is still in flight is settled first: any status proves that the network took it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        statuses: &[JournaledStatus<'_>],
    ) -> Result<Vec<Applied>, StoreError> {
        retry_stale(TRIES, || self.try_once(workspace, statuses)).await
    }

    async fn try_once(
        &self,
        workspace: WorkspaceId,
        statuses: &[JournaledStatus<'_>],
    ) -> Result<Vec<Applied>, StoreError> {
        let names: Vec<MessageNames> = statuses.iter().map(|journaled| journaled.status.names()).collect();
        let mut found = self.messages.find(workspace, &names).await?;
        if self.settle(&names, &found).await? {
            found = self.messages.find(workspace, &names).await?;
        }
        let decided = decide(statuses, &names, &found, || self.deps.clock.now());
        // Before they leave the journal: what is heeded twice is heeded once.
        self.refusals.run(workspace, &decided.refused).await?;
        if !(decided.taken_in.is_empty() && decided.changes.is_empty()) {
            self.messages.commit(workspace, &decided.changes, &decided.taken_in).await?;
        }
        if decided.changes.iter().any(|change| !change.events.is_empty()) {
            self.deps.signals.deliveries_due(workspace);
        }
        Ok(decided.applied)
    }

    /// Settles what is in flight, and says whether anything was.
    async fn settle(
        &self,
        names: &[MessageNames],
        found: &[Option<SentMessage>],
    ) -> Result<bool, StoreError> {
        let mut settled = HashSet::new();
        for (names, found) in names.iter().zip(found) {
            let Some(SentMessage { entry, .. }) = found else { continue };
            if entry.state == SendState::InFlight && settled.insert(entry.intent.id) {
                self.recorder.run(&entry.intent, &names.network_id).await?;
            }
        }
        Ok(!settled.is_empty())
    }
}

impl StatusUpdate {
    fn names(&self) -> MessageNames {
        let tag = self.tag.as_deref().and_then(|tag| tag.parse::<MessageId>().ok());
        MessageNames { tag, network_id: self.network_id.clone() }
    }
}

/// It is what statuses come to.
#[derive(Default)]
struct StatusDecisions {
    applied: Vec<Applied>,
    /// There is one for each message, in the order in which they were first spoken of.
    changes: Vec<StatusChange>,
    /// These leave the journal.
    taken_in: Vec<JournalId>,
    /// It says which of the changes is each message's.
    changing: HashMap<MessageId, usize>,
    /// The latest events about conversations were given these times here.
    stamps: HashMap<ConversationId, OffsetDateTime>,
    /// Those that the network refused after it had taken them.
    refused: Vec<RefusedMessage>,
}

/// Several statuses of one message become one change, in their order, with an event for each move forward.
fn decide(
    statuses: &[JournaledStatus<'_>],
    names: &[MessageNames],
    found: &[Option<SentMessage>],
    now: impl Fn() -> OffsetDateTime,
) -> StatusDecisions {
    let mut decided = StatusDecisions::default();
    for ((journaled, names), found) in statuses.iter().zip(names).zip(found) {
        let applied = match found {
            Some(sent) => {
                decided.apply(sent, journaled.status, &now);
                // Settling came before: what is in flight all the same was taken back meanwhile.
                if sent.entry.state == SendState::InFlight { Applied::Foreign } else { Applied::Done }
            }
            None if names.tag.is_some() => Applied::Foreign,
            None => Applied::Early,
        };
        if applied != Applied::Early {
            decided.taken_in.extend(journaled.id);
        }
        decided.applied.push(applied);
    }
    decided
}

impl StatusDecisions {
    fn apply(&mut self, sent: &SentMessage, status: &StatusUpdate, now: impl Fn() -> OffsetDateTime) {
        if !matches!(sent.entry.state, SendState::Sent(_)) {
            return;
        }
        let (id, before) = (sent.entry.intent.id, sent.entry.progress);
        let place = self.changing.get(&id).copied();
        let so_far = place.and_then(|place| self.changes.get(place)).map_or(before, |change| change.after);
        let (after, announcement) = so_far.advance(status.status, status.at);
        if announcement == Announcement::Nothing {
            return;
        }
        let place = *self.changing.entry(id).or_insert_with(|| {
            let (kept_error, error_code, events) = (None, None, Vec::new());
            self.changes.push(StatusChange { id, before, after, kept_error, error_code, events });
            self.changes.len() - 1
        });
        let Some(change) = self.changes.get_mut(place) else { return };
        change.after = after;
        if let Some(error) = &status.error {
            change.error_code = error.code;
            self.refused.extend(error.code.map(|code| RefusedMessage {
                message: id,
                broadcast:
                    sent.entry.intent.reference.as_deref().and_then(|reference| reference.parse().ok()),
                phone: sent.customer.as_ref().and_then(|customer| customer.phone.clone()),
                code,
                at: status.at,
            }));
        }
        if status.status == DeliveryStatus::Failed && sent.customer.is_some() {
            let error = status.error.clone().unwrap_or_else(|| NetworkError::unsaid(None));
            change.kept_error = Some(error.message);
        }
        if announcement == Announcement::Announced {
            let of_conversation =
                sent.conversation().and_then(|conversation| self.stamps.get(&conversation).copied());
            let stamp = stamp_after(sent.stamped_at.max(change.stamped_at()).max(of_conversation), now());
            self.stamps.extend(sent.conversation().map(|conversation| (conversation, stamp)));
            change.events.push(Event::message_status(sent, status, &status.network_id, stamp));
        }
    }
}
