//! Events on the wire, the addresses they go to, and their attempts.
//!
//! A mock that a test did not set up panics when it is called: "nothing is registered" is said by leaving it
//! out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, reason = "test support")]

mod attempts;
mod events;
mod managing;
mod registering;
mod resending;

use domain::{
    audit::{Acting, Action, AuditEntry},
    ids::WorkspaceId,
    testing::{a_moment, a_workspace},
};

/// Who makes the changes.
fn acting() -> Acting {
    Acting::operator(a_workspace().id)
}

/// Whether an entry tells that this was done now, to this.
fn tells(workspace: &WorkspaceId, entry: &AuditEntry, action: Action, subject: &str) -> bool {
    let by = Acting { workspace: *workspace, actor: entry.actor, address: entry.address };
    by == acting()
        && (entry.action, entry.subject.as_deref(), entry.at) == (action, Some(subject), a_moment())
}
