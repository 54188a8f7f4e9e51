//! People to follow up with, and how their system hears of them.

use std::time::Duration;

use time::OffsetDateTime;

use crate::{
    ids::LeadId,
    systems::{CallError, LONGEST_COOLING, LeadPush, SystemError},
};

/// Longest need of a lead, in characters.
pub const LONGEST_NEED: usize = 1_000;
/// Most attempts to tell a system of a lead.
pub const MOST_TRIES: u32 = 6;
/// Window after its capture in which a system is told of a lead.
pub const TOLD_WITHIN: Duration = Duration::from_hours(1);
/// Pauses between attempts; all together they leave the last one some minutes of the hour.
const GAPS: [Duration; 5] = [
    Duration::from_mins(1),
    Duration::from_mins(3),
    Duration::from_mins(8),
    Duration::from_mins(15),
    Duration::from_mins(28),
];

/// State of telling a system of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadState {
    Waiting,
    Told,
    /// Refused by the system; the log of calls has its words.
    Refused,
    /// Not told within [`TOLD_WITHIN`].
    GivenUp,
    /// Not to be told: there is no system, it keeps no customers, or the number is not verified.
    NotTold,
}

impl LeadState {
    pub const ALL: [Self; 5] = [Self::Waiting, Self::Told, Self::Refused, Self::GivenUp, Self::NotTold];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Told => "told",
            Self::Refused => "refused",
            Self::GivenUp => "given_up",
            Self::NotTold => "not_told",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// A claimed lead, which a system is to be told of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueLead {
    pub id: LeadId,
    pub push: LeadPush,
    pub attempt: u32,
    pub captured_at: OffsetDateTime,
}

/// Next step after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterTry {
    Ended(LeadState),
    /// Another attempt at that time.
    Again(OffsetDateTime),
}

impl DueLead {
    /// Returns whether all attempts were begun before this one.
    pub const fn is_spent(&self) -> bool {
        self.attempt > MOST_TRIES
    }

    /// Returns what follows an attempt that ended `now`; `None` if the store failed, which says nothing of
    /// the system. A system that asks for fewer calls is left alone for as long as its connection cools at
    /// most.
    pub fn after<T>(&self, result: &Result<T, SystemError>, now: OffsetDateTime) -> Option<AfterTry> {
        let ended = |state| Some(AfterTry::Ended(state));
        match result {
            Ok(_) => ended(LeadState::Told),
            Err(SystemError::NoSystem | SystemError::NotDeclared(_)) => ended(LeadState::NotTold),
            Err(SystemError::Store(_)) => None,
            Err(SystemError::Unavailable(_)) => Some(self.again(None, now)),
            Err(SystemError::Call(error)) => match error {
                CallError::Refused { .. } | CallError::NotFound { .. } => ended(LeadState::Refused),
                // The system took the lead, and answered that in its own way.
                CallError::Unreadable { status: 200..300, .. } => ended(LeadState::Told),
                CallError::SlowDown { retry_after, .. } => {
                    Some(self.again(retry_after.map(|asked| asked.min(LONGEST_COOLING)), now))
                }
                CallError::NeedsReconnection { .. }
                | CallError::Misdirected { .. }
                | CallError::Down { .. }
                | CallError::TimedOut
                | CallError::Unreachable { .. }
                | CallError::TooLarge
                | CallError::Unreadable { .. }
                | CallError::NotMade(_) => Some(self.again(None, now)),
            },
        }
    }

