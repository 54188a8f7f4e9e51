//! How far a broadcast has come, and what may be done with it then.

use time::OffsetDateTime;

use super::{Audience, BroadcastContent};
use crate::{
    ids::{BroadcastId, MemberId},
    paging::Position,
};

/// It says how far a broadcast has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroadcastState {
    /// It is being written.
    Draft,
    /// It begins at a time.
    Scheduled,
    Running,
    /// Nobody is written to until it is resumed.
    Paused,
    /// Everybody was dealt with.
    Finished,
    /// It was ended before everybody was dealt with.
    Cancelled,
}

impl BroadcastState {
    pub const ALL: [Self; 6] =
        [Self::Draft, Self::Scheduled, Self::Running, Self::Paused, Self::Finished, Self::Cancelled];

    /// Returns its name on the wire.
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

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Says whether nothing more happens.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled)
    }
}

/// It is something that members do with a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Its content or audience is written anew.
    Edit,
    /// It is thrown away.
    Remove,
    /// It begins then; one that is paused goes on then.
    Start(OffsetDateTime),
    /// Nobody more is written to for now.
    Pause,
    /// It goes on; before the time at which it begins, it waits for that again.
    Resume,
    /// Nobody more is written to.
    Cancel,
}

/// The broadcast's state does not allow the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a broadcast that is {} cannot be {}", .is.as_str(), .wanted)]
pub struct WrongState {
    pub is: BroadcastState,
    /// It was to be done with the broadcast.
    pub wanted: &'static str,
}

impl Change {
    /// Says what is done, in a sentence's words.
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

    /// The state that follows at `now` for one that begins at `starts_at`; the same one where nothing is to be done any
    /// more.
    ///
    /// # Errors
    /// [`WrongState`].
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

/// It says why a broadcast was paused by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseReason {
    /// The plan has no room for more active customers this month.
    PlanLimit,
    /// The plan is paused.
    SubscriptionPaused,
    /// The template is there no more, or not approved now.
    TemplateUnusable,
    /// No number is connected that can send it.
    NoNumber,
    /// The network lets the account send nothing for now.
    AccountBarred,
    /// The network refuses messages for what they are, or for how many there are, and not for whom they go to.
    NetworkRefused,
    /// The group that it goes to is there no more.
    AudienceGone,
}

impl PauseReason {
    pub const ALL: [Self; 7] = [
        Self::PlanLimit,
        Self::SubscriptionPaused,
        Self::TemplateUnusable,
        Self::NoNumber,
        Self::AccountBarred,
        Self::NetworkRefused,
        Self::AudienceGone,
    ];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PlanLimit => "plan_limit_reached",
            Self::SubscriptionPaused => "subscription_paused",
            Self::TemplateUnusable => "template_unusable",
            Self::NoNumber => "no_number",
            Self::AccountBarred => "account_barred",
            Self::NetworkRefused => "network_refused",
            Self::AudienceGone => "audience_gone",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// A broadcast is an approved template to many people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// It is the reference of each of its messages, too.
    pub id: BroadcastId,
    pub name: String,
    pub state: BroadcastState,
    pub content: BroadcastContent,
    pub audience: Audience,
    /// They wrote it, and it goes in their name.
    pub author: MemberId,
    /// It says why it was paused by itself.
    pub reason: Option<PauseReason>,
    pub created_at: OffsetDateTime,
    /// It is to begin then, or began.
    pub starts_at: Option<OffsetDateTime>,
    /// It was over then.
    pub ended_at: Option<OffsetDateTime>,
    /// It says whether everybody of its audience has been collected.
    pub collected: bool,
    /// The audience has been collected up to there.
    pub collected_to: Option<Position>,
    /// As long as it runs, it waits until then: its numbers have written to as many people as the network lets them.
    pub limited_until: Option<OffsetDateTime>,
}

impl Broadcast {
    /// Returns until when it writes to nobody since its quiet hours are now; `None` where they are not, or it does not run.
    pub fn quiet_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let quiet = self.content.quiet.as_ref().filter(|_| self.state == BroadcastState::Running);
        quiet.and_then(|quiet| quiet.until(now))
    }
}

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
