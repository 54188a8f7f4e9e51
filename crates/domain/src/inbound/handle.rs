//! Working off the journal of one workspace.

use std::{sync::Arc, time::Duration};

use super::{Applied, ApplyStatus, JournalEntry, JournalItem, ports::Journal};
use crate::{
    channels::ConnectError,
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    templates::{SyncAccount, SyncReport},
};

/// Updates taken up at once.
const BATCH: u32 = 100;
/// How long a taken-up update is left alone by others.
const LEASE: Duration = Duration::from_mins(1);
/// How long a status may wait for the send it is about.
const PATIENCE: Duration = Duration::from_mins(15);
/// Longest gap between two attempts at one update.
const LONGEST_GAP: Duration = Duration::from_mins(5);

/// An update could not be handled now; it stays in the journal.
#[derive(Debug, thiserror::Error)]
#[error("update {} stays in the journal: {reason}", .entry.id)]
pub struct Unhandled {
    /// The update.
    pub entry: JournalEntry,
    /// Why.
    pub reason: String,
}

/// What a round over the journal did.
#[derive(Debug, Default)]
pub struct Round {
    /// How many updates were taken up.
    pub taken: usize,
    /// Those that stay, each with its reason, for the log.
    pub unhandled: Vec<Unhandled>,
    /// What readings of templates found, for the log.
    pub readings: Vec<SyncReport>,
}

impl Round {
    /// Whether the batch was full, so that another may follow at once.
    pub fn may_have_more(&self) -> bool {
        u32::try_from(self.taken).is_ok_and(|taken| taken >= BATCH)
    }
}

/// Handles journaled updates.
pub struct HandleUpdates {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// For statuses.
    pub statuses: ApplyStatus,
    /// For changed templates.
    pub sync: Arc<SyncAccount>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// What is to happen to an update.
enum Verdict {
    Handled,
    Read(SyncReport),
    Wait(Option<String>),
}

impl HandleUpdates {
    /// Workspaces with work.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.journal.workspaces_with_work(self.clock.now()).await
    }

    /// Handles a batch of one workspace, oldest first. One bad update harms no other.
    ///
    /// # Errors
    /// Those of the store; what was taken up is due again after its lease.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Round, StoreError> {
        let now = self.clock.now();
        let entries = self.journal.claim(workspace, now, now + LEASE, BATCH).await?;
        let mut round = Round { taken: entries.len(), ..Round::default() };
        let mut handled = Vec::with_capacity(entries.len());
        for entry in entries {
            match self.handle(&entry).await {
                Verdict::Handled => handled.push(entry.id),
                Verdict::Read(report) => {
                    round.readings.push(report);
                    handled.push(entry.id);
                }
                Verdict::Wait(reason) => {
                    let gap = Duration::from_secs(1 << entry.attempts.min(16)).min(LONGEST_GAP);
                    self.journal.postpone(workspace, entry.id, self.clock.now() + gap).await?;
                    round.unhandled.extend(reason.map(|reason| Unhandled { entry, reason }));
                }
            }
        }
        if !handled.is_empty() {
            self.journal.finish(workspace, &handled).await?;
        }
        Ok(round)
    }

    async fn handle(&self, entry: &JournalEntry) -> Verdict {
        match &entry.item {
            JournalItem::Status(status) => match self.statuses.run(entry.workspace, status).await {
                Ok(Applied::Early) if self.clock.now() - entry.received_at < PATIENCE => Verdict::Wait(None),
                Ok(Applied::Done | Applied::Foreign | Applied::Early) => Verdict::Handled,
                Err(error) => Verdict::Wait(Some(error.to_string())),
            },
            JournalItem::TemplatesChanged { account_network_id } => {
                match self.sync.run_for(entry.workspace, account_network_id).await {
                    Err(error @ (ConnectError::Network(_) | ConnectError::Store(_))) => {
                        Verdict::Wait(Some(error.to_string()))
                    }
                    Ok(Some(report)) => Verdict::Read(report),
                    Ok(None) | Err(ConnectError::UnknownWorkspace | ConnectError::Elsewhere) => {
                        Verdict::Handled
                    }
                }
            }
            JournalItem::Message { .. } | JournalItem::Thread { .. } => Verdict::Wait(None),
        }
    }
}
