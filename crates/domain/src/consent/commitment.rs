//! Commitments: what customers confirmed, until it is done or given up.

use std::time::Duration;

use time::OffsetDateTime;

use super::proposal::Proposal;
use crate::{
    errors::StoreError,
    ids::{CommitmentId, ConversationId, DraftId, MessageId, SystemId},
    language::Language,
    messages::ReplyAuthor,
    orders::CreationKey,
    systems::{CallError, LONGEST_COOLING, SystemError},
};

/// Time after its confirmation in which a commitment is attempted, always under the same key.
pub const CARRIED_FOR: Duration = Duration::from_mins(30);
/// Gap before the second attempt; it doubles with each further one, up to [`LONGEST_GAP`].
const FIRST_GAP: Duration = Duration::from_secs(5);
/// Longest gap between two attempts, unless the system asks for a longer one.
const LONGEST_GAP: Duration = Duration::from_mins(4);

/// State of a commitment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommitmentState {
    /// The system has not been asked for it.
    Confirmed,
    /// The system may have been asked: all further attempts use the same key, and the quote is no longer
    /// compared.
    Asked,
    Done,
    /// The system has refused it or cannot do it, or the customer called it off.
    Refused,
    /// The assistant is in test mode: the system was not asked.
    Tested,
    /// The system's offer differs from what the customer confirmed; nothing was asked for.
    Changed,
    /// Not finished in time, or of unknown outcome: if the system was asked, nobody knows whether it did it.
    GivenUp,
}

impl CommitmentState {
    pub const ALL: [Self; 7] =
        [Self::Confirmed, Self::Asked, Self::Done, Self::Refused, Self::Tested, Self::Changed, Self::GivenUp];

    /// Returns its name in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Asked => "asked",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Tested => "tested",
            Self::Changed => "changed",
            Self::GivenUp => "given_up",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A commitment that has been claimed for an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueCommitment {
    pub id: CommitmentId,
    pub draft: DraftId,
    pub conversation: ConversationId,
    pub proposal: Proposal,
    /// Idempotency key under which the system is asked.
    pub key: CreationKey,
    pub author: ReplyAuthor,
    /// System that quoted it; no other is asked.
    pub system: SystemId,
    pub language: Language,
    /// Whether the assistant proposed it in test mode.
    pub tried: bool,
    pub confirmed_at: OffsetDateTime,
    /// Whether the system may have been asked before.
    pub asked: bool,
    /// Number of this attempt, from 1; counted when the attempt begins.
    pub attempt: u32,
}

/// Outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempted<T> {
    Done(T),
    /// The system refused it for good.
    Refused,
    /// The system refuses it now, and an earlier attempt may have succeeded.
    Unclear,
    /// The next attempt is due at this time, under the same key.
    Again(OffsetDateTime),
    /// No time is left for another attempt.
    GivenUp,
}

/// Returns the id of the message that says that the commitment takes longer. Derived from the commitment, so
/// that the message is sent once and is recognized later.
pub(super) fn delay_message_of(commitment: CommitmentId) -> MessageId {
    commitment.uuid().into()
}

impl DueCommitment {
    /// Returns the id of the message that tells the customer that it takes longer.
    pub fn delay_message(&self) -> MessageId {
        delay_message_of(self.id)
    }

