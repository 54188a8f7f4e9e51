//! Health of an account's numbers, and alerts to its owners.

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    ChannelKind,
    standing::{AccountStanding, StandingState},
};
use crate::{
    ids::{AccountId, ChannelId},
    phone::PhoneNumber,
};

/// Error codes of refusals that concern the number or its account, and not a message
/// (`docs/use/troubleshooting.md`).
pub const CODES_OF_CHANNELS: [i64; 13] =
    [3, 10, 190, 200, 368, 131_005, 131_031, 131_037, 131_042, 131_045, 131_048, 131_064, 133_010];
/// Error code of a token that no longer opens anything.
pub const TOKEN_REFUSED: i64 = 190;

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub enum $name {
            $($(#[$of])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Parses a name; `None` if it is unknown.
            pub fn read(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == name)
            }
        }
    };
}

names! {
    /// State of a number at the network.
    NumberState {
        /// Able to send.
        Connected = "connected",
        Pending = "pending",
        Disconnected = "disconnected",
        /// Able to send, with bad quality.
        Flagged = "flagged",
        /// At the limit of what it may send for now.
        Restricted = "restricted",
        /// Sending too much in too short a time.
        RateLimited = "rate_limited",
        Banned = "banned",
        Migrated = "migrated",
        Deleted = "deleted",
        Unverified = "unverified",
        /// Any state that has no name here.
        Unknown = "unknown",
    }
}

names! {
    /// The network's rating of how people take a number's messages.
    Quality {
        Green = "green",
        Yellow = "yellow",
        /// Taken badly: its messaging limit is going to fall.
        Red = "red",
        /// Not told, or not yet.
        Unknown = "unknown",
    }
}

names! {
    /// Subject of an alert.
    AlertKind {
        TokenRefused = "token_refused",
        /// The network refuses to tell of the account.
        AccountRefused = "account_refused",
        /// The account may not do everything.
        AccountRestricted = "account_restricted",
        /// The account may do nothing.
        AccountDisabled = "account_disabled",
        AccountDeleted = "account_deleted",
        NumberBanned = "number_banned",
        /// A number that could send no longer can.
        NumberStopped = "number_stopped",
        QualityLow = "quality_low",
        /// The assistant has used four fifths of its tokens of the day. Concerns no channel.
        AssistantTokens = "assistant_tokens",
    }
}

/// Health of a number when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberHealth {
    pub state: NumberState,
    pub quality: Quality,
    pub name: Option<String>,
    /// The network's verdict on `name`, in its own word.
    pub name_state: Option<String>,
    /// Number of people that it may begin to write to in a day, in the network's own word.
    pub messaging_limit: Option<String>,
}

impl Default for NumberHealth {
    fn default() -> Self {
        Self {
            state: NumberState::Unknown,
            quality: Quality::Unknown,
            name: None,
            name_state: None,
            messaging_limit: None,
        }
    }
}

/// A refusal by the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelError {
    pub code: i64,
    /// The network's words; empty if it gave none.
    pub message: String,
    pub at: OffsetDateTime,
}

impl ChannelError {
    /// Returns whether a new token helps.
    pub const fn is_of_token(&self) -> bool {
        self.code == TOKEN_REFUSED
    }

    /// Returns the alert that it raises when it came in reply to reading an account.
    pub const fn alert(&self) -> AlertKind {
        if self.code == TOKEN_REFUSED { AlertKind::TokenRefused } else { AlertKind::AccountRefused }
    }
}

/// A number of an account, with its health.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberReport {
    /// Id here; `None` if the number cannot send.
    pub channel: Option<ChannelId>,
    pub network_id: String,
    pub phone: PhoneNumber,
    pub health: NumberHealth,
    /// Last refusal that concerned the number or its account, in the period of the report.
    pub last_error: Option<ChannelError>,
    pub read_at: OffsetDateTime,
}

/// Report on a page or its Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionReport {
    pub channel: ChannelId,
    pub network_id: String,
    pub kind: ChannelKind,
    /// Last refusal that concerned the connection or its account, in the period of the report.
    pub last_error: Option<ChannelError>,
}

