//! How the numbers of an account stand, and what its owners are told of that.

use time::OffsetDateTime;

use super::{AccountStanding, ChannelKind, StandingState};
use crate::{
    ids::{AccountId, ChannelId},
    phone::PhoneNumber,
};

/// They are the network's codes of refusals that are the number's or its account's, and no message's
/// (`docs/troubleshooting.md`).
pub const CODES_OF_CHANNELS: [i64; 13] =
    [3, 10, 190, 200, 368, 131_005, 131_031, 131_037, 131_042, 131_045, 131_048, 131_064, 133_010];
/// The network answers with this code when a token opens nothing any more.
const TOKEN_REFUSED: i64 = 190;

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// Returns its name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Reads what `as_str` returns; `None` where `name` is anything else.
            pub fn read(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == name)
            }
        }
    };
}

names! {
    /// It says what a number is at the network.
    NumberState {
        /// It sends.
        Connected = "connected",
        /// It is not registered yet.
        Pending = "pending",
        /// It is not registered any more.
        Disconnected = "disconnected",
        /// It sends, and its quality is bad.
        Flagged = "flagged",
        /// It has sent as much as it may for now.
        Restricted = "restricted",
        /// It has sent too much in too short a time.
        RateLimited = "rate_limited",
        /// The network has banned it.
        Banned = "banned",
        /// It has moved to another account.
        Migrated = "migrated",
        /// It is no more.
        Deleted = "deleted",
        /// It is not verified.
        Unverified = "unverified",
        /// The network names a state that has no name here.
        Unknown = "unknown",
    }
}

names! {
    /// It says what the network makes of how people take a number's messages.
    Quality {
        /// People take its messages well.
        Green = "green",
        /// People take its messages less well.
        Yellow = "yellow",
        /// People take its messages badly: what it may send is going to be less.
        Red = "red",
        /// The network does not say, or has not said yet.
        Unknown = "unknown",
    }
}

names! {
    /// An owner is told this.
    AlertKind {
        /// The token does not open the account any more.
        TokenRefused = "token_refused",
        /// The network refuses to tell of the account.
        AccountRefused = "account_refused",
        /// The account may not do everything.
        AccountRestricted = "account_restricted",
        /// The account may do nothing.
        AccountDisabled = "account_disabled",
        /// The account is no more.
        AccountDeleted = "account_deleted",
        /// A number was banned.
        NumberBanned = "number_banned",
        /// A number that could send cannot any more.
        NumberStopped = "number_stopped",
        /// People take what a number sends badly.
        QualityLow = "quality_low",
        /// The assistant has taken four fifths of its tokens of the day: it is about no channel.
        AssistantTokens = "assistant_tokens",
    }
}

/// It says how a number stood when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberHealth {
    pub state: NumberState,
    /// It says how the number's messages are taken.
    pub quality: Quality,
    pub name: Option<String>,
    /// The network makes this of that name, in its own word.
    pub name_state: Option<String>,
    /// It says how many people it may begin to write to in a day, in the network's own word.
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

/// It says what the network refused, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelError {
    pub code: i64,
    /// They are the network's words; empty where it had none.
    pub message: String,
    pub at: OffsetDateTime,
}

impl ChannelError {
    /// Says whether a new token helps.
    pub const fn is_of_token(&self) -> bool {
        self.code == TOKEN_REFUSED
    }

    /// Returns what an owner is told of it, where it came to reading an account.
    pub const fn alert(&self) -> AlertKind {
        if self.code == TOKEN_REFUSED { AlertKind::TokenRefused } else { AlertKind::AccountRefused }
    }
}

/// It is a number of an account with how it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberReport {
    /// It is the number's id here; `None` where the number cannot send.
    pub channel: Option<ChannelId>,
    pub network_id: String,
    pub phone: PhoneNumber,
    pub health: NumberHealth,
    /// It is the last refusal that was its own or its account's, of the last month.
    pub last_error: Option<ChannelError>,
    pub read_at: OffsetDateTime,
}

/// It says how a page or its Instagram account fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionReport {
    pub channel: ChannelId,
    pub network_id: String,
    pub kind: ChannelKind,
    /// It is the last refusal that was its own or its account's, of the last month.
    pub last_error: Option<ChannelError>,
}

/// It says how a page stood when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageReport {
    pub name: Option<String>,
    /// It was last read then without a refusal.
    pub read_at: Option<OffsetDateTime>,
    /// They are the page, and the Instagram account that is linked to it.
    pub connections: Vec<ConnectionReport>,
}

/// It is an account with how its numbers stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountReport {
    pub account: AccountId,
    /// It says why it could not be read, since when; `None` when the last reading went well.
    pub problem: Option<ChannelError>,
    /// They are in the order of their ids at the network.
    pub numbers: Vec<NumberReport>,
    /// It is `None` for an account that is no page.
    pub page: Option<PageReport>,
}

/// Owners are told this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelAlert {
    pub account_network_id: String,
    /// It is the number, where the alert is about one.
    pub phone: Option<PhoneNumber>,
    pub kind: AlertKind,
    /// They are the network's own words for it.
    pub detail: Option<String>,
}

/// Returns what is told of a number that stood like `before` and stands like `now`.
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

/// Returns what is told of an account that stands so now; nothing where it is well again.
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
