//! Audit entries of broadcasts.

use super::ports::StateChange;
use crate::{
    audit::{Acting, Action},
    deps::Deps,
};

/// Builds the audit entry of a change.
pub(super) fn entry(acting: Acting, change: &StateChange, deps: &Deps) -> crate::audit::AuditEntry {
    let entry = acting.does(Action::BroadcastMoved, change.at, &*deps.ids).to(change.broadcast);
    let entry = entry.with("from", change.from.as_str()).with("to", change.to.as_str());
    match change.reason {
        Some(reason) => entry.with("reason", reason.as_str()),
        None => entry,
    }
}
