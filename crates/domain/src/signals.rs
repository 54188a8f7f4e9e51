//! Telling this process, after a commit, that there is work; a scan behind it is the safety net.

use crate::{ids::WorkspaceId, inbound::HandedOver};

/// Wakes whoever does the work. Never blocks, may be called needlessly.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Deliveries of `workspace` were committed.
    fn deliveries_due(&self, workspace: WorkspaceId);

    /// Whether this process handles so many more updates of `workspace` itself, as they are journaled. Then they are
    /// journaled as taken up, and come with [`Self::updates_taken_up`]. It does not while the journal may hold earlier
    /// ones, which they would overtake.
    fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool;

    /// Updates of `workspace` were journaled as taken up by this process.
    fn updates_taken_up(&self, workspace: WorkspaceId, updates: HandedOver);

    /// Updates of `workspace` were journaled for whoever takes them up.
    fn updates_journaled(&self, workspace: WorkspaceId);

    /// Messages of `workspace` were recorded whose files are to be fetched.
    fn files_awaited(&self, workspace: WorkspaceId);
}
