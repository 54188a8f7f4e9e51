//! Whether a system can be called, by how it has been answering.

use std::time::Duration;

use time::OffsetDateTime;

use super::CallError;

/// After so many failures in a row, a system is not called any more.
pub const BREAKER_AFTER: u32 = 5;
/// One request for fewer calls is heeded for at most so long.
pub const LONGEST_COOLING: Duration = Duration::from_mins(10);
/// It says how long a system cools that does not say for how long; it doubles while that goes on.
const COOLING_FIRST: Duration = Duration::from_secs(30);
/// A connection is first verified again so long after it was lost.
pub const VERIFY_FIRST: Duration = Duration::from_mins(1);
/// It is the longest gap between two verifications of a lost connection; it doubles up to here.
pub const VERIFY_LONGEST: Duration = Duration::from_mins(15);

/// It says where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    /// It is called.
    Active,
    /// It asked for fewer calls, and is not called until then.
    Cooling(OffsetDateTime),
    /// It failed so often that it is not called until it answers a verification.
    Unreachable,
    /// It does not accept the secret; it is not called until it answers a verification.
    NeedsReconnection,
}

/// It is the name of a state, whatever goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateName {
    /// See [`ConnectionState::Active`].
    Active,
    /// See [`ConnectionState::Cooling`].
    Cooling,
    /// See [`ConnectionState::Unreachable`].
    Unreachable,
    /// See [`ConnectionState::NeedsReconnection`].
    NeedsReconnection,
}

impl StateName {
    pub const ALL: [Self; 4] = [Self::Active, Self::Cooling, Self::Unreachable, Self::NeedsReconnection];

    /// Returns its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Cooling => "cooling",
            Self::Unreachable => "unreachable",
            Self::NeedsReconnection => "needs_reconnection",
        }
    }
}

impl ConnectionState {
    /// Returns its name.
    pub const fn name(self) -> StateName {
        match self {
            Self::Active => StateName::Active,
            Self::Cooling(_) => StateName::Cooling,
            Self::Unreachable => StateName::Unreachable,
            Self::NeedsReconnection => StateName::NeedsReconnection,
        }
    }

    /// Reads its word, with until when it cools; `None` where they do not fit.
    pub fn read(word: &str, cooling_until: Option<OffsetDateTime>) -> Option<Self> {
        match (word, cooling_until) {
            ("active", None) => Some(Self::Active),
            ("cooling", Some(until)) => Some(Self::Cooling(until)),
            ("unreachable", None) => Some(Self::Unreachable),
            ("needs_reconnection", None) => Some(Self::NeedsReconnection),
            _ => None,
        }
    }
}

/// It is a connection's state with what moves it. A connection that is new, or given another address or
/// secret, has [`Health::default`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    pub state: ConnectionState,
    /// There were so many failures since the last answer.
    pub failures: u32,
    /// There were so many requests for fewer calls since the last answer after one.
    pub slowdowns: u32,
    /// So many verifications failed since the connection was lost.
    pub failed_verifications: u32,
    /// It is to be verified next then; `None` while it is not lost.
    pub verify_at: Option<OffsetDateTime>,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            state: ConnectionState::Active,
            failures: 0,
            slowdowns: 0,
            failed_verifications: 0,
            verify_at: None,
        }
    }
}

/// A call tells this of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// It says whether it was a verification, the only call that is made while a connection is lost.
    pub verification: bool,
    pub finding: Finding,
}

/// It says what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// It answers as the contract says, a refusal included.
    Answers,
    /// It does not, or only that it is down.
    Fails,
    /// It asks for fewer calls, for so long where it says so.
    Slows(Option<Duration>),
    /// It does not accept the secret.
    Refuses,
    /// It is not known: the call was not made.
    Unknown,
}

/// It says why a system is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// It asked for fewer calls.
    #[error("the system asked for fewer calls")]
    Cooling,
    /// It has been failing.
    #[error("the system has been failing and is not called until it answers again")]
    Unreachable,
    /// It does not accept the secret.
    #[error("the system does not accept the secret: it has to be connected again")]
    NeedsReconnection,
}

impl Outcome {
    /// Returns what a call tells that came to `result`: a refusal is an answer like another.
    pub fn of_call<T>(result: &Result<T, CallError>) -> Self {
        let finding = match result {
            Ok(_) | Err(CallError::Refused { .. } | CallError::NotFound { .. }) => Finding::Answers,
            Err(error) => Finding::of(error),
        };
        Self { verification: false, finding }
    }

    /// Says what a verification tells: only the answer that it asks for heals.
    pub fn of_verification<T>(result: &Result<T, CallError>) -> Self {
        let finding = result.as_ref().map_or_else(Finding::of, |_| Finding::Answers);
        Self { verification: true, finding }
    }
}

