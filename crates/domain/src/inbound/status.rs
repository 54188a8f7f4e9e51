//! Applying statuses to the messages they are about.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use time::OffsetDateTime;

use super::{
    StatusUpdate,
    ports::SentMessages,
    sent_message::{MessageNames, SentMessage, StatusChange},
};
use crate::{
    broadcasts::{HeedRefusals, RefusedMessage},
    clock::stamp_after,
    deps::Deps,
    errors::{StoreError, retry_stale},
    events::{Event, EventData, EventType},
    ids::{ConversationId, JournalId, MessageId, WorkspaceId},
    messages::{Announcement, DeliveryStatus, NetworkError, NetworkMessageId},
    sending::{Recorder, SendState},
};

/// Attempts at a decision while it loses races, the first included.
const TRIES: usize = 8;

/// A status out of the journal.
#[derive(Debug, Clone, Copy)]
pub struct JournaledStatus<'a> {
    /// Entry that leaves the journal with the status; `None` if it has to stay.
    pub id: Option<JournalId>,
    pub status: &'a StatusUpdate,
}

impl Event {
    /// Creates the event of a sent message's new status. `now`, when the service learned of it, is the
    /// event's time and keeps events in order; `occurred_at` is the network's own time, in whole seconds.
    pub fn message_status(
        sent: &SentMessage,
        update: &StatusUpdate,
        network_id: &NetworkMessageId,
        now: OffsetDateTime,
    ) -> Self {
        let failed = update.status == DeliveryStatus::Failed;
        Self {
            kind: match update.status {
                DeliveryStatus::Sent => EventType::MessageSent,
                DeliveryStatus::Delivered => EventType::MessageDelivered,
                DeliveryStatus::Read => EventType::MessageRead,
                DeliveryStatus::Failed => EventType::MessageFailed,
            },
            created_at: now,
            data: EventData::Status {
                conversation: sent.conversation(),
                message: sent.entry.intent.id,
                status: update.status,
                network_id: network_id.clone(),
                reference: sent.entry.intent.reference.clone(),
                template: sent.entry.intent.template.clone(),
                error: failed.then(|| update.error.clone().unwrap_or_else(|| NetworkError::unsaid(None))),
                occurred_at: update.at,
                customer: sent.customer.clone(),
            },
        }
    }
}

/// Outcome of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// Applied, or nothing to apply; it has left the journal.
    Done,
    /// Perhaps about a send whose answer is still being recorded; it stays in the journal.
    Early,
    /// About no message of ours; it has left the journal.
    Foreign,
}

/// Applier of statuses to sent messages.
pub struct ApplyStatuses {
    pub messages: Arc<dyn SentMessages>,
    pub recorder: Arc<Recorder>,
    pub refusals: HeedRefusals,
    pub deps: Deps,
}

impl ApplyStatuses {
    /// Applies statuses of one workspace in order, all of them or none, and returns the outcome of each. A
    /// send that is still in flight is settled first: any status proves that the network took it.
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
        // Before they leave the journal: heeding a refusal twice does no harm.
        self.refusals.run(workspace, &decided.refused).await?;
        if !(decided.taken_in.is_empty() && decided.changes.is_empty()) {
            self.messages.commit(workspace, &decided.changes, &decided.taken_in).await?;
        }
        if decided.changes.iter().any(|change| !change.events.is_empty()) {
            self.deps.signals.deliveries_due(workspace);
        }
        Ok(decided.applied)
    }

    /// Settles the sends that are in flight; returns whether there were any.
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

/// Decisions on several statuses.
#[derive(Default)]
struct StatusDecisions {
    applied: Vec<Applied>,
    /// One for each message, in the order of their first mention.
    changes: Vec<StatusChange>,
    /// Entries that leave the journal.
    taken_in: Vec<JournalId>,
    /// Index into `changes` by message.
    changing: HashMap<MessageId, usize>,
    /// Time stamps given here to the latest events about conversations.
    stamps: HashMap<ConversationId, OffsetDateTime>,
    /// Messages that the network refused after it had taken them.
    refused: Vec<RefusedMessage>,
}

/// Folds the statuses of each message into one change, in order, with an event for each move forward.
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
                // Settled before: a send that is in flight all the same was taken back meanwhile.
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
