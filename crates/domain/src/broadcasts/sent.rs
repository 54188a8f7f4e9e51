//! Result of sending to a batch of a broadcast's people.

use std::time::Duration;

use time::OffsetDateTime;

use super::{
    outcome::AfterSend,
    person::{BroadcastPerson, PersonResult, PersonState, SkipReason},
};
use crate::{ids::ChannelId, pause_reason::PauseReason};

#[derive(Default)]
pub(super) struct Sent {
    pub(super) results: Vec<PersonResult>,
    pub(super) noted: bool,
    /// Whether somebody else may have some of the people in hand.
    pub(super) in_hand: bool,
    pub(super) later: Option<Duration>,
    /// Wait of the one person who was held back: for all that is known, by what the network lets a number
    /// write to one person.
    pub(super) held_back: Option<Duration>,
    /// Earliest time at which a number that has reached its limit may write to somebody again.
    pub(super) limited: Option<OffsetDateTime>,
    pub(super) pause: Option<PauseReason>,
    /// Whether the batch ended before everybody was written to.
    pub(super) is_cut: bool,
}

impl Sent {
    /// Returns whether nobody more is to be written to for now.
    pub(super) const fn ends_all(&self) -> bool {
        self.later.is_some() || self.pause.is_some() || self.limited.is_some()
    }

    /// Adds a person's result. The number `by` counts as having written to them if they have the message or
    /// may have it.
    pub(super) fn settle(
        &mut self,
        person: &BroadcastPerson,
        by: Option<ChannelId>,
        state: PersonState,
        reason: Option<&str>,
        at: OffsetDateTime,
    ) {
        let (message, reason) = (person.message, reason.map(str::to_owned));
        let written_by = by.filter(|_| matches!(state, PersonState::Sent | PersonState::Unconfirmed));
        self.results.push(PersonResult { message, state, reason, written_by, at });
    }

    pub(super) fn skip(&mut self, person: &BroadcastPerson, at: OffsetDateTime) {
        let reason = Some(SkipReason::MarketingStopped.as_str());
        self.settle(person, None, PersonState::Skipped, reason, at);
    }

    pub(super) fn heed(
        &mut self,
        person: &BroadcastPerson,
        by: Option<ChannelId>,
        after: AfterSend,
        at: OffsetDateTime,
    ) {
        match after {
            AfterSend::Done(state, reason) => self.settle(person, by, state, reason.as_deref(), at),
            AfterSend::Stopped => self.skip(person, at),
            AfterSend::Later(wait) => self.hold_back(wait),
            AfterSend::Limited(until) => {
                self.limited = Some(self.limited.map_or(until, |known| known.min(until)));
            }
            // The person stays queued, and is loaded again.
            AfterSend::LeftOut => {}
            AfterSend::Elsewhere => self.in_hand = true,
            AfterSend::Pause(reason) => self.pause = Some(reason),
        }
    }

    /// Holds a person back. One is passed over; two mean that everybody is held back.
    fn hold_back(&mut self, time: Duration) {
        match self.held_back {
            Some(known) => self.wait(known.max(time)),
            None => self.held_back = Some(time),
        }
    }

    /// Makes everybody wait, for the longest time that was asked for.
    pub(super) fn wait(&mut self, time: Duration) {
        self.later = Some(self.later.map_or(time, |later| later.max(time)));
    }
}
