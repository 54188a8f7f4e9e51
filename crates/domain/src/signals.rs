//! Telling this process, after a commit, that there is work; a scan behind it is the safety net.

use crate::ids::WorkspaceId;

/// Wakes whoever does the work. Never blocks, may be called needlessly.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Deliveries of `workspace` were committed.
    fn deliveries_due(&self, workspace: WorkspaceId);

    /// Updates for `workspace` were journaled.
    fn updates_journaled(&self, workspace: WorkspaceId);

    /// Messages of `workspace` were recorded whose files are to be fetched.
    fn files_awaited(&self, workspace: WorkspaceId);
}
