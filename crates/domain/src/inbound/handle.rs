//! Working off the journal of one workspace.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    Applied, ApplyStatuses, Held, JournalEntry, JournalItem, JournaledStatus, LEASE, Settlement,
    StatusUpdate, Verdict,
    ports::{Inbox, Journal},
};
use crate::{
    channels::{AccountStanding, ConnectError, ports::AccountStandings},
    clock::Clock,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    templates::{SyncAccount, SyncReport},
};

/// Updates handled at once.
pub const BATCH: usize = 100;
/// Updates taken up at once, at most.
pub const TAKEN_UP: usize = 1_000;
/// What of the lease must be left of an update in hand: enough to handle it.
const LEAST_LEFT: Duration = Duration::from_secs(20);
/// How long a status may wait for the send it is about.
const PATIENCE: Duration = Duration::from_mins(15);
/// Longest gap between two attempts at one update.
const LONGEST_GAP: Duration = Duration::from_mins(5);
/// How often an update is tried before it is set aside: with the gaps between them, for about a day.
const ATTEMPTS: u32 = 300;
/// Why an update is set aside that was taken up that often, and nobody could say anymore what became of it.
const ENDLESS: &str = "its handling never came to an end";

/// An update could not be handled now.
#[derive(Debug, thiserror::Error)]
#[error("update {id} not handled: {reason}")]
pub struct Unhandled {
    /// The update.
    pub id: JournalId,
    /// Why.
    pub reason: String,
    /// Whether it has been tried often enough, and is in the quarantine now instead of the journal.
    pub set_aside: bool,
}

/// What was taken up out of the journal.
#[derive(Debug, Default)]
pub struct TakenUp {
    /// To be handled, oldest first.
    pub held: Vec<Held>,
    /// Those that cannot be read, or were taken up too often without coming to an end, for the log.
    pub unhandled: Vec<Unhandled>,
    /// Why it could not be written down what became of those; they are due again after their lease.
    pub failed: Option<StoreError>,
    /// Whether there may be more.
    pub more: bool,
}

/// What handling some updates came to.
#[derive(Debug, Default)]
pub struct Round {
    /// Those that failed, each with its reason, for the log.
    pub unhandled: Vec<Unhandled>,
    /// What readings of templates found, for the log.
    pub readings: Vec<SyncReport>,
    /// Accounts that stand otherwise now, by their ids at the network, for the log.
    pub standings: Vec<(String, AccountStanding)>,
}

/// Handles journaled updates.
pub struct HandleUpdates {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// For statuses.
    pub statuses: ApplyStatuses,
    /// For what happens in threads; without it that stays in the journal.
    pub inbox: Option<Arc<dyn Inbox>>,
    /// For changed templates.
    pub sync: Arc<SyncAccount>,
    /// How accounts stand.
    pub standings: Arc<dyn AccountStandings>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// An update's place in the journal, and how often it has been taken up.
type Place = (JournalId, u32);

impl HandleUpdates {
    /// Workspaces with work.
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
        let more = claimed.entries.len() + claimed.unreadable.len() >= TAKEN_UP;
        let unreadable = claimed.unreadable.into_iter();
        let mut verdicts: Vec<(Place, Verdict)> =
            unreadable.map(|entry| ((entry.id, entry.attempts), Verdict::Failed(entry.reason))).collect();
        let (endless, entries): (Vec<_>, Vec<_>) =
            claimed.entries.into_iter().partition(|entry| entry.attempts > ATTEMPTS);
        verdicts.extend(endless.iter().map(|entry| (entry.place(), Verdict::Failed(ENDLESS.to_owned()))));
        let held = entries.into_iter().map(|entry| Held { entry, until }).collect();
        let (unhandled, failed) = match self.settle(workspace, verdicts).await {
            Ok(unhandled) => (unhandled, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        Ok(TakenUp { held, unhandled, failed, more })
    }

    /// Puts an update back whose handling broke off, or sets it aside when that has happened often enough.
    ///
    /// # Errors
    /// Those of the store; then it is due again after its lease.
    pub async fn put_back(
        &self,
        workspace: WorkspaceId,
        held: &Held,
        reason: &str,
    ) -> Result<Vec<Unhandled>, StoreError> {
        let verdict = Verdict::Failed(reason.to_owned());
        self.settle(workspace, vec![(held.entry.place(), verdict)]).await
    }

    /// Handles what this process has taken up of one workspace, all of one kind together. One bad update harms no
    /// other. What lay too long is left to the journal.
    ///
    /// # Errors
    /// Those of the store; what was not handled is due again after its lease.
    pub async fn run(&self, workspace: WorkspaceId, held: Vec<Held>) -> Result<Round, StoreError> {
        let now = self.clock.now();
        let mut entries: Vec<JournalEntry> =
            held.into_iter().filter(|held| held.until > now + LEAST_LEFT).map(|held| held.entry).collect();
        entries.sort_unstable_by_key(|entry| entry.id);
        let mut round = Round::default();
        let mut verdicts: Vec<(Place, Verdict)> = Vec::with_capacity(entries.len());

        let mut statuses = Vec::new();
        let mut happenings = Vec::new();
        let mut accounts: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        for entry in entries {
            match &entry.item {
                JournalItem::AccountStanding { account_network_id, standing } => {
                    let stands = self.stands(workspace, account_network_id, standing, &mut round.standings);
                    verdicts.push((entry.place(), stands.await));
                }
                JournalItem::Status(_) => statuses.push(entry),
                JournalItem::Thread { .. } => happenings.push(entry),
                JournalItem::TemplatesChanged { account_network_id } => {
                    accounts.entry(account_network_id.clone()).or_default().push(entry.place());
                }
            }
        }
        if !statuses.is_empty() {
            verdicts.extend(self.apply(workspace, &statuses).await);
        }
        if !happenings.is_empty() {
            verdicts.extend(self.write_down(workspace, &happenings).await);
        }
        for (account, places) in accounts {
            let verdict = self.read_again(workspace, &account, &mut round.readings).await;
            verdicts.extend(places.into_iter().map(|place| (place, verdict.clone())));
        }

        round.unhandled = self.settle(workspace, verdicts).await?;
        Ok(round)
    }

    /// Writes down what became of updates; answers those that failed.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        verdicts: Vec<(Place, Verdict)>,
    ) -> Result<Vec<Unhandled>, StoreError> {
        let (settlement, unhandled) = settlement(verdicts, self.clock.now());
        if settlement != Settlement::default() {
            self.journal.settle(workspace, &settlement).await?;
        }
        Ok(unhandled)
    }

