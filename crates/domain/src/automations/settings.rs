//! Settings of a workspace besides its rules.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::hours::OpeningHours;

/// Waiting time of a sweeper in whole minutes: at least one, at most a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Minutes(u32);

/// Longest waiting time: a year, in minutes.
const LONGEST: u32 = 366 * 24 * 60;

/// Error for a number that is no waiting time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a waiting time is 1 to {LONGEST} minutes")]
pub struct InvalidMinutes;

impl TryFrom<u32> for Minutes {
    type Error = InvalidMinutes;

    fn try_from(minutes: u32) -> Result<Self, InvalidMinutes> {
        if (1..=LONGEST).contains(&minutes) { Ok(Self(minutes)) } else { Err(InvalidMinutes) }
    }
}

impl From<Minutes> for u32 {
    fn from(minutes: Minutes) -> Self {
        minutes.0
    }
}

impl From<Minutes> for Duration {
    fn from(minutes: Minutes) -> Self {
        Self::from_secs(u64::from(minutes.0) * 60)
    }
}

/// Opening hours, `None` if always open, and waiting times of the sweepers, `None` to turn one off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    pub hours: Option<OpeningHours>,
    /// Time without a message or a move after which a conversation is closed.
    pub idle_close: Option<Minutes>,
    /// Time after which an open conversation whose customer waits goes back to the assistant.
    pub unanswered_return: Option<Minutes>,
}
