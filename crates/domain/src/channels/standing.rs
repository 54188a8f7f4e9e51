//! Standing of an account at its network.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Extent of what the network lets an account do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandingState {
    Good,
    /// Able to do some things only.
    Restricted,
    /// Able to do nothing.
    Disabled,
    Deleted,
}

impl StandingState {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Restricted => "restricted",
            Self::Disabled => "disabled",
            Self::Deleted => "deleted",
        }
    }
}

/// Standing of an account, as its network last told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountStanding {
    pub state: StandingState,
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// End of a restriction; `None` if the network told none.
    #[serde(with = "time::serde::rfc3339::option")]
    pub until: Option<OffsetDateTime>,
    /// Whether what the business begins, which is templates, is barred.
    pub bars_templates: bool,
    /// Whether replies to customers are barred.
    pub bars_replies: bool,
    /// The network's own names for what is wrong.
    pub detail: Option<String>,
}

impl AccountStanding {
    /// Returns a standing that bars everything if the account is disabled or deleted, and nothing otherwise.
    pub const fn since(state: StandingState, since: OffsetDateTime) -> Self {
        let bars = matches!(state, StandingState::Disabled | StandingState::Deleted);
        Self { state, since, until: None, bars_templates: bars, bars_replies: bars, detail: None }
    }

    /// Returns whether the account is limited in something at `now`.
    pub fn holds(&self, now: OffsetDateTime) -> bool {
        self.state != StandingState::Good && self.until.is_none_or(|until| now < until)
    }

    /// Returns why a template (or else a reply) is not sent at `now`; `None` if it is.
    pub fn bars(&self, template: bool, now: OffsetDateTime) -> Option<StandingState> {
        let bars = if template { self.bars_templates } else { self.bars_replies };
        (bars && self.holds(now)).then_some(self.state)
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime, macros::datetime};

    use super::{AccountStanding, StandingState};

    const NOW: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

    #[test]
    fn an_account_that_is_disabled_or_deleted_sends_nothing_and_a_restricted_one_what_it_may() {
        use StandingState::{Deleted, Disabled, Good, Restricted};
        let restricted = AccountStanding { bars_templates: true, ..AccountStanding::since(Restricted, NOW) };
        for (standing, template, reply) in [
            (AccountStanding::since(Good, NOW), None, None),
            (AccountStanding::since(Disabled, NOW), Some(Disabled), Some(Disabled)),
            (AccountStanding::since(Deleted, NOW), Some(Deleted), Some(Deleted)),
            (restricted, Some(Restricted), None),
        ] {
            assert_eq!((standing.bars(true, NOW), standing.bars(false, NOW)), (template, reply));
        }
    }

    #[test]
    fn a_restriction_ends_when_the_network_said_that_it_would() {
        let until = Some(NOW + Duration::hours(1));
        let mut standing = AccountStanding::since(StandingState::Restricted, NOW);
        standing = AccountStanding { until, bars_replies: true, ..standing };
        assert_eq!(standing.bars(false, NOW), Some(StandingState::Restricted));
        assert_eq!(standing.bars(false, NOW + Duration::hours(1)), None);
        let read: AccountStanding = serde_json::from_value(serde_json::to_value(&standing).unwrap()).unwrap();
        assert_eq!(read, standing);
    }
}
