//! Signals within this process, after a commit, that there is work; a scan behind them is the safety net.

use crate::{
    ids::{BroadcastId, WorkspaceId},
    pause_reason::PauseReason,
};

/// Wake-up calls for the workers of this process. Calls never block, and may be needless.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Signals that deliveries of `workspace` were committed.
    fn deliveries_due(&self, workspace: WorkspaceId);

    /// Signals that messages of `workspace` were recorded whose files are to be fetched.
    fn files_awaited(&self, workspace: WorkspaceId);

    /// Signals, after the commit, that the service itself has paused a broadcast of `workspace`; sent once,
    /// by the process that paused it.
    fn broadcast_paused(&self, workspace: WorkspaceId, broadcast: BroadcastId, reason: PauseReason);
}
