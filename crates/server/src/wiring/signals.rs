//! Signals that wake background work.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use adapter_postgres::{Database, PgNotifyChannel};
use adapter_webhooks::DispatcherWake;
use domain::{
    ids::{BroadcastId, WorkspaceId},
    inbound::{HandedOver, ports::UpdateSignals},
    pause_reason::PauseReason,
    signals::Signals,
};

use crate::{
    background::{FilesWake, UpdatesWake},
    counters,
};

/// Signals that wake this process's own background work, and tell other nodes.
pub struct Wake {
    /// `None` where this process does not deliver webhooks.
    pub dispatcher: Option<DispatcherWake>,
    pub notify_channel: Arc<PgNotifyChannel>,
    pub updates: UpdatesWake,
    pub files: FilesWake,
}

impl Signals for Wake {
    fn deliveries_due(&self, workspace: WorkspaceId) {
        if let Some(dispatcher) = &self.dispatcher {
            dispatcher.wake(workspace);
        }
        self.notify_channel.tell(workspace);
    }

    fn files_awaited(&self, workspace: WorkspaceId) {
        self.files.wake(workspace);
    }

    fn broadcast_paused(&self, workspace: WorkspaceId, broadcast: BroadcastId, reason: PauseReason) {
        counters::broadcasts_paused(reason).increment(1);
        let reason = reason.as_str();
        tracing::warn!(%workspace, %broadcast, reason, "a broadcast was paused");
    }
}

impl UpdateSignals for Wake {
    fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool {
        self.updates.takes_up(workspace, updates)
    }

    fn updates_taken_up(&self, workspace: WorkspaceId, updates: HandedOver) {
        self.updates.hand_over(workspace, updates);
    }

    fn updates_journaled(&self, workspace: WorkspaceId) {
        if self.updates.posted(workspace) {
            self.notify_channel.tell_of_updates(workspace);
        }
    }
}

/// Signals of an operator's command, whose process has no background work: collected until the nodes are told
/// at its end.
#[derive(Debug, Default)]
pub struct TellLater(Mutex<HashSet<WorkspaceId>>);

impl TellLater {
    /// Tells the nodes. A failure is left to their scans.
    pub async fn tell(&self, database: &Database) {
        let told = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if let Err(error) = database.tell(&told).await {
            tracing::debug!(%error, "the nodes could not be told");
        }
    }
}

impl Signals for TellLater {
    fn deliveries_due(&self, workspace: WorkspaceId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace);
    }

    fn files_awaited(&self, _: WorkspaceId) {}

    fn broadcast_paused(&self, _: WorkspaceId, _: BroadcastId, _: PauseReason) {}
}

impl UpdateSignals for TellLater {
    fn takes_up(&self, _: WorkspaceId, _: usize) -> bool {
        false
    }

    fn updates_taken_up(&self, _: WorkspaceId, _: HandedOver) {}

    fn updates_journaled(&self, _: WorkspaceId) {}
}