/// A page as it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageReport {
    pub name: Option<String>,
    /// When it was last read without a refusal.
    pub read_at: Option<OffsetDateTime>,
    /// The page, and the Instagram account that is linked to it.
    pub connections: Vec<ConnectionReport>,
}

/// An account, with the health of its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountReport {
    pub account: AccountId,
    /// Why it could not be read, and since when; `None` if the last reading went well.
    pub problem: Option<ChannelError>,
    /// In the order of their ids at the network.
    pub numbers: Vec<NumberReport>,
    /// `None` for an account that is no page.
    pub page: Option<PageReport>,
}

/// An alert to owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelAlert {
    pub account_network_id: String,
    /// `None` if the alert is not about a number.
    pub phone: Option<PhoneNumber>,
    pub kind: AlertKind,
    /// Details in the network's own words.
    pub detail: Option<String>,
}

/// Returns the alert for a number whose health was `before` and is `now`; `None` for a number that is new.
pub fn alert_of_number(before: Option<&NumberHealth>, now: &NumberHealth) -> Option<AlertKind> {
    let before = before?;
    let could_send =
        |health: &NumberHealth| matches!(health.state, NumberState::Connected | NumberState::Flagged);
    if now.state == NumberState::Banned && before.state != NumberState::Banned {
        return Some(AlertKind::NumberBanned);
    }
    // Whether a number sends in a state that has no name here is not known.
    if could_send(before) && !could_send(now) && now.state != NumberState::Unknown {
        return Some(AlertKind::NumberStopped);
    }
    (now.quality == Quality::Red && before.quality != Quality::Red).then_some(AlertKind::QualityLow)
}

/// Returns the alert for an account's standing; `None` if it is well again.
pub const fn alert_of_standing(standing: &AccountStanding) -> Option<AlertKind> {
    match standing.state {
        StandingState::Good => None,
        StandingState::Restricted => Some(AlertKind::AccountRestricted),
        StandingState::Disabled => Some(AlertKind::AccountDisabled),
        StandingState::Deleted => Some(AlertKind::AccountDeleted),
    }
}

#[cfg(test)]
mod tests {
    use super::{AlertKind, NumberHealth, NumberState, Quality, alert_of_number};

    fn health(state: NumberState, quality: Quality) -> NumberHealth {
        NumberHealth { state, quality, ..NumberHealth::default() }
    }

    #[test]
    fn an_owner_is_told_once_of_a_number_that_was_banned_stopped_or_is_taken_badly() {
        use NumberState::{Banned, Connected, Disconnected, Flagged, Pending, Unknown};
        use Quality::{Green, Red, Yellow};
        for (before, now, told) in [
            ((Connected, Green), (Connected, Green), None),
            ((Connected, Green), (Banned, Green), Some(AlertKind::NumberBanned)),
            ((Pending, Green), (Banned, Green), Some(AlertKind::NumberBanned)),
            ((Banned, Green), (Banned, Red), Some(AlertKind::QualityLow)),
            ((Banned, Red), (Banned, Red), None),
            ((Connected, Green), (Flagged, Yellow), None),
            ((Flagged, Green), (Disconnected, Green), Some(AlertKind::NumberStopped)),
            ((Disconnected, Green), (Connected, Green), None),
            ((Connected, Green), (Unknown, Green), None),
            ((Connected, Green), (Unknown, Red), Some(AlertKind::QualityLow)),
            ((Unknown, Green), (Banned, Green), Some(AlertKind::NumberBanned)),
            ((Connected, Yellow), (Connected, Red), Some(AlertKind::QualityLow)),
        ] {
            let (before, now) = (health(before.0, before.1), health(now.0, now.1));
            assert_eq!(alert_of_number(Some(&before), &now), told, "{before:?} {now:?}");
        }
        assert_eq!(alert_of_number(None, &health(Banned, Red)), None, "an account that is new");
    }

    #[test]
    fn every_name_reads_back() {
        assert!(NumberState::ALL.into_iter().all(|one| NumberState::read(one.as_str()) == Some(one)));
        assert!(Quality::ALL.into_iter().all(|one| Quality::read(one.as_str()) == Some(one)));
        assert!(AlertKind::ALL.into_iter().all(|one| AlertKind::read(one.as_str()) == Some(one)));
    }
}
