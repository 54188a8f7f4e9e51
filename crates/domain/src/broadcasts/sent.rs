//! What writing to some of a broadcast's people came to.

use std::time::Duration;

use time::OffsetDateTime;

use super::{AfterSend, BroadcastPerson, PauseReason, PersonResult, PersonState, SkipReason};
use crate::ids::ChannelId;

/// It says what a batch came to.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) results: Vec<PersonResult>,
    /// It says whether some were written down already.
    pub(super) noted: bool,
    /// It says whether somebody else may have some of them in hand.
    pub(super) in_hand: bool,
    pub(super) later: Option<Duration>,
    /// Somebody was held back for so long: by what the network lets a number write to one person, for all that is known.
    pub(super) held_back: Option<Duration>,
    /// It says when the first of the numbers may write to somebody again that may not for now.
    pub(super) limited: Option<OffsetDateTime>,
    pub(super) pause: Option<PauseReason>,
    /// It says whether it ended before everybody was written to.
    pub(super) is_cut: bool,
}

impl Sent {
    /// Says whether nobody more is to be written to for now.
    pub(super) const fn ends_all(&self) -> bool {
        self.later.is_some() || self.pause.is_some() || self.limited.is_some()
    }

    /// The number has written to them, or may have, where there is one and it was not refused.
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

    /// They want no marketing.
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
            // They stay queued, and are looked for again.
            AfterSend::LeftOut => {}
            AfterSend::Elsewhere => self.in_hand = true,
            AfterSend::Pause(reason) => self.pause = Some(reason),
        }
    }

    /// One who is held back is passed over; two are held back by what holds for everybody.
    fn hold_back(&mut self, time: Duration) {
        match self.held_back {
            Some(known) => self.wait(known.max(time)),
            None => self.held_back = Some(time),
        }
    }

    /// Keeps the longest that anybody asks for.
    pub(super) fn wait(&mut self, time: Duration) {
        self.later = Some(self.later.map_or(time, |later| later.max(time)));
    }
}
