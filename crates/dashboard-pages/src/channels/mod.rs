//! Page of connected accounts, their numbers, and pages.

mod choice;

pub use choice::{ChannelChoicePage, ChoiceAccountRow, ChoiceNumberRow, ChoicePageRow, MissingRow};

use askama::Template;
use domain::channels::{AccountKind, ChannelKind, NumberState, Quality, StandingState};

use crate::{frame::Frame, moment::Moment, refused::Refused, words::ChannelWords};

/// A connected number, page or Instagram account.
#[derive(Debug, Clone)]
pub struct ConnectionRow {
    pub id: String,
    pub kind: ChannelKind,
    /// Phone number, or id at the network.
    pub name: String,
    /// Whether nothing of its sends is stored.
    pub is_send_only: bool,
    /// Last refusal that was its own; only of a page or an Instagram account.
    pub last_error: Option<ErrorRow>,
}

/// A refusal by the network.
#[derive(Debug, Clone)]
pub struct ErrorRow {
    pub code: i64,
    pub message: String,
    pub at: Moment,
}

/// State of a number at the network.
#[derive(Debug, Clone)]
pub struct HealthRow {
    pub network_id: String,
    pub phone: String,
    pub state: NumberState,
    /// Rating by the people who get its messages.
    pub quality: Quality,
    pub name: Option<String>,
    /// People whom it may begin to write to in a day, in the network's own word.
    pub limit: Option<String>,
    /// Last refusal that was its own.
    pub last_error: Option<ErrorRow>,
}

impl HealthRow {
    const fn sends(&self) -> bool {
        matches!(self.state, NumberState::Connected | NumberState::Flagged)
    }

    /// Returns whether registering the number may help.
    const fn may_be_registered(&self) -> bool {
        use NumberState::{Disconnected, Pending, Unknown, Unverified};
        matches!(self.state, Pending | Disconnected | Unverified | Unknown)
    }

    fn is_low(&self) -> bool {
        self.quality == Quality::Red
    }

    /// Returns the limit as people write it: 1K for `TIER_1K`.
    fn most(&self) -> Option<&str> {
        self.limit.as_deref().map(|limit| limit.strip_prefix("TIER_").unwrap_or(limit))
    }
}

/// A connected account.
#[derive(Debug, Clone)]
pub struct AccountRow {
    pub id: String,
    pub kind: AccountKind,
    pub network_id: String,
    pub name: Option<String>,
    /// What the network does not let it do, and why in the network's own words.
    pub standing: Option<(StandingState, Option<String>)>,
    /// Why it could not be read.
    pub problem: Option<ErrorRow>,
    pub health: Vec<HealthRow>,
    pub read_at: Option<Moment>,
    pub connections: Vec<ConnectionRow>,
}

impl AccountRow {
    fn is_business(&self) -> bool {
        self.kind == AccountKind::Business
    }

    fn path(&self) -> &'static str {
        if self.is_business() { "accounts" } else { "pages" }
    }
}

/// Page of what is connected.
#[derive(Template)]
#[template(path = "channels/channels.html")]
pub struct ChannelsPage<'a> {
    pub frame: &'a Frame,
    pub accounts: Vec<AccountRow>,
    /// Updates that the networks send and this version does not read: name, count, and first day.
    pub unread: Vec<(String, u64, String)>,
    /// Typed id of the account to connect.
    pub network_id: &'a str,
    /// Whether the network's embedded sign-up is offered.
    pub has_sign_up: bool,
    pub refused: Option<Refused>,
}

impl ChannelWords {
    /// Returns the words for a number's state at the network.
    pub const fn number_state(&self, state: &NumberState) -> &'static str {
        match state {
            NumberState::Connected => self.connected,
            NumberState::Pending => self.pending,
            NumberState::Disconnected => self.disconnected,
            NumberState::Flagged => self.flagged,
            NumberState::Restricted => self.limit_reached,
            NumberState::RateLimited => self.rate_limited,
            NumberState::Banned => self.banned,
            NumberState::Migrated => self.migrated,
            NumberState::Deleted => self.deleted,
            NumberState::Unverified => self.unverified,
            NumberState::Unknown => self.unknown,
        }
    }

    /// Returns the words for a quality rating.
    pub const fn quality_of(&self, quality: &Quality) -> &'static str {
        match quality {
            Quality::Green => self.green,
            Quality::Yellow => self.yellow,
            Quality::Red => self.red,
            Quality::Unknown => self.unknown,
        }
    }

    /// Returns the words for what the network does not let an account do.
    pub const fn standing(&self, state: &StandingState) -> &'static str {
        match state {
            StandingState::Good => self.good,
            StandingState::Restricted => self.restricted,
            StandingState::Disabled => self.disabled,
            StandingState::Deleted => self.deleted,
        }
    }
}
