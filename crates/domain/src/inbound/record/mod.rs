//! Recording of conversation updates: who wrote what, and what became of it.
//!
//! `lookup` holds what is loaded before, `echo` tells what an echo is about, `people` who somebody is,
//! `builder` decides about a batch, `batch` holds what is committed. This file loads, decides and commits.

mod acknowledged;
mod batch;
mod builder;
mod echo;
mod in_flight;
mod lookup;
mod people;

pub use batch::{Active, Activity, ConversationChange, InboxBatch, Mark, NewContact, NewMessage};
pub use in_flight::SendInFlight;
pub use lookup::{KnownMessage, KnownPerson, LookupKeys, LookupResult};
pub use people::ContactMerge;

use std::sync::Arc;

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};

use self::{
    builder::{BatchOutcome, Entry, conversation_of, decide},
    lookup::ByIdentity,
};
use super::{
    JournalEntry, StatusUpdate, UpdateOutcome,
    conversation::{ConversationUpdate, SeenUpTo, UpdateKind},
    order::HeldUp,
    ports::{Inbox, InboxStore},
    status::{ApplyStatuses, JournaledStatus},
};
use crate::{
    broadcasts::{MarketingStop, StopSource, is_start_word, is_stop_word, ports::MarketingStopStore},
    channels::{UnreadCount, ports::UnreadUpdates},
    contacts::{Contact, ContactSignal, Identity},
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::WorkspaceId,
    messages::DeliveryStatus,
    phone::PhoneNumber,
};
use acknowledged::Acknowledged;

/// Attempts at a decision while it loses races, the first included.
const TRIES: usize = 8;
/// Time for which a signal waits for its person's first message.
const FIRST_WORDS: Duration = Duration::minutes(1);
/// Time after its beginning for which the answer to a send may still be on its way.
const UNDER_WAY: Duration = Duration::minutes(1);
/// Time after its beginning for which a send may still be settled, as by its echo; a status of everything up
/// to it waits that long.
const UNSETTLED: Duration = Duration::minutes(3);

/// Recorder of conversation updates.
pub struct RecordUpdates {
    pub store: Arc<dyn InboxStore>,
    pub statuses: ApplyStatuses,
    pub stops: Arc<dyn MarketingStopStore>,
    /// Counter of updates about messages that never came.
    pub unread: Arc<dyn UnreadUpdates>,
    pub deps: Deps,
}

#[async_trait]
impl Inbox for RecordUpdates {
    async fn record(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<UpdateOutcome> {
        match self.record_together(workspace, entries).await {
            Ok(outcomes) => outcomes,
            Err(error @ StoreError::Unavailable(_)) => vec![UpdateOutcome::of(&error); entries.len()],
            Err(_) => {
                let mut held_up = HeldUp::default();
                let mut alone = Vec::with_capacity(entries.len());
                for entry in entries {
                    if held_up.holds(entry) {
                        alone.push(UpdateOutcome::Follows);
                        continue;
                    }
                    let outcome = match self.record_together(workspace, std::slice::from_ref(entry)).await {
                        Ok(outcomes) => outcomes.into_iter().next().unwrap_or(UpdateOutcome::Follows),
                        Err(error) => UpdateOutcome::of(&error),
                    };
                    held_up.note(entry, &outcome);
                    alone.push(outcome);
                }
                alone
            }
        }
    }
}

/// Returns who says that a person wants no marketing (`true`) or wants it again (`false`); `None` for updates
/// about something else.
fn wish(what: &UpdateKind) -> Option<(StopSource, bool)> {
    match what {
        UpdateKind::Wrote(written) if is_stop_word(&written.content) => Some((StopSource::Customer, true)),
        UpdateKind::Wrote(written) if is_start_word(&written.content) => Some((StopSource::Customer, false)),
        UpdateKind::Signalled { signal: ContactSignal::Marketing { stopped } } => {
            Some((StopSource::Network, *stopped))
        }
        _ => None,
    }
}

impl RecordUpdates {
    /// Records the entries together. Echoes of our own sends are settled before that, one by one.
    async fn record_together(
        &self,
        workspace: WorkspaceId,
        journaled: &[JournalEntry],
    ) -> Result<Vec<UpdateOutcome>, StoreError> {
        let mut outcomes = Vec::with_capacity(journaled.len());
        let mut entries = Vec::with_capacity(journaled.len());
        for journal in journaled {
            outcomes.push(match Entry::of(journal) {
                Some(entry) => match self.acknowledge(workspace, entry).await? {
                    Acknowledged::Done(outcome) => outcome,
                    Acknowledged::Open { may_be_ours } => {
                        entries.push((outcomes.len(), Entry { may_be_ours, ..entry }));
                        UpdateOutcome::Handled
                    }
                },
                None => UpdateOutcome::Failed("this is no update of a conversation".to_owned()),
            });
        }
        let places: Vec<usize> = entries.iter().map(|(place, _)| *place).collect();
        let entries: Vec<Entry<'_>> = entries.into_iter().map(|(_, entry)| entry).collect();
        if entries.is_empty() {
            return Ok(outcomes);
        }
        // Before it is recorded: after a crash in between, the update is handled again.
        for entry in &entries {
            self.hear(workspace, entry.update).await?;
        }
        let decided = self.settle(workspace, &entries).await?;
        for (place, outcome) in places.into_iter().zip(decided) {
            if let Some(slot) = outcomes.get_mut(place) {
                *slot = outcome;
            }
        }
        Ok(outcomes)
    }

