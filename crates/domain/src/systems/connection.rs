//! Connection of a workspace to its own system.

use time::OffsetDateTime;

use super::{
    address::{SystemBase, SystemSecret},
    answered::{Answered, CallError, FailedCall},
    capability::Introduction,
    health::{ConnectionState, Finding, Health, Outcome, StateName},
};
use crate::ids::{MemberId, SystemId};

/// A connection without its secret, as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemConnection {
    /// New each time that the workspace connects a system at another address.
    pub id: SystemId,
    pub base: SystemBase,
    /// The system's last answer to a verification.
    pub introduction: Introduction,
    pub health: Health,
    /// Last failure, in words for the owner; `None` while all goes well.
    pub problem: Option<String>,
    pub state_since: OffsetDateTime,
    /// Member who connected the system; `None` for an operator.
    pub creator: Option<MemberId>,
    /// Time when the system was connected with its present secret.
    pub connected_at: OffsetDateTime,
    /// Time of the last answered verification.
    pub verified_at: OffsetDateTime,
    /// Raised by every change of the row, so that a write can tell whether its read is stale.
    pub version: i64,
}

/// A connection with its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedSystem {
    pub connection: SystemConnection,
    pub secret: SystemSecret,
}

/// Outcome of an ended call, as far as it bears on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutcome {
    pub outcome: Outcome,
    /// Answer to a verification.
    pub introduction: Option<Introduction>,
    /// Failure in words for the owner; `None` if the call succeeded.
    pub problem: Option<String>,
}

impl CallOutcome {
    /// Creates the outcome of a call other than a verification.
    pub fn of_call<T>(result: &Result<Answered<T>, FailedCall>) -> Self {
        let told = result.as_ref().map(|_| ()).map_err(|failed| failed.error.clone());
        let problem = told.as_ref().err().map(ToString::to_string);
        Self { outcome: Outcome::of_call(&told), introduction: None, problem }
    }

    /// Creates the outcome of a verification.
    pub fn of_verification(result: Result<&Introduction, &CallError>) -> Self {
        Self {
            outcome: Outcome::of_verification(&result.map_err(Clone::clone)),
            introduction: result.ok().cloned(),
            problem: result.err().map(ToString::to_string),
        }
    }
}

impl SystemConnection {
    /// Creates the connection of a system that has just answered its first verification.
    pub fn new(id: SystemId, base: SystemBase, introduction: Introduction, now: OffsetDateTime) -> Self {
        Self {
            id,
            base,
            introduction,
            health: Health::default(),
            problem: None,
            state_since: now,
            creator: None,
            connected_at: now,
            verified_at: now,
            version: 0,
        }
    }

    /// Returns whether both are the same system with the same secret, so that what a call to one said holds
    /// for the other.
    pub fn is_still(&self, other: &Self) -> bool {
        self.id == other.id && self.connected_at == other.connected_at
    }

    /// Returns the connection after a call that ended at `now`, unchanged if the call said nothing new.
    pub fn after(&self, call: &CallOutcome, now: OffsetDateTime) -> Self {
        let health = self.health.after(call.outcome, now);
        let problem = match call.outcome.finding {
            Finding::Answers if health.state == ConnectionState::Active => None,
            // A call that was under way when the connection was lost says nothing of the reason.
            Finding::Answers | Finding::Unknown => self.problem.clone(),
            Finding::Fails | Finding::Slows(_) | Finding::Refuses => call.problem.clone(),
        };
        let moved = health.state.name() != self.health.state.name();
        let introduction = call.introduction.as_ref();
        Self {
            health,
            problem,
            state_since: if moved { now } else { self.state_since },
            verified_at: if introduction.is_some() { now } else { self.verified_at },
            introduction: introduction.unwrap_or(&self.introduction).clone(),
            ..self.clone()
        }
    }

    /// Returns whether the change from `before` is news to the team: another state, or another introduction.
    pub fn is_news_after(&self, before: &Self) -> bool {
        self.health.state.name() != before.health.state.name() || self.introduction != before.introduction
    }

