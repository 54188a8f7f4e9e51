//! Handling of one workspace's journal.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use time::OffsetDateTime;

use super::{
    HeldUpdate, JournalEntry, JournalItem, LEASE, SetAside, Settlement, StatusUpdate, UpdateOutcome,
    named::OpenNamed,
    order::HeldUp,
    ports::{Inbox, Journal},
    status::{Applied, ApplyStatuses, JournaledStatus},
};
use crate::{
    channels::{AccountStanding, ConnectError, ports::AccountStandings},
    clock::Clock,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    templates::{SyncAccount, SyncReport},
};

/// Largest batch handled in one round.
pub const BATCH: usize = 100;
/// Largest number of updates claimed at once.
pub const TAKEN_UP: usize = 1_000;
/// Attempts in its position before an update is put back and what follows it goes first; with the pauses
/// between them, about half a minute.
const TRIES_IN_PLACE: u32 = 6;
/// Longest pause between two attempts in position.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// Time for which an update that waits for a send keeps its position: the echo of a send whose answer was
/// lost settles it within two minutes.
const IN_PLACE: Duration = Duration::from_mins(3);
/// Time for which a status waits for the send it is about.
const PATIENCE: Duration = Duration::from_mins(15);
/// Longest gap between two attempts at an update that has lost its position.
const LONGEST_GAP: Duration = Duration::from_mins(5);
/// Attempts at an update before it is quarantined; with the gaps between them, about a day.
const ATTEMPTS: u32 = 300;
/// Reason recorded when an update exceeds [`ATTEMPTS`] without an outcome.
const ENDLESS: &str = "its handling never came to an end";

/// An update that could not be handled now.
#[derive(Debug, thiserror::Error)]
#[error("update {id} not handled: {reason}")]
pub struct Unhandled {
    pub id: JournalId,
    pub reason: String,
    /// Whether its attempts are used up and it was moved to the quarantine.
    pub set_aside: bool,
}

/// Updates claimed from the journal.
#[derive(Debug, Default)]
pub struct TakenUp {
    /// Updates to handle, oldest first.
    pub held: Vec<HeldUpdate>,
    /// Updates that cannot be opened or were claimed too often without an outcome, for the log.
    pub unhandled: Vec<Unhandled>,
    /// Error while settling such updates: they are missing from `unhandled`, and this process holds them
    /// until it lets go of the workspace.
    pub failed: Option<StoreError>,
    pub more: bool,
    /// Whether another process holds this workspace's journal.
    pub elsewhere: bool,
}

/// Result of handling some updates.
#[derive(Debug, Default)]
pub struct Round {
    /// Updates that failed, for the log.
    pub unhandled: Vec<Unhandled>,
    /// Updates that keep their positions, to be handled again after [`HeldUpdate::pause`]. What shares an
    /// order key with one of them waits.
    pub again: Vec<HeldUpdate>,
    /// Error of the store, for the log.
    pub failed: Option<String>,
    /// Reports of template syncs, for the log.
    pub readings: Vec<SyncReport>,
    /// Accounts with a new standing, by network id, for the log.
    pub standings: Vec<(String, AccountStanding)>,
}

/// Handler of journaled updates.
pub struct HandleUpdates {
    pub journal: Arc<dyn Journal>,
    pub statuses: ApplyStatuses,
    /// Recorder of conversation updates; without it they stay in the journal.
    pub inbox: Option<Arc<dyn Inbox>>,
    pub named: OpenNamed,
    pub sync: Arc<SyncAccount>,
    pub standings: Arc<dyn AccountStandings>,
    pub clock: Arc<dyn Clock>,
}

/// A failed update, and the number of times it was claimed.
type Failure = (SetAside, u32);

impl HeldUpdate {
    /// Returns the pause before it is tried again in its position.
    pub fn pause(&self) -> Duration {
        Duration::from_secs(1 << self.failures.saturating_sub(1).min(4)).min(LONGEST_PAUSE)
    }

    /// Returns whether it may be tried once more before it loses its position.
    const fn keeps_its_place(&self) -> bool {
        self.has_a_place() && self.failures + 1 < TRIES_IN_PLACE
    }

    /// Returns the same for an update that waits although nothing is wrong with it.
    fn waits_in_its_place(&self, now: OffsetDateTime) -> bool {
        self.has_a_place() && now - self.entry.received_at < IN_PLACE
    }

