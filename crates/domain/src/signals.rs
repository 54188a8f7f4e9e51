//! Telling this process, after a commit, that there is work; a scan behind it is the safety net.

use crate::{
    broadcasts::PauseReason,
    ids::{BroadcastId, WorkspaceId},
    inbound::HandedOver,
};

/// `Signals` wakes whoever does the work. It never blocks, and may be called needlessly.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Tells that deliveries of `workspace` were committed.
    fn deliveries_due(&self, workspace: WorkspaceId);

    /// Says whether this process handles so many more updates of `workspace` itself, as they are journaled.
    /// Then they are journaled as taken up, and come with [`Self::updates_taken_up`]. It does not while the
    /// journal may hold earlier ones, which they would overtake.
    fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool;

    /// Tells that updates of `workspace` were journaled as taken up by this process.
    fn updates_taken_up(&self, workspace: WorkspaceId, updates: HandedOver);

    /// Tells that updates of `workspace` were journaled for whoever takes them up.
    fn updates_journaled(&self, workspace: WorkspaceId);

    /// Tells that messages of `workspace` were recorded whose files are to be fetched.
    fn files_awaited(&self, workspace: WorkspaceId);

    /// Tells that the service itself has paused a broadcast of `workspace`, after that was committed: once, by whoever has
    /// moved it.
    fn broadcast_paused(&self, workspace: WorkspaceId, broadcast: BroadcastId, reason: PauseReason);
}
