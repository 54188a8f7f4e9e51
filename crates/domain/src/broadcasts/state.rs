//! State of a broadcast, and the changes that it allows.

use time::OffsetDateTime;

use super::{audience::Audience, content::BroadcastContent};
use crate::{
    ids::{BroadcastId, MemberId},
    paging::Position,
    pause_reason::PauseReason,
};

/// State of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroadcastState {
    Draft,
    Scheduled,
    Running,
    Paused,
    Finished,
    Cancelled,
}

impl BroadcastState {
    pub const ALL: [Self; 6] =
        [Self::Draft, Self::Scheduled, Self::Running, Self::Paused, Self::Finished, Self::Cancelled];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses a name that `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Returns whether nothing more happens.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled)
    }
}

/// Change that members make to a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Edit,
    Remove,
    /// Start, or for a paused broadcast resumption, at this time.
    Start(OffsetDateTime),
    Pause,
    /// Resumption; before its start time, the broadcast waits for that again.
    Resume,
    Cancel,
}

/// Change that the broadcast's state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a broadcast that is {} cannot be {}", .is.as_str(), .wanted)]
pub struct WrongState {
    pub is: BroadcastState,
    /// Participle of the refused change, such as `started`.
    pub wanted: &'static str,
}

impl Change {
    const fn spoken(self) -> &'static str {
        match self {
            Self::Edit => "changed",
            Self::Remove => "removed",
            Self::Start(_) => "started",
            Self::Pause => "paused",
            Self::Resume => "resumed",
            Self::Cancel => "cancelled",
        }
    }

    /// Returns the state that follows at `now` for a broadcast that begins at `starts_at`; the same one if
    /// nothing is left to do.
    pub fn of(
        self,
        is: BroadcastState,
        starts_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Result<BroadcastState, WrongState> {
        use BroadcastState::{Cancelled, Draft, Paused, Running, Scheduled};
        let at = |at: OffsetDateTime| if at > now { Scheduled } else { Running };
        match (self, is) {
            (Self::Edit | Self::Remove, Draft) => Ok(Draft),
            (Self::Start(starts_at), Draft | Scheduled | Paused) => Ok(at(starts_at)),
            (Self::Pause, Scheduled | Running | Paused) => Ok(Paused),
            (Self::Resume, Paused) => Ok(starts_at.map_or(Running, at)),
            (Self::Resume, Scheduled | Running) => Ok(is),
            (Self::Cancel, Scheduled | Running | Paused | Cancelled) => Ok(Cancelled),
            _ => Err(WrongState { is, wanted: self.spoken() }),
        }
    }
}

/// An approved template sent to many people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// Also the reference of each of its messages.
    pub id: BroadcastId,
    pub name: String,
    pub state: BroadcastState,
    pub content: BroadcastContent,
    pub audience: Audience,
    /// Member who wrote it, and in whose name it goes.
    pub author: MemberId,
    pub reason: Option<PauseReason>,
    pub created_at: OffsetDateTime,
    pub starts_at: Option<OffsetDateTime>,
    pub ended_at: Option<OffsetDateTime>,
    pub collected: bool,
    /// Position up to which the audience has been collected; `None` before the first part and after the last.
    pub collected_to: Option<Position>,
    /// End of a running broadcast's wait for the network's limit: its numbers have written to as many people
    /// as they may.
    pub limited_until: Option<OffsetDateTime>,
}

impl Broadcast {
    /// Returns when the quiet hours that hold now end; `None` if none hold, or the broadcast does not run.
    pub fn quiet_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let quiet = self.content.quiet.as_ref().filter(|_| self.state == BroadcastState::Running);
        quiet.and_then(|quiet| quiet.until(now))
    }
}

/// Longest name, in characters.
pub const LONGEST_NAME: usize = 100;

/// Most broadcasts of a workspace that are not over.
pub const MOST_OPEN: u32 = 100;

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::{Broadcast, BroadcastState, Change};
    use crate::{
        broadcasts::BroadcastContent,
        testing::{a_broadcast, a_moment},
    };

    #[test]
    fn one_that_runs_says_until_when_it_is_quiet() {
        let now = a_moment();
        let clock = |at: time::OffsetDateTime| format!("{:02}:{:02}", at.hour(), at.minute());
        let (from, to) = (clock(now - Duration::HOUR), clock(now + Duration::HOUR));
        let content = |quiet: serde_json::Value| -> BroadcastContent {
            let content = serde_json::json!({
                "template": "offer", "language": null, "from": null, "variables": {}, "headerText": null,
                "headerLink": null, "buttonVariables": [], "quiet": quiet,
            });
            serde_json::from_value(content).unwrap()
        };
        let quiet = content(serde_json::json!({ "zone": "UTC", "hours": [from, to] }));
        let told = |state, content: &BroadcastContent| {
            let broadcast = Broadcast {
                state,
                content: content.clone(),
                starts_at: Some(now),
                collected: true,
                ..a_broadcast()
            };
            broadcast.quiet_until(now).map(clock)
        };
        assert_eq!(told(BroadcastState::Running, &quiet), Some(clock(now + Duration::HOUR)));
        assert_eq!(told(BroadcastState::Paused, &quiet), None);
        assert_eq!(told(BroadcastState::Running, &content(serde_json::Value::Null)), None);
    }

    #[test]
    fn what_may_be_done_follows_from_how_far_it_has_come() {
        use BroadcastState::{Cancelled, Draft, Finished, Paused, Running, Scheduled};
        let (now, later) = (a_moment(), a_moment() + Duration::HOUR);
        for (change, allowed) in [
            (Change::Edit, vec![(Draft, Draft)]),
            (Change::Remove, vec![(Draft, Draft)]),
            (Change::Start(now), vec![(Draft, Running), (Scheduled, Running), (Paused, Running)]),
            (Change::Start(later), vec![(Draft, Scheduled), (Scheduled, Scheduled), (Paused, Scheduled)]),
            (Change::Pause, vec![(Scheduled, Paused), (Running, Paused), (Paused, Paused)]),
            (Change::Resume, vec![(Paused, Running), (Scheduled, Scheduled), (Running, Running)]),
            (
                Change::Cancel,
                vec![
                    (Scheduled, Cancelled),
                    (Running, Cancelled),
                    (Paused, Cancelled),
                    (Cancelled, Cancelled),
                ],
            ),
        ] {
            for is in BroadcastState::ALL {
                let wanted = allowed.iter().find(|(from, _)| *from == is).map(|(_, to)| *to);
                assert_eq!(change.of(is, Some(now), now).ok(), wanted, "{change:?} {is:?}");
            }
        }
        assert!(Finished.is_over() && Cancelled.is_over() && !Paused.is_over());
        for state in BroadcastState::ALL {
            assert_eq!(BroadcastState::read(state.as_str()), Some(state));
        }
    }

    #[test]
    fn one_that_was_paused_before_its_time_waits_for_it_again() {
        use BroadcastState::{Paused, Running, Scheduled};
        let now = a_moment();
        for (starts_at, wanted) in [
            (None, Running),
            (Some(now - Duration::HOUR), Running),
            (Some(now), Running),
            (Some(now + Duration::HOUR), Scheduled),
        ] {
            assert_eq!(Change::Resume.of(Paused, starts_at, now), Ok(wanted), "{starts_at:?}");
        }
    }

    #[test]
    fn a_refused_change_says_why() {
        let refused = Change::Resume.of(BroadcastState::Draft, None, a_moment()).unwrap_err();
        assert_eq!(refused.to_string(), "a broadcast that is draft cannot be resumed");
    }
}