impl Finding {
    const fn of(error: &CallError) -> Self {
        match error {
            CallError::NeedsReconnection { .. } => Self::Refuses,
            CallError::SlowDown { retry_after, .. } => Self::Slows(*retry_after),
            CallError::NotMade(_) => Self::Unknown,
            CallError::Refused { .. }
            | CallError::NotFound { .. }
            | CallError::Misdirected { .. }
            | CallError::Down { .. }
            | CallError::TimedOut
            | CallError::Unreachable { .. }
            | CallError::TooLarge
            | CallError::Unreadable { .. } => Self::Fails,
        }
    }
}

impl Health {
    /// Says whether the system may be called at `now`. A verification may be made at any time.
    ///
    /// # Errors
    /// [`Unavailable`] says why not.
    pub fn may_call(&self, now: OffsetDateTime) -> Result<(), Unavailable> {
        match self.state {
            ConnectionState::Cooling(until) if now < until => Err(Unavailable::Cooling),
            ConnectionState::Active | ConnectionState::Cooling(_) => Ok(()),
            ConnectionState::Unreachable => Err(Unavailable::Unreachable),
            ConnectionState::NeedsReconnection => Err(Unavailable::NeedsReconnection),
        }
    }

    /// Says where the connection stands after a call that ended at `now`. Only a verification that is
    /// answered ends a loss, so that calls which were under way when it was lost change nothing of it.
    pub fn after(self, outcome: Outcome, now: OffsetDateTime) -> Self {
        match (outcome.finding, self.is_lost()) {
            (Finding::Answers, true) if outcome.verification => Self::default(),
            (Finding::Unknown, _) | (Finding::Answers, true) => self,
            (Finding::Answers, false) => self.answered(now),
            (Finding::Refuses, _) => {
                let lost = self.lost(ConnectionState::NeedsReconnection, now);
                if self.is_lost() { lost.verified_in_vain(outcome, None, now) } else { lost }
            }
            (Finding::Slows(asked), true) => self.verified_in_vain(outcome, asked, now),
            (Finding::Slows(asked), false) => self.cooled(asked, now),
            (Finding::Fails, true) => self.verified_in_vain(outcome, None, now),
            (Finding::Fails, false) => {
                let failed = Self { failures: self.failures.saturating_add(1), ..self };
                if failed.failures < BREAKER_AFTER {
                    failed
                } else {
                    failed.lost(ConnectionState::Unreachable, now)
                }
            }
        }
    }

    const fn is_lost(&self) -> bool {
        matches!(self.state, ConnectionState::Unreachable | ConnectionState::NeedsReconnection)
    }

    /// An answer ends a cooling only when its time is over: others may have been under way when it began.
    fn answered(self, now: OffsetDateTime) -> Self {
        match self.state {
            ConnectionState::Cooling(until) if now < until => Self { failures: 0, ..self },
            _ => Self::default(),
        }
    }

    fn cooled(self, asked: Option<Duration>, now: OffsetDateTime) -> Self {
        let long = asked.unwrap_or_else(|| doubled(COOLING_FIRST, self.slowdowns, LONGEST_COOLING));
        let until = now + long.clamp(Duration::from_secs(1), LONGEST_COOLING);
        let until = match self.state {
            ConnectionState::Cooling(before) => before.max(until),
            _ => until,
        };
        Self {
            state: ConnectionState::Cooling(until),
            failures: 0,
            slowdowns: self.slowdowns.saturating_add(1),
            ..self
        }
    }

    fn lost(self, state: ConnectionState, now: OffsetDateTime) -> Self {
        let verify_at = self.verify_at.or(Some(now + VERIFY_FIRST));
        Self { state, slowdowns: 0, verify_at, ..self }
    }

    /// Returns the next verification of a lost connection, when this one failed. Other calls put nothing off.
    fn verified_in_vain(self, outcome: Outcome, asked: Option<Duration>, now: OffsetDateTime) -> Self {
        if !outcome.verification {
            return self;
        }
        let failed_verifications = self.failed_verifications.saturating_add(1);
        let gap = doubled(VERIFY_FIRST, failed_verifications, VERIFY_LONGEST);
        let asked = asked.unwrap_or_default().min(LONGEST_COOLING);
        Self { failed_verifications, verify_at: Some(now + gap.max(asked)), ..self }
    }
}

fn doubled(first: Duration, times: u32, longest: Duration) -> Duration {
    first.saturating_mul(1_u32.checked_shl(times).unwrap_or(u32::MAX)).min(longest)
}

#[cfg(test)]
mod tests;