    /// Records that a person wants no marketing, or wants it again. Only phone numbers get any.
    async fn hear(&self, workspace: WorkspaceId, update: &ConversationUpdate) -> Result<(), StoreError> {
        let Some((source, stopped)) = wish(&update.what) else { return Ok(()) };
        for identity in &update.person.identities {
            if let Identity::Phone(phone) = identity {
                self.wished(workspace, phone, source, stopped, update.at).await?;
            }
        }
        Ok(())
    }

    /// Stores the wish with the network's time, so that an older one that comes late changes nothing.
    async fn wished(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        source: StopSource,
        stopped: bool,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        if stopped {
            self.stops.stop(workspace, phone, MarketingStop { source, at }, None).await
        } else {
            self.stops.resume(workspace, phone, at, None).await
        }
    }

    /// Loads, decides and commits, again after each lost race.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        entries: &[Entry<'_>],
    ) -> Result<Vec<UpdateOutcome>, StoreError> {
        let mut asked = LookupKeys::default();
        for entry in entries {
            asked.add(entry.channel, entry.update);
        }
        let people = people::presented(entries.iter().map(|entry| entry.update));
        let attempt = || self.try_once(workspace, entries, &people, &asked);
        let (known, mut outcomes) = retry_stale(TRIES, attempt).await?;
        self.count_lost(workspace, entries, &mut outcomes).await;
        self.seen(workspace, entries, &people, &known, outcomes).await
    }

