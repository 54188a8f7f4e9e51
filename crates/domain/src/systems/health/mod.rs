//! Health of a connection: whether its system may be called, by how it has been answering.

use std::time::Duration;

use serde::Serialize;
use time::OffsetDateTime;

use super::answered::CallError;

/// Failures in a row after which a system is not called any more.
pub const BREAKER_AFTER: u32 = 5;
/// Longest time for which one request for fewer calls is heeded.
pub const LONGEST_COOLING: Duration = Duration::from_mins(10);
/// First cooling of a system that asks for fewer calls without a time; doubles with each further request.
const COOLING_FIRST: Duration = Duration::from_secs(30);
/// Time from the loss of a connection to its first verification.
pub const VERIFY_FIRST: Duration = Duration::from_mins(1);
/// Longest gap between two verifications of a lost connection; the gaps double up to it.
pub const VERIFY_LONGEST: Duration = Duration::from_mins(15);

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    /// The system is called.
    Active,
    /// The system asked for fewer calls and is not called until this time.
    Cooling(OffsetDateTime),
    /// The system failed [`BREAKER_AFTER`] times in a row and is not called until it answers a verification.
    Unreachable,
    /// The system does not accept the secret and is not called until it answers a verification.
    NeedsReconnection,
}

/// Name of a [`ConnectionState`], without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StateName {
    Active,
    Cooling,
    Unreachable,
    NeedsReconnection,
}

impl StateName {
    pub const ALL: [Self; 4] = [Self::Active, Self::Cooling, Self::Unreachable, Self::NeedsReconnection];

    /// Returns the state's word, on the wire and in the store.
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
    /// Returns the state's name.
    pub const fn name(self) -> StateName {
        match self {
            Self::Active => StateName::Active,
            Self::Cooling(_) => StateName::Cooling,
            Self::Unreachable => StateName::Unreachable,
            Self::NeedsReconnection => StateName::NeedsReconnection,
        }
    }

    /// Parses a state's word and the end of its cooling; `None` if they do not fit each other.
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

/// State of a connection with the counts that move it. A connection that is new, or has another address or
/// secret, has [`Health::default`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    pub state: ConnectionState,
    /// Failures in a row, reset by an answer or a cooling.
    pub failures: u32,
    /// Requests for fewer calls in a row, reset by an answer after the cooling or by a loss.
    pub slowdowns: u32,
    /// Verifications that failed since the connection was lost.
    pub failed_verifications: u32,
    /// Time of the next verification; `None` unless the connection is lost.
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

/// Outcome of a call, as far as it bears on a connection's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the call was a verification, the only one made while a connection is lost.
    pub verification: bool,
    pub finding: Finding,
}

/// Finding of a call about its system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The system answers as the contract says; to calls other than a verification, a refusal counts too.
    Answers,
    /// The system does not answer, says that it is down, or breaks the contract.
    Fails,
    /// The system asks for fewer calls, perhaps for a given time.
    Slows(Option<Duration>),
    Refuses,
    /// Nothing, because the call was not made.
    Unknown,
}

/// Reason why a system is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    #[error("the system asked for fewer calls")]
    Cooling,
    #[error("the system has been failing and is not called until it answers again")]
    Unreachable,
    #[error("the system does not accept the secret: it has to be connected again")]
    NeedsReconnection,
}

impl Outcome {
    /// Returns the outcome of a call other than a verification: a refusal is an answer too.
    pub fn of_call<T>(result: &Result<T, CallError>) -> Self {
        let finding = match result {
            Ok(_) | Err(CallError::Refused { .. } | CallError::NotFound { .. }) => Finding::Answers,
            Err(error) => Finding::of(error),
        };
        Self { verification: false, finding }
    }

    /// Returns the outcome of a verification: only an introduction counts as an answer.
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
    /// Checks whether the system may be called at `now`. A verification may be made at any time.
    pub fn may_call(&self, now: OffsetDateTime) -> Result<(), Unavailable> {
        match self.state {
            ConnectionState::Cooling(until) if now < until => Err(Unavailable::Cooling),
            ConnectionState::Active | ConnectionState::Cooling(_) => Ok(()),
            ConnectionState::Unreachable => Err(Unavailable::Unreachable),
            ConnectionState::NeedsReconnection => Err(Unavailable::NeedsReconnection),
        }
    }

    /// Returns the health after a call that ended at `now`. Only an answered verification ends a loss, not
    /// an answer to a call that was under way when the connection was lost.
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

    /// Returns the health after an answer, which ends a cooling only when its time is over: the call may have
    /// been under way when the cooling began.
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

    /// Returns the health of a lost connection after a failed verification, with the time of the next one.
    /// Other calls put nothing off.
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
