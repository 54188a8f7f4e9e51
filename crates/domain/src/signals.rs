//! Telling this process, after a commit, that there is work; a scan behind it is the safety net.

use crate::{ids::WorkspaceId, inbound::JournalEntry};

/// Wakes whoever does the work. Never blocks, may be called needlessly.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Deliveries of `workspace` were committed.
    fn deliveries_due(&self, workspace: WorkspaceId);

    /// Whether this process handles that many more updates itself, as they are journaled. Then they are journaled as
    /// taken up, and come with [`Self::updates_journaled`].
    fn takes_in_hand(&self, updates: usize) -> bool;

    /// Updates for `workspace` were journaled; `in_hand` are those that were journaled as taken up by this process.
    fn updates_journaled(&self, workspace: WorkspaceId, in_hand: Vec<JournalEntry>);

    /// Messages of `workspace` were recorded whose files are to be fetched.
    fn files_awaited(&self, workspace: WorkspaceId);
}