    fn again(&self, asked: Option<Duration>, now: OffsetDateTime) -> AfterTry {
        let gap = self.attempt.checked_sub(1).and_then(|tried| GAPS.get(usize::try_from(tried).ok()?));
        let wait = gap.map(|gap| (*gap).max(asked.unwrap_or_default()));
        match wait.map(|wait| now + wait) {
            Some(at) if at <= self.captured_at + TOLD_WITHIN => AfterTry::Again(at),
            _ => AfterTry::Ended(LeadState::GivenUp),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{AfterTry, LeadState, MOST_TRIES};
    use crate::{
        errors::StoreError,
        systems::{CallError, Capability, SystemError, Unavailable},
        testing::{a_due_lead, a_moment},
    };

    fn after(error: impl Into<SystemError>) -> Option<AfterTry> {
        a_due_lead(1).after::<()>(&Err(error.into()), a_moment())
    }

    #[test]
    fn what_a_system_says_ends_the_telling_and_what_it_cannot_say_does_not() {
        let unreadable = |status| CallError::Unreadable { status, unusable: Vec::new() };
        let again = Some(AfterTry::Again(a_moment() + Duration::from_mins(1)));
        let ended = |state| Some(AfterTry::Ended(state));
        assert_eq!(a_due_lead(1).after(&Ok(()), a_moment()), ended(LeadState::Told));
        for (error, then) in [
            (SystemError::NoSystem, ended(LeadState::NotTold)),
            (SystemError::NotDeclared(Capability::Customers), ended(LeadState::NotTold)),
            (CallError::Refused { status: 422, message: None }.into(), ended(LeadState::Refused)),
            (CallError::NOT_FOUND.into(), ended(LeadState::Refused)),
            (unreadable(200).into(), ended(LeadState::Told)),
            (unreadable(300).into(), again),
            (Unavailable::Cooling.into(), again),
            (Unavailable::Unreachable.into(), again),
            (Unavailable::NeedsReconnection.into(), again),
            (CallError::NeedsReconnection { status: 401, message: None }.into(), again),
            (CallError::Misdirected { status: 302 }.into(), again),
            (CallError::Down { status: 500, message: None }.into(), again),
            (CallError::TimedOut.into(), again),
            (CallError::TooLarge.into(), again),
            (CallError::NotMade("no").into(), again),
            (StoreError::Stale.into(), None),
        ] {
            let told = format!("{error:?}");
            assert_eq!(a_due_lead(1).after::<()>(&Err(error), a_moment()), then, "{told}");
        }
    }

    #[test]
    fn a_system_is_told_six_times_within_an_hour() {
        let (mut now, mut tries) = (a_moment(), 1);
        while let Some(AfterTry::Again(at)) =
            a_due_lead(tries).after::<()>(&Err(CallError::TimedOut.into()), now)
        {
            // Each takes its ten seconds, and the next begins when somebody looks.
            now = at + Duration::from_secs(15);
            tries += 1;
        }
        assert_eq!(tries, MOST_TRIES);
        assert!(now <= a_moment() + Duration::from_hours(1), "{now}");
        assert!(!a_due_lead(MOST_TRIES).is_spent() && a_due_lead(MOST_TRIES + 1).is_spent());
    }

    #[test]
    fn a_system_that_wants_to_be_left_alone_is_for_as_long_as_its_connection_cools() {
        let slow =
            |minutes| CallError::SlowDown { retry_after: Some(Duration::from_mins(minutes)), message: None };
        let at = |minutes| Some(AfterTry::Again(a_moment() + Duration::from_mins(minutes)));
        assert_eq!(after(slow(10)), at(10));
        assert_eq!(after(slow(0)), at(1), "and never sooner than usual");
        assert_eq!(after(slow(61)), at(10), "and no longer");
        for seconds in [999_999_999_999, u64::MAX] {
            let forever =
                CallError::SlowDown { retry_after: Some(Duration::from_secs(seconds)), message: None };
            assert_eq!(after(forever), at(10), "{seconds}");
        }
        // One that goes on asking for an hour is told of it as often as there is time for.
        let (mut now, mut tries) = (a_moment(), 1);
        while let Some(AfterTry::Again(at)) = a_due_lead(tries).after::<()>(&Err(slow(60).into()), now) {
            (now, tries) = (at, tries + 1);
        }
        assert_eq!((tries, now), (5, a_moment() + Duration::from_mins(45)));
    }

    #[test]
    fn every_state_is_read_by_its_word() {
        for state in LeadState::ALL {
            assert_eq!(LeadState::read(state.as_str()), Some(state));
        }
        assert_eq!(LeadState::read("lost"), None);
    }
}
