//! When a broadcast is taken up.

use time::OffsetDateTime;

use super::{ports::StateChange, state::BroadcastState};
use crate::{audit::Actor, lease::LEASE};

/// Returns when the broadcast is due after a change of its state; `None` if nobody takes it up.
pub fn due_at(change: &StateChange, actor: Actor) -> Option<OffsetDateTime> {
    match change.to {
        BroadcastState::Scheduled => change.starts_at,
        // The process that sets it going for the service goes on with it, and so holds a lease.
        BroadcastState::Running if actor == Actor::Service => Some(change.at + LEASE),
        BroadcastState::Running => Some(change.at),
        BroadcastState::Draft
        | BroadcastState::Paused
        | BroadcastState::Finished
        | BroadcastState::Cancelled => None,
    }
}
