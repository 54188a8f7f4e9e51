//! Undoing a move.

use time::{Duration, OffsetDateTime};

use super::moves::Command;
use crate::messages::{Had, Message, Step, SystemMessage};

/// Time for which a member is offered to undo what they did.
pub const UNDONE_WITHIN: Duration = Duration::MINUTE;

/// Returns the command that undoes the move that a conversation's newest message tells of. Only whoever made
/// it undoes it, within [`UNDONE_WITHIN`], and nothing by which a group got or lost the conversation.
pub fn undo(newest: &Message, viewer: &str, now: OffsetDateTime) -> Option<Command> {
    let is_theirs = newest.sender_id.as_deref() == Some(viewer);
    let is_new = now - newest.created_at <= UNDONE_WITHIN;
    if is_theirs && is_new { newest.system_message.as_deref()?.undone_by() } else { None }
}

impl SystemMessage {
    fn undone_by(&self) -> Option<Command> {
        Some(match (self.before?, self.kind, self.to) {
            (Had::Assistant, ..) => Command::Return,
            (Had::Closed, ..) => Command::Close,
            // Also out of the hands of whoever got it.
            (Had::Member(member), ..) => Command::Assign(member),
            (Had::Nobody, Step::Assigned, Some(member)) => Command::LetGo(member),
            (Had::Nobody, ..) => Command::HandOver(None),
        })
    }
}