    /// All statuses together; if that fails, each alone, so that one that cannot be applied stops no other.
    async fn apply(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<(Place, Verdict)> {
        let statuses: Vec<JournaledStatus<'_>> = entries.iter().filter_map(journaled).collect();
        let applied = match self.statuses.run(workspace, &statuses).await {
            Ok(applied) => applied.into_iter().map(Ok).collect(),
            Err(error @ StoreError::Unavailable(_)) => vec![Err(error.to_string()); statuses.len()],
            Err(_) => {
                let mut alone = Vec::with_capacity(statuses.len());
                for status in statuses {
                    let applied = self.statuses.run(workspace, &[status]).await;
                    alone.extend(match applied {
                        Ok(applied) => applied.into_iter().map(Ok).collect(),
                        Err(error) => vec![Err(error.to_string())],
                    });
                }
                alone
            }
        };
        let now = self.clock.now();
        let verdict = |(entry, applied): (&JournalEntry, Result<Applied, String>)| {
            let verdict = match applied {
                Ok(Applied::Early) if now - entry.received_at < PATIENCE => Verdict::Waits,
                Ok(Applied::Early) => Verdict::Handled,
                Ok(Applied::Done | Applied::Foreign) => Verdict::Finished,
                Err(reason) => Verdict::Failed(reason),
            };
            (entry.place(), verdict)
        };
        entries.iter().zip(applied).map(verdict).collect()
    }

    async fn write_down(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<(Place, Verdict)> {
        let verdicts = match &self.inbox {
            Some(inbox) => inbox.record(workspace, entries).await,
            None => vec![Verdict::Waits; entries.len()],
        };
        entries.iter().map(JournalEntry::place).zip(verdicts).collect()
    }

    async fn stands(
        &self,
        workspace: WorkspaceId,
        account_network_id: &str,
        standing: &AccountStanding,
        changed: &mut Vec<(String, AccountStanding)>,
    ) -> Verdict {
        match self.standings.set_standing(workspace, account_network_id, standing).await {
            Ok(true) => changed.push((account_network_id.to_owned(), standing.clone())),
            Ok(false) => {}
            Err(error) => return Verdict::Failed(error.to_string()),
        }
        Verdict::Handled
    }

    async fn read_again(
        &self,
        workspace: WorkspaceId,
        account_network_id: &str,
        readings: &mut Vec<SyncReport>,
    ) -> Verdict {
        match self.sync.run_for(workspace, account_network_id).await {
            Err(error @ (ConnectError::Network(_) | ConnectError::Store(_))) => {
                Verdict::Failed(error.to_string())
            }
            Ok(report) => {
                readings.extend(report);
                Verdict::Handled
            }
            Err(
                ConnectError::NetworkId
                | ConnectError::Token
                | ConnectError::UnknownWorkspace
                | ConnectError::Elsewhere,
            ) => Verdict::Handled,
        }
    }
}

fn settlement(verdicts: Vec<(Place, Verdict)>, now: OffsetDateTime) -> (Settlement, Vec<Unhandled>) {
    let mut settlement = Settlement::default();
    let mut unhandled = Vec::new();
    for ((id, attempts), verdict) in verdicts {
        let gap = Duration::from_secs(1 << attempts.min(16)).min(LONGEST_GAP);
        match verdict {
            Verdict::Finished => {}
            Verdict::Handled => settlement.handled.push(id),
            Verdict::Waits => settlement.postponed.push((id, now + gap)),
            Verdict::Failed(reason) => {
                let set_aside = attempts >= ATTEMPTS;
                if set_aside {
                    settlement.set_aside.push((id, reason.clone()));
                } else {
                    settlement.postponed.push((id, now + gap));
                }
                unhandled.push(Unhandled { id, reason, set_aside });
            }
        }
    }
    (settlement, unhandled)
}

impl JournalEntry {
    fn place(&self) -> Place {
        (self.id, self.attempts)
    }
}

fn journaled(entry: &JournalEntry) -> Option<JournaledStatus<'_>> {
    let status: &StatusUpdate = match &entry.item {
        JournalItem::Status(status) => status,
        JournalItem::TemplatesChanged { .. }
        | JournalItem::AccountStanding { .. }
        | JournalItem::Thread { .. } => return None,
    };
    Some(JournaledStatus { id: entry.id, status })
}