    /// Decides what follows when an attempt ended `now`. If the system asks for fewer calls, the next attempt
    /// waits for as long as its connection cools ([`LONGEST_COOLING`] at most), so that one answer that asks
    /// for an hour ends nothing.
    ///
    /// Where the system may have been asked before, only its own refusal of the same key (409 or 422) says
    /// that nothing was done: by the contract it would have answered with what it had made. Any other refusal
    /// may come from elsewhere: a route that is gone, a proxy, another system.
    /// Errors of the store are returned, since they say nothing of the system.
    pub fn after<T>(
        &self,
        result: Result<T, SystemError>,
        now: OffsetDateTime,
    ) -> Result<Attempted<T>, StoreError> {
        let error = match result {
            Ok(value) => return Ok(Attempted::Done(value)),
            Err(error) => error,
        };
        let wait = match error {
            SystemError::Store(error) => return Err(error),
            SystemError::Call(CallError::Refused { status: 409 | 422, .. }) => {
                return Ok(Attempted::Refused);
            }
            SystemError::NoSystem
            | SystemError::NotDeclared(_)
            | SystemError::Call(CallError::Refused { .. } | CallError::NotFound { .. }) => {
                return Ok(if self.asked { Attempted::Unclear } else { Attempted::Refused });
            }
            SystemError::Call(CallError::SlowDown { retry_after, .. }) => {
                retry_after.map(|asked| asked.min(LONGEST_COOLING))
            }
            SystemError::Unavailable(_)
            | SystemError::Call(
                CallError::NeedsReconnection { .. }
                | CallError::Misdirected { .. }
                | CallError::Down { .. }
                | CallError::TimedOut
                | CallError::Unreachable { .. }
                | CallError::TooLarge
                | CallError::Unreadable { .. }
                | CallError::NotMade(_),
            ) => None,
        };
        let doublings = self.attempt.saturating_sub(1).min(16);
        let gap = (FIRST_GAP * (1 << doublings)).min(LONGEST_GAP).max(wait.unwrap_or_default());
        let at = now + gap;
        Ok(if at <= self.confirmed_at + CARRIED_FOR { Attempted::Again(at) } else { Attempted::GivenUp })
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::{Attempted, CARRIED_FOR, CommitmentState, DueCommitment};
    use crate::{
        consent::fixtures::due_order,
        errors::StoreError,
        systems::{CallError, Capability, LONGEST_COOLING, SystemError, Unavailable},
        testing::a_moment,
    };

    fn due(attempt: u32) -> DueCommitment {
        DueCommitment { attempt, ..due_order(true) }
    }

    fn refused(status: u16) -> SystemError {
        CallError::Refused { status, message: None }.into()
    }

    #[test]
    fn every_state_reads_back_from_its_name() {
        for state in CommitmentState::ALL {
            assert_eq!(CommitmentState::read(state.as_str()), Some(state));
        }
        assert_eq!(CommitmentState::read("open"), None);
    }

    #[test]
    fn a_refusal_ends_it_and_whatever_leaves_it_open_is_asked_again_with_growing_gaps() {
        let minute = std::time::Duration::from_mins(1);
        let after = |attempt, error| due(attempt).after::<()>(Err(error), a_moment()).unwrap();
        for error in [refused(409), refused(422)] {
            let told = format!("{error:?}");
            assert_eq!(after(1, error), Attempted::Refused, "{told}");
        }
        for (attempt, error, gap) in [
            (1, SystemError::from(CallError::TimedOut), 5),
            (2, CallError::Down { status: 500, message: None }.into(), 10),
            (3, CallError::Unreadable { status: 201, unusable: vec![] }.into(), 20),
            (5, CallError::TooLarge.into(), 80),
            (7, CallError::Unreachable { words: String::new(), sent: true }.into(), 240),
            (40, Unavailable::Unreachable.into(), 240),
            (1, CallError::NeedsReconnection { status: 401, message: None }.into(), 5),
            (1, CallError::SlowDown { retry_after: Some(minute), message: None }.into(), 60),
            (1, CallError::SlowDown { retry_after: None, message: None }.into(), 5),
            (1, CallError::NotMade("no").into(), 5),
        ] {
            let told = format!("{attempt} {error:?}");
            let at = a_moment() + Duration::seconds(gap);
            assert_eq!(after(attempt, error), Attempted::Again(at), "{told}");
        }
        let down = SystemError::Store(StoreError::Unavailable("no connection".to_owned()));
        assert!(due(1).after::<()>(Err(down), a_moment()).is_err());
        assert_eq!(due(1).after(Ok(7), a_moment()).unwrap(), Attempted::Done(7));
    }

    #[test]
    fn what_may_have_been_done_is_not_undone_by_a_refusal_that_is_not_the_systems_own() {
        let refusals = || {
            [
                SystemError::NoSystem,
                SystemError::NotDeclared(Capability::Orders),
                CallError::NOT_FOUND.into(),
                refused(400),
                refused(405),
                refused(413),
            ]
        };
        for (asked, ended) in [(true, Attempted::Unclear), (false, Attempted::Refused)] {
            for error in refusals() {
                let told = format!("{asked} {error:?}");
                assert_eq!(due_order(asked).after::<()>(Err(error), a_moment()).unwrap(), ended, "{told}");
            }
            for status in [409, 422] {
                let after = due_order(asked).after::<()>(Err(refused(status)), a_moment()).unwrap();
                assert_eq!(after, Attempted::Refused, "{status}");
            }
        }
    }

    #[test]
    fn nothing_is_asked_again_later_than_half_an_hour_after_the_confirmation() {
        let last = a_moment() + CARRIED_FOR - Duration::seconds(5);
        let after = |now| due(1).after::<()>(Err(CallError::TimedOut.into()), now).unwrap();
        assert_eq!(after(last), Attempted::Again(a_moment() + CARRIED_FOR));
        assert_eq!(after(last + Duration::SECOND), Attempted::GivenUp);
    }

    #[test]
    fn a_system_is_left_alone_for_as_long_as_its_connection_cools_and_then_asked_again_until_the_time_is_over()
     {
        for seconds in [600, 601, 1_801, 999_999_999_999, u64::MAX] {
            let slow = || {
                let retry_after = Some(std::time::Duration::from_secs(seconds));
                SystemError::from(CallError::SlowDown { retry_after, message: None })
            };
            let (mut now, mut asked) = (a_moment(), 1);
            while let Attempted::Again(at) = due(asked).after::<()>(Err(slow()), now).unwrap() {
                assert_eq!(at, now + LONGEST_COOLING, "{seconds}");
                (now, asked) = (at, asked + 1);
            }
            assert_eq!((asked, now), (4, a_moment() + CARRIED_FOR), "{seconds}");
        }
    }
}
