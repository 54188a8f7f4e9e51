//! Working off the journal of one workspace.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use time::OffsetDateTime;

use super::{
    Applied, ApplyStatuses, HeldUpdate, JournalEntry, JournalItem, JournaledStatus, LEASE, OpenNamed,
    SetAside, Settlement, StatusUpdate, UpdateOutcome,
    order::HeldUp,
    ports::{Inbox, Journal},
};
use crate::{
    channels::{AccountStanding, ConnectError, ports::AccountStandings},
    clock::Clock,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    templates::{SyncAccount, SyncReport},
};

/// So many updates are handled at once.
pub const BATCH: usize = 100;
/// At most so many updates are taken up at once.
pub const TAKEN_UP: usize = 1_000;
/// It says how often an update is tried before it loses its place, and what follows it goes first: with the
/// pauses between them, for about half a minute.
const TRIES_IN_PLACE: u32 = 6;
/// The longest pause between two tries in place is so long.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// It says how long what waits for a send keeps its place: the echo of one whose answer was lost settles it
/// within two minutes.
const IN_PLACE: Duration = Duration::from_mins(3);
/// A status may wait so long for the send it is about.
const PATIENCE: Duration = Duration::from_mins(15);
/// The longest gap between two attempts at one update is so long.
const LONGEST_GAP: Duration = Duration::from_mins(5);
/// It says how often an update is tried before it is set aside: with the gaps between them, for about a day.
const ATTEMPTS: u32 = 300;
/// It says why an update is set aside that was taken up that often, and nobody could say anymore what became
/// of it.
const ENDLESS: &str = "its handling never came to an end";

/// An update could not be handled now.
#[derive(Debug, thiserror::Error)]
#[error("update {id} not handled: {reason}")]
pub struct Unhandled {
    pub id: JournalId,
    pub reason: String,
    /// It says whether it has been tried often enough, and is in the quarantine now instead of the journal.
    pub set_aside: bool,
}

/// It was taken up out of the journal.
#[derive(Debug, Default)]
pub struct TakenUp {
    /// They are to be handled, the oldest first.
    pub held: Vec<HeldUpdate>,
    /// They cannot be read, or were taken up too often without coming to an end, for the log.
    pub unhandled: Vec<Unhandled>,
    /// It says why it could not be written down what became of those; this process holds them until it lets
    /// go of the workspace.
    pub failed: Option<StoreError>,
    /// It says whether there may be more.
    pub more: bool,
    /// It says whether another process works off this workspace's journal.
    pub elsewhere: bool,
}

/// It says what handling some updates came to.
#[derive(Debug, Default)]
pub struct Round {
    /// They failed, each with its reason, for the log.
    pub unhandled: Vec<Unhandled>,
    /// They are those that keep their places, to be handled again after [`HeldUpdate::pause`]. What shares a
    /// key with one of them waits.
    pub again: Vec<HeldUpdate>,
    /// The store could not be asked or told something for this reason, for the log.
    pub failed: Option<String>,
    /// Readings of templates found this, for the log.
    pub readings: Vec<SyncReport>,
    /// They are accounts that stand otherwise now, by their ids at the network, for the log.
    pub standings: Vec<(String, AccountStanding)>,
}

/// It handles journaled updates.
pub struct HandleUpdates {
    pub journal: Arc<dyn Journal>,
    pub statuses: ApplyStatuses,
    /// It records what happens in conversations; without it that stays in the journal.
    pub inbox: Option<Arc<dyn Inbox>>,
    /// It asks for what is told of by its name alone.
    pub named: OpenNamed,
    pub sync: Arc<SyncAccount>,
    pub standings: Arc<dyn AccountStandings>,
    pub clock: Arc<dyn Clock>,
}

/// It is an update that failed, and how often it has been taken up.
type Failure = (SetAside, u32);

impl HeldUpdate {
    /// Returns how long to wait before it is tried again in its place.
    pub fn pause(&self) -> Duration {
        Duration::from_secs(1 << self.failures.saturating_sub(1).min(4)).min(LONGEST_PAUSE)
    }

    /// Says whether it may be tried once more before it loses its place. Templates are read again whenever
    /// that succeeds.
    const fn keeps_its_place(&self) -> bool {
        self.has_a_place() && self.failures + 1 < TRIES_IN_PLACE
    }

    /// Says the same for what waits, and nothing is wrong with it.
    fn waits_in_its_place(&self, now: OffsetDateTime) -> bool {
        self.has_a_place() && now - self.entry.received_at < IN_PLACE
    }

    const fn has_a_place(&self) -> bool {
        !self.late && !matches!(self.entry.item, JournalItem::TemplatesChanged { .. })
    }
}

impl HandleUpdates {
    /// Lists the workspaces with work.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.journal.workspaces_with_work(self.clock.now()).await
    }

    /// Takes up what the journal has of one workspace, oldest first. What cannot be read is put back.
    ///
    /// # Errors
    /// Those of the store; then nothing is taken up.
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

    /// Leaves the workspace to whoever asks next. This process must have nothing of it in hand.
    ///
    /// # Errors
    /// Those of the store; then it stays with this process.
    pub async fn let_go(&self, workspace: WorkspaceId) -> Result<(), StoreError> {
        self.journal.let_go(workspace).await
    }

    /// Puts an update back whose handling broke off, or sets it aside when that has happened often enough.
    ///
    /// # Errors
    /// Those of the store; then this process holds it until it lets go of the workspace.
    pub async fn put_back(
        &self,
        workspace: WorkspaceId,
        held: &HeldUpdate,
        reason: &str,
    ) -> Result<Vec<Unhandled>, StoreError> {
        self.put_back_all(workspace, vec![held.entry.failed(reason)]).await
    }

    /// Handles what this process has taken up of one workspace, all of one kind together. One bad update harms no
    /// other, but for those that follow it, which wait. What this process does not hold any more is left alone.
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

    /// Returns what of these this process still holds, where that is in doubt: a commit whose answer was lost
    /// may have taken them out of the journal.
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

    /// Tells those that keep their places from those that are done with, or put back.
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

    /// Puts these back, or sets those aside that have been tried often enough.
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

    /// Applies all statuses together; if that fails, each alone, so that one that cannot be applied stops no
    /// other, but for those of its message that follow it.
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

/// Says how long an update that has lost its place waits for its next try.
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