    /// Counts updates about messages that never came; nothing of them is recorded.
    async fn count_lost(
        &self,
        workspace: WorkspaceId,
        entries: &[Entry<'_>],
        outcomes: &mut [UpdateOutcome],
    ) {
        let named = |(entry, outcome): (&Entry<'_>, _)| {
            let name = match entry.update.what {
                UpdateKind::Reacted { .. } => "reaction to an unknown message",
                UpdateKind::Deleted { .. } => "deletion of an unknown message",
                _ => return None,
            };
            Some((name, outcome))
        };
        let lost = entries.iter().zip(outcomes).filter_map(named);
        let mut lost: Vec<(&str, &mut UpdateOutcome)> =
            lost.filter(|(_, outcome)| **outcome == UpdateOutcome::Handled).collect();
        if lost.is_empty() {
            return;
        }
        let counts = UnreadCount::of(lost.iter().map(|(name, _)| *name));
        let counted = self.unread.count(workspace, &counts, self.deps.clock.now().date()).await;
        if let Err(error) = counted {
            for (_, outcome) in &mut lost {
                **outcome = UpdateOutcome::of(&error);
            }
        }
    }

    async fn try_once(
        &self,
        workspace: WorkspaceId,
        entries: &[Entry<'_>],
        people: &[people::BatchPerson],
        asked: &LookupKeys,
    ) -> Result<(LookupResult, Vec<UpdateOutcome>), StoreError> {
        let known = self.store.known(workspace, asked).await?;
        let by_identity = ByIdentity::of(&known.people);
        let met: Vec<ContactMerge> = people.iter().filter_map(|person| person.merge(&by_identity)).collect();
        for merge in &met {
            match self.store.merge_contacts(workspace, merge, self.deps.clock.now()).await {
                Ok(()) | Err(StoreError::Stale) => {}
                Err(error) => return Err(error),
            }
        }
        // Merged contacts have to be loaded again.
        if !met.is_empty() {
            return Err(StoreError::Stale);
        }
        let decided = decide(entries, people, &known, self.deps.clock.now(), &*self.deps.ids);
        self.commit(workspace, &decided).await?;
        Ok((known, decided.outcomes))
    }

    async fn commit(&self, workspace: WorkspaceId, decided: &BatchOutcome) -> Result<(), StoreError> {
        if decided.batch.done.is_empty() {
            return Ok(());
        }
        self.store.record(workspace, &decided.batch).await?;
        if !decided.batch.events.is_empty() {
            self.deps.signals.deliveries_due(workspace);
        }
        if decided.batch.messages.iter().any(|new| !new.media.is_empty()) {
            self.deps.signals.files_awaited(workspace);
        }
        Ok(())
    }

    /// Applies how far a person has read, as a status of each send that does not have it yet, and stores
    /// their signals.
    async fn seen(
        &self,
        workspace: WorkspaceId,
        entries: &[Entry<'_>],
        people: &[people::BatchPerson],
        known: &LookupResult,
        mut outcomes: Vec<UpdateOutcome>,
    ) -> Result<Vec<UpdateOutcome>, StoreError> {
        let by_identity = ByIdentity::of(&known.people);
        for person in people {
            let mut held_up = false;
            for place in &person.updates {
                let Some(entry) = entries.get(*place) else { continue };
                let contact = person.contact(&by_identity).map(|known| &known.contact);
                if let (UpdateKind::Signalled { signal }, Some(outcome)) =
                    (&entry.update.what, outcomes.get_mut(*place))
                {
                    *outcome = self.signalled(workspace, contact, *entry, signal).await?;
                }
                let UpdateKind::Seen { status, up_to } = &entry.update.what else { continue };
                let conversation = contact.and_then(|contact| conversation_of(known, contact, entry.channel));
                let (Some(conversation), Some(outcome)) = (conversation, outcomes.get_mut(*place)) else {
                    continue;
                };
                *outcome = if held_up {
                    UpdateOutcome::Follows
                } else {
                    self.seen_in(workspace, conversation.id, *entry, *status, up_to).await?
                };
                held_up |= *outcome == UpdateOutcome::HoldsUp;
            }
        }
        Ok(outcomes)
    }

    /// Stores a signal. Of an unknown person nothing is stored; they may be about to write for the first
    /// time.
    async fn signalled(
        &self,
        workspace: WorkspaceId,
        contact: Option<&Contact>,
        entry: Entry<'_>,
        signal: &ContactSignal,
    ) -> Result<UpdateOutcome, StoreError> {
        let Some(contact) = contact else {
            let waits = self.deps.clock.now() - entry.journal.received_at < FIRST_WORDS;
            return Ok(if waits { UpdateOutcome::Waits } else { UpdateOutcome::Handled });
        };
        let at = entry.update.at;
        // The network may name somebody by an id alone.
        let named = entry.update.person.identities.iter().any(|one| matches!(one, Identity::Phone(_)));
        if let (ContactSignal::Marketing { stopped }, Some(phone), false) = (signal, &contact.phone, named) {
            self.wished(workspace, phone, StopSource::Network, *stopped, at).await?;
        }
        match self.store.signalled(workspace, contact.id, entry.channel, signal, at).await {
            Ok(()) => Ok(UpdateOutcome::Handled),
            Err(StoreError::Stale) => Ok(UpdateOutcome::Waits),
            Err(error) => Err(error),
        }
    }

    async fn seen_in(
        &self,
        workspace: WorkspaceId,
        conversation: crate::ids::ConversationId,
        entry: Entry<'_>,
        status: DeliveryStatus,
        up_to: &SeenUpTo,
    ) -> Result<UpdateOutcome, StoreError> {
        let recently = self.deps.clock.now() - UNSETTLED;
        let behind = self.store.sends_behind(workspace, conversation, status, up_to, recently).await?;
        let statuses: Vec<StatusUpdate> = behind
            .sends
            .into_iter()
            .map(|names| StatusUpdate {
                network_id: names.network_id,
                tag: names.tag.map(|tag| tag.to_string()),
                status,
                at: entry.update.at,
                error: None,
            })
            .collect();
        // Sends that are recorded do not wait for the one under way.
        let leaves = (!behind.under_way).then_some(entry.journal.id);
        if !statuses.is_empty() {
            let journaled: Vec<JournaledStatus<'_>> =
                statuses.iter().map(|status| JournaledStatus { id: leaves, status }).collect();
            self.statuses.run(workspace, &journaled).await?;
        }
        Ok(match (behind.under_way, statuses.is_empty()) {
            (true, _) => UpdateOutcome::HoldsUp,
            (false, true) => UpdateOutcome::Handled,
            (false, false) => UpdateOutcome::Finished,
        })
    }
}