    /// Returns the name of the state at `now`: a cooling ends by itself.
    pub fn state_at(&self, now: OffsetDateTime) -> StateName {
        match self.health.state {
            ConnectionState::Cooling(until) if until <= now => StateName::Active,
            state => state.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::{CallOutcome, SystemConnection};
    use crate::{
        systems::{
            CallError, Capabilities, Capability, ConnectionState, Health, Introduction, Outcome, StateName,
            SystemBase,
        },
        testing::a_moment,
        text::PlainText,
    };

    fn introduction(capabilities: &[Capability]) -> Introduction {
        Introduction {
            name: PlainText::read("متجر النخيل", 200).unwrap(),
            currency: "IQD".parse().unwrap(),
            capabilities: capabilities.iter().copied().collect::<Capabilities>(),
        }
    }

    fn connection() -> SystemConnection {
        let base = SystemBase::parse("https://shop.example/api").unwrap();
        SystemConnection::new(
            uuid::Uuid::from_u128(1).into(),
            base,
            introduction(&[Capability::Catalog]),
            a_moment(),
        )
    }

    fn verified(result: Result<&Introduction, &CallError>) -> CallOutcome {
        CallOutcome::of_verification(result)
    }

    #[test]
    fn a_refused_secret_is_told_and_the_next_answered_verification_mends_it() {
        let (one, two) = (datetime!(2026-11-22 10:00 UTC), datetime!(2026-11-22 10:01 UTC));
        let lost = connection()
            .after(&verified(Err(&CallError::NeedsReconnection { status: 401, message: None })), one);
        assert_eq!(lost.health.state, ConnectionState::NeedsReconnection);
        assert_eq!(lost.problem.as_deref(), Some("the system does not accept the secret"));
        assert_eq!((lost.state_since, lost.verified_at), (one, a_moment()));
        assert!(lost.is_news_after(&connection()));

        let again =
            lost.after(&verified(Err(&CallError::NeedsReconnection { status: 401, message: None })), two);
        assert!(!again.is_news_after(&lost) && again.state_since == one, "it is the same loss");

        let answered = introduction(&[Capability::Catalog]);
        let healed = again.after(&verified(Ok(&answered)), two);
        assert_eq!((healed.health, &healed.problem), (Health::default(), &None));
        assert_eq!((healed.state_since, healed.verified_at), (two, two));
        assert!(healed.is_news_after(&again));
    }

    #[test]
    fn another_introduction_is_news_and_the_same_one_is_not() {
        let now = datetime!(2026-11-22 10:00 UTC);
        let (same, more) =
            (introduction(&[Capability::Catalog]), introduction(&[Capability::Catalog, Capability::Orders]));
        assert!(!connection().after(&verified(Ok(&same)), now).is_news_after(&connection()));
        let grown = connection().after(&verified(Ok(&more)), now);
        assert!(grown.is_news_after(&connection()) && grown.introduction == more);
    }

    #[test]
    fn an_answer_to_a_call_that_was_under_way_mends_nothing_and_tells_nothing() {
        let now = datetime!(2026-11-22 10:00 UTC);
        let lost = connection()
            .after(&verified(Err(&CallError::NeedsReconnection { status: 403, message: None })), now);
        let answered =
            CallOutcome { outcome: Outcome::of_call::<()>(&Ok(())), introduction: None, problem: None };
        assert_eq!(lost.after(&answered, now), lost);
        let not_made = verified(Err(&CallError::NotMade("no reason")));
        assert_eq!(connection().after(&not_made, now), connection());
    }

    #[test]
    fn a_cooling_is_over_when_its_time_is() {
        let now = datetime!(2026-11-22 10:00 UTC);
        let slow = CallError::SlowDown { retry_after: Some(Duration::from_mins(1)), message: None };
        let cooling = connection().after(&verified(Err(&slow)), now);
        assert_eq!(cooling.state_at(now), StateName::Cooling);
        assert_eq!(cooling.state_at(now + Duration::from_mins(1)), StateName::Active);
    }
}
