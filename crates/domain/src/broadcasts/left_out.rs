//! Numbers that a broadcast does without, as its progress lists them.

use serde::Serialize;
use time::OffsetDateTime;

use crate::{ids::ChannelId, pause_reason::PauseReason, phone::PhoneNumber};

/// Reason for which a broadcast does without a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    Disconnected,
    /// The network lets the account send nothing for now.
    AccountBarred,
    /// The network refuses what the number sends, whoever it goes to.
    NetworkRefused,
}

impl LeftOutReason {
    pub const ALL: [Self; 3] = [Self::Disconnected, Self::AccountBarred, Self::NetworkRefused];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disconnected => "disconnected",
            Self::AccountBarred => "account_barred",
            Self::NetworkRefused => "network_refused",
        }
    }

    /// Parses a name that `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Returns the reason for which the broadcast pauses if its last number is left out for this one.
    pub const fn pauses(self) -> PauseReason {
        match self {
            Self::Disconnected => PauseReason::NoNumber,
            Self::AccountBarred => PauseReason::AccountBarred,
            Self::NetworkRefused => PauseReason::NetworkRefused,
        }
    }
}

/// Number that a broadcast does without, until somebody sets the broadcast going again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutNumber {
    pub channel: ChannelId,
    pub phone: Option<PhoneNumber>,
    pub reason: LeftOutReason,
    /// The network's code, if the network refused.
    pub code: Option<i64>,
    pub at: OffsetDateTime,
}
