//! What is left to do on an update once its echo is matched.

use super::super::UpdateOutcome;

/// Remaining work on an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Acknowledged {
    /// Nothing is left to do.
    Done(UpdateOutcome),
    /// To be recorded: no echo, or the echo of a message that was perhaps written elsewhere.
    Open {
        /// Whether it may still be the echo of a send of ours.
        may_be_ours: bool,
    },
}