    /// A change of templates has no position: its templates are synced again whenever that succeeds.
    const fn has_a_place(&self) -> bool {
        !self.late && !matches!(self.entry.item, JournalItem::TemplatesChanged { .. })
    }
}

impl HandleUpdates {
    /// Lists the workspaces with updates to claim.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.journal.workspaces_with_work(self.clock.now()).await
    }

    /// Claims updates of a workspace's journal, oldest first. Those that cannot be opened or were claimed too
    /// often are put back or quarantined.
    ///
    /// # Errors
    /// On an error of the store nothing is claimed.
    pub async fn take_up(&self, workspace: WorkspaceId) -> Result<TakenUp, StoreError> {
        let now = self.clock.now();
        let until = now + LEASE;
        let limit = u32::try_from(TAKEN_UP).unwrap_or(u32::MAX);
        let claimed = self.journal.claim(workspace, now, until, limit).await?;
        let (more, elsewhere) =
            (claimed.entries.len() + claimed.unreadable.len() >= TAKEN_UP, claimed.elsewhere);
        let unreadable = claimed.unreadable.into_iter();
        let mut failed: Vec<Failure> = unreadable
            .map(|entry| (SetAside { id: entry.id, network: None, reason: entry.reason }, entry.attempts))
            .collect();
        let (endless, held): (Vec<_>, Vec<_>) =
            claimed.entries.into_iter().partition(|held| held.entry.attempts > ATTEMPTS);
        failed.extend(endless.iter().map(|held| held.entry.failed(ENDLESS)));
        let (unhandled, failed) = match self.put_back_all(workspace, failed).await {
            Ok(unhandled) => (unhandled, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        Ok(TakenUp { held, unhandled, failed, more, elsewhere })
    }

    /// Leaves the workspace to whichever process asks next; none of its updates may be in work here.
    ///
    /// # Errors
    /// On an error of the store the workspace stays with this process.
    pub async fn let_go(&self, workspace: WorkspaceId) -> Result<(), StoreError> {
        self.journal.let_go(workspace).await
    }

    /// Puts back an update whose handling was cut off, or quarantines it if its attempts are used up.
    ///
    /// # Errors
    /// On an error of the store this process holds the update until it lets go of the workspace.
    pub async fn put_back(
        &self,
        workspace: WorkspaceId,
        held: &HeldUpdate,
        reason: &str,
    ) -> Result<Vec<Unhandled>, StoreError> {
        self.put_back_all(workspace, vec![held.entry.failed(reason)]).await
    }

    /// Handles claimed updates of one workspace, all of one kind together. An update that fails affects only
    /// those that follow it, which wait. Updates that this process no longer holds are left alone.
    pub async fn run(&self, workspace: WorkspaceId, held: Vec<HeldUpdate>) -> Round {
        let mut round = Round::default();
        let mut held = match self.still_held(workspace, &held).await {
            Ok(None) => held,
            Ok(Some(still)) => held.into_iter().filter(|held| still.contains(&held.entry.id)).collect(),
            Err(error) => return Round { again: held, failed: Some(error.to_string()), ..round },
        };
        held.sort_unstable_by_key(|held| held.place);
        let (mut statuses, mut conversation_updates, mut standings) = (Vec::new(), Vec::new(), Vec::new());
        let mut accounts: BTreeMap<String, Vec<JournalId>> = BTreeMap::new();
        let mut outcomes: HashMap<JournalId, UpdateOutcome> = HashMap::with_capacity(held.len());
        for held in &held {
            match &held.entry.item {
                JournalItem::Status(_) => statuses.push(held.entry.clone()),
                JournalItem::Conversation { .. } => conversation_updates.push(held.entry.clone()),
                JournalItem::Named { channel, named } => {
                    match self.named.run(&held.entry, *channel, named).await {
                        Ok(entry) => conversation_updates.push(entry),
                        Err(outcome) => drop(outcomes.insert(held.entry.id, outcome)),
                    }
                }
                JournalItem::AccountStanding { account_network_id, standing } => {
                    standings.push((held.entry.id, account_network_id, standing));
                }
                JournalItem::TemplatesChanged { account_network_id } => {
                    accounts.entry(account_network_id.clone()).or_default().push(held.entry.id);
                }
            }
        }
        if !statuses.is_empty() {
            let applied = self.apply(workspace, &statuses).await;
            outcomes.extend(statuses.iter().map(|entry| entry.id).zip(applied));
        }
        if !conversation_updates.is_empty() {
            let recorded = self.write_down(workspace, &conversation_updates).await;
            outcomes.extend(conversation_updates.iter().map(|entry| entry.id).zip(recorded));
        }
        for (id, account, standing) in standings {
            outcomes.insert(id, self.stands(workspace, account, standing, &mut round.standings).await);
        }
        for (account, ids) in accounts {
            let outcome = self.read_again(workspace, &account, &mut round.readings).await;
            outcomes.extend(ids.into_iter().map(|id| (id, outcome.clone())));
        }
        self.conclude(workspace, held, outcomes, round).await
    }

    /// Returns which of these updates this process still holds; `None` if that is in no doubt. After a
    /// failure it is: a commit whose answer was lost may have removed them from the journal.
    async fn still_held(
        &self,
        workspace: WorkspaceId,
        held: &[HeldUpdate],
    ) -> Result<Option<HashSet<JournalId>>, StoreError> {
        if held.iter().all(|held| held.failures == 0) {
            return Ok(None);
        }
        let ids: Vec<JournalId> = held.iter().map(|held| held.entry.id).collect();
        self.journal.in_hand(workspace, &ids).await.map(Some)
    }

    /// Sorts the updates by outcome into those that keep their positions and those that are done, put back or
    /// quarantined.
    async fn conclude(
        &self,
        workspace: WorkspaceId,
        held: Vec<HeldUpdate>,
        mut outcomes: HashMap<JournalId, UpdateOutcome>,
        mut round: Round,
    ) -> Round {
        let now = self.clock.now();
        let (mut settlement, mut leaving) = (Settlement::default(), Vec::new());
        for mut held in held {
            let (id, attempts) = (held.entry.id, held.entry.attempts);
            let keeps = held.keeps_its_place();
            let stays = match outcomes.remove(&id).unwrap_or(UpdateOutcome::Follows) {
                UpdateOutcome::Finished => continue,
                UpdateOutcome::Handled => {
                    settlement.handled.push(id);
                    false
                }
                UpdateOutcome::Waits => {
                    settlement.postponed.push((id, now + gap(attempts)));
                    false
                }
                UpdateOutcome::Follows => true,
                UpdateOutcome::Unreached(reason) => {
                    held.failures = held.failures.max(1);
                    round.failed = Some(reason);
                    true
                }
                UpdateOutcome::HoldsUp => {
                    held.failures += 1;
                    let waits = held.waits_in_its_place(now);
                    if !waits {
                        settlement.postponed.push((id, now + gap(attempts)));
                    }
                    waits
                }
                UpdateOutcome::Lost(reason) => {
                    settlement.set_aside.push(held.entry.failed(&reason).0);
                    round.unhandled.push(Unhandled { id, reason, set_aside: true });
                    false
                }
                UpdateOutcome::Failed(reason) => {
                    held.failures += 1;
                    let set_aside = attempts >= ATTEMPTS;
                    if set_aside {
                        settlement.set_aside.push(held.entry.failed(&reason).0);
                    } else if !keeps {
                        settlement.postponed.push((id, now + gap(attempts)));
                    }
                    round.unhandled.push(Unhandled { id, reason, set_aside });
                    keeps && !set_aside
                }
            };
            if stays { round.again.push(held) } else { leaving.push(held) }
        }
        if settlement != Settlement::default()
            && let Err(error) = self.journal.settle(workspace, &settlement).await
        {
            round.failed = Some(error.to_string());
            round.again.extend(
                leaving.into_iter().map(|held| HeldUpdate { failures: held.failures.max(1), ..held }),
            );
        }
        round
    }

    /// Puts updates back, or quarantines those whose attempts are used up.
    async fn put_back_all(
        &self,
        workspace: WorkspaceId,
        failed: Vec<Failure>,
    ) -> Result<Vec<Unhandled>, StoreError> {
        let now = self.clock.now();
        let (mut settlement, mut unhandled) = (Settlement::default(), Vec::new());
        for (failed, attempts) in failed {
            let set_aside = attempts >= ATTEMPTS;
            unhandled.push(Unhandled { id: failed.id, reason: failed.reason.clone(), set_aside });
            if set_aside {
                settlement.set_aside.push(failed);
            } else {
                settlement.postponed.push((failed.id, now + gap(attempts)));
            }
        }
        if !unhandled.is_empty() {
            self.journal.settle(workspace, &settlement).await?;
        }
        Ok(unhandled)
    }

    /// Applies all statuses together; if that fails, each alone, so that one that cannot be applied stops
    /// only those of its message that follow it.
    async fn apply(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<UpdateOutcome> {
        let statuses: Vec<JournaledStatus<'_>> = entries.iter().filter_map(journaled).collect();
        match self.statuses.run(workspace, &statuses).await {
            Ok(applied) => {
                entries.iter().zip(applied).map(|(entry, applied)| self.outcome(entry, applied)).collect()
            }
            Err(error @ StoreError::Unavailable(_)) => vec![UpdateOutcome::of(&error); entries.len()],
            Err(_) => {
                let mut held_up = HeldUp::default();
                let mut alone = Vec::with_capacity(entries.len());
                for (entry, status) in entries.iter().zip(statuses) {
                    if held_up.holds(entry) {
                        alone.push(UpdateOutcome::Follows);
                        continue;
                    }
                    let applied = self.statuses.run(workspace, &[status]).await;
                    let outcome = match applied.map(|applied| applied.into_iter().next()) {
                        Ok(Some(applied)) => self.outcome(entry, applied),
                        Ok(None) => UpdateOutcome::Failed("no answer came of it".to_owned()),
                        Err(error) => UpdateOutcome::of(&error),
                    };
                    held_up.note(entry, &outcome);
                    alone.push(outcome);
                }
                alone
            }
        }
    }

    fn outcome(&self, entry: &JournalEntry, applied: Applied) -> UpdateOutcome {
        match applied {
            Applied::Early if self.clock.now() - entry.received_at < PATIENCE => UpdateOutcome::HoldsUp,
            Applied::Early => UpdateOutcome::Handled,
            Applied::Done | Applied::Foreign => UpdateOutcome::Finished,
        }
    }

    async fn write_down(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<UpdateOutcome> {
        match &self.inbox {
            Some(inbox) => inbox.record(workspace, entries).await,
            None => vec![UpdateOutcome::Waits; entries.len()],
        }
    }

    async fn stands(
        &self,
        workspace: WorkspaceId,
        account_network_id: &str,
        standing: &AccountStanding,
        changed: &mut Vec<(String, AccountStanding)>,
    ) -> UpdateOutcome {
        match self.standings.set_standing(workspace, account_network_id, standing).await {
            Ok(true) => changed.push((account_network_id.to_owned(), standing.clone())),
            Ok(false) => {}
            Err(error) => return UpdateOutcome::of(&error),
        }
        UpdateOutcome::Handled
    }

    async fn read_again(
        &self,
        workspace: WorkspaceId,
        account_network_id: &str,
        readings: &mut Vec<SyncReport>,
    ) -> UpdateOutcome {
        match self.sync.run_for(workspace, account_network_id).await {
            Err(error @ (ConnectError::Network(_) | ConnectError::Store(_))) => {
                UpdateOutcome::Failed(error.to_string())
            }
            Ok(report) => {
                readings.extend(report);
                UpdateOutcome::Handled
            }
            Err(
                ConnectError::NetworkId
                | ConnectError::Token
                | ConnectError::UnknownWorkspace
                | ConnectError::Offer
                | ConnectError::NothingChosen
                | ConnectError::NotOpened
                | ConnectError::Elsewhere,
            ) => UpdateOutcome::Handled,
        }
    }
}

/// Returns the gap before the next attempt at an update that has lost its position.
fn gap(attempts: u32) -> Duration {
    Duration::from_secs(1 << attempts.min(16)).min(LONGEST_GAP)
}

impl JournalEntry {
    fn failed(&self, reason: &str) -> Failure {
        let network = Some(self.item.network());
        (SetAside { id: self.id, network, reason: reason.to_owned() }, self.attempts)
    }
}

fn journaled(entry: &JournalEntry) -> Option<JournaledStatus<'_>> {
    let status: &StatusUpdate = match &entry.item {
        JournalItem::Status(status) => status,
        JournalItem::TemplatesChanged { .. }
        | JournalItem::AccountStanding { .. }
        | JournalItem::Conversation { .. }
        | JournalItem::Named { .. } => return None,
    };
    Some(JournaledStatus { id: Some(entry.id), status })
}
