//! Connected accounts, their numbers, and pages.

mod choice;

pub use choice::{ChannelChoicePage, ChoiceAccountRow, ChoiceNumberRow, ChoicePageRow, MissingRow};

use askama::Template;
use domain::channels::{AccountKind, ChannelKind, NumberState, Quality, StandingState};

use crate::{frame::Frame, moment::Moment, words::ChannelWords};

/// A number, a page or an Instagram account.
#[derive(Debug, Clone)]
pub struct ConnectionRow {
    /// Its id.
    pub id: String,
    /// The network.
    pub kind: ChannelKind,
    /// Its number, or its id at the network.
    pub name: String,
    /// Whether nothing about its sends is kept.
    pub is_send_only: bool,
    /// Of a page or an Instagram account: the last refusal that was its own.
    pub last_error: Option<ErrorRow>,
}

/// What the network refused.
#[derive(Debug, Clone)]
pub struct ErrorRow {
    /// The network's own code.
    pub code: i64,
    /// The network's words.
    pub message: String,
    /// When.
    pub at: Moment,
}

/// How a number stands at the network.
#[derive(Debug, Clone)]
pub struct HealthRow {
    /// Its id at the network.
    pub network_id: String,
    /// The number.
    pub phone: String,
    /// What it is.
    pub state: NumberState,
    /// How people take its messages.
    pub quality: Quality,
    /// The name that customers see.
    pub name: Option<String>,
    /// How many people it may begin to write to in a day, in the network's own word.
    pub limit: Option<String>,
    /// The last refusal that was its own.
    pub last_error: Option<ErrorRow>,
}

impl HealthRow {
    const fn sends(&self) -> bool {
        matches!(self.state, NumberState::Connected | NumberState::Flagged)
    }

    /// Whether registering it may help.
    const fn may_be_registered(&self) -> bool {
        use NumberState::{Disconnected, Pending, Unknown, Unverified};
        matches!(self.state, Pending | Disconnected | Unverified | Unknown)
    }

    fn is_low(&self) -> bool {
        self.quality == Quality::Red
    }

    /// As people write it: 1K of `TIER_1K`.
    fn most(&self) -> Option<&str> {
        self.limit.as_deref().map(|limit| limit.strip_prefix("TIER_").unwrap_or(limit))
    }
}

/// A connected account.
#[derive(Debug, Clone)]
pub struct AccountRow {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: AccountKind,
    /// Its id at the network.
    pub network_id: String,
    /// The page's name.
    pub name: Option<String>,
    /// What the network does not let it do, and why in the network's own words.
    pub standing: Option<(StandingState, Option<String>)>,
    /// Why it could not be read.
    pub problem: Option<ErrorRow>,
    /// How its numbers stand.
    pub health: Vec<HealthRow>,
    /// When its numbers and templates were last read.
    pub read_at: Option<Moment>,
    /// What is connected through it.
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

/// What is connected.
#[derive(Template)]
#[template(path = "channels/channels.html")]
pub struct ChannelsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The accounts.
    pub accounts: Vec<AccountRow>,
    /// What the networks send that this version does not read: its name, how often it came, and since which day.
    pub unread: Vec<(String, u64, String)>,
    /// The account that was to be connected, as it was written.
    pub network_id: &'a str,
    /// Whether the network's own sign-up is offered.
    pub has_sign_up: bool,
    /// Why something was not done.
    pub refused: Option<&'a str>,
    /// What was wrong in particular, or what the network says of it.
    pub detail: Option<String>,
}

impl ChannelWords {
    /// What a number is at the network.
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

    /// How people take its messages.
    pub const fn quality_of(&self, quality: &Quality) -> &'static str {
        match quality {
            Quality::Green => self.green,
            Quality::Yellow => self.yellow,
            Quality::Red => self.red,
            Quality::Unknown => self.unknown,
        }
    }

    /// What the network does not let an account do.
    pub const fn standing(&self, state: &StandingState) -> &'static str {
        match state {
            StandingState::Good => self.good,
            StandingState::Restricted => self.restricted,
            StandingState::Disabled => self.disabled,
            StandingState::Deleted => self.deleted,
        }
    }
}
