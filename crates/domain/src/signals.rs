//! Signals within this process, after a commit, that there is work; a scan behind them is the safety net.

use crate::{
    broadcasts::PauseReason,
    ids::{BroadcastId, WorkspaceId},
    inbound::HandedOver,
};

/// Wake-up calls for the workers of this process. Calls never block, and may be needless.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Signals that deliveries of `workspace` were committed.
    fn deliveries_due(&self, workspace: WorkspaceId);

    /// Returns whether this process itself handles `updates` more updates of `workspace` as they are
    /// journaled. They are then journaled as taken up, and come with [`Self::updates_taken_up`]. `false`
    /// while the journal may hold earlier updates, which these would overtake.
    fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool;

    /// Signals that updates of `workspace` were journaled as taken up by this process.
    fn updates_taken_up(&self, workspace: WorkspaceId, updates: HandedOver);

    /// Signals that updates of `workspace` were journaled for any process to take up.
    fn updates_journaled(&self, workspace: WorkspaceId);

    /// Signals that messages of `workspace` were recorded whose files are to be fetched.
    fn files_awaited(&self, workspace: WorkspaceId);

    /// Signals, after the commit, that the service itself has paused a broadcast of `workspace`; sent once,
    /// by the process that paused it.
    fn broadcast_paused(&self, workspace: WorkspaceId, broadcast: BroadcastId, reason: PauseReason);
}
