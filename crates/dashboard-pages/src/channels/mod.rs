//! Page of connected accounts, their numbers, and pages.

mod choice;

pub use choice::{ChannelChoicePage, ChoiceAccountRow, ChoiceNumberRow, ChoicePageRow, MissingRow};

use askama::Template;
use domain::{
    channels::{AccountKind, ChannelKind, NumberState, Quality, StandingState},
    ids::{AccountId, ChannelId},
};
use serde::Serialize;

use crate::{frame::Frame, moment::Moment, refused::Refused, words::ChannelWords};

/// A connected number, page or Instagram account; in JSON, a number.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionRow {
    pub id: ChannelId,
    #[serde(skip)]
    pub kind: ChannelKind,
    pub network_id: String,
    /// `None` of a page or an Instagram account.
    pub phone: Option<String>,
    /// Whether nothing of its sends is stored, and what is written to it opens no conversation.
    pub send_only: bool,
    pub connected_at: Moment,
    /// Last refusal that was its own; only of a page or an Instagram account.
    #[serde(skip)]
    pub last_error: Option<ErrorRow>,
}

impl ConnectionRow {
    /// Returns the phone number, or the id at the network.
    fn name(&self) -> &str {
        self.phone.as_deref().unwrap_or(&self.network_id)
    }
}

/// A refusal by the network.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorRow {
    /// The network's own code.
    pub code: i64,
    /// The network's words; empty if it had none.
    pub message: String,
    pub at: Moment,
}

/// What the network does not let an account do.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StandingRow {
    pub state: StandingState,
    /// Whether templates are refused: `no_whatsapp_channel`.
    pub bars_templates: bool,
    /// Whether answers are refused: `no_whatsapp_channel`.
    pub bars_replies: bool,
    /// The network's own names for what is wrong.
    pub detail: Option<String>,
    pub since: Moment,
    /// End of a restriction, if the network has told it.
    pub until: Option<Moment>,
}

/// State of a number at the network, also of one that cannot send.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthRow {
    /// Its id here; `None` if it cannot send.
    pub id: Option<ChannelId>,
    pub network_id: String,
    pub phone: String,
    pub state: NumberState,
    /// Rating by the people who get its messages.
    pub quality: Quality,
    /// Name that customers see.
    pub name: Option<String>,
    /// The network's verdict on the name, in its own word.
    pub name_state: Option<String>,
    /// People whom it may begin to write to in a day, in the network's own word.
    pub messaging_limit: Option<String>,
    /// Last refusal within a month that was the number's or its account's, and no message's.
    pub last_error: Option<ErrorRow>,
    pub read_at: Moment,
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
        self.messaging_limit.as_deref().map(|limit| limit.strip_prefix("TIER_").unwrap_or(limit))
    }
}

/// A connected account; in JSON, a business account.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountRow {
    pub id: AccountId,
    #[serde(skip)]
    pub kind: AccountKind,
    pub network_id: String,
    /// Name of a page.
    #[serde(skip)]
    pub name: Option<String>,
    /// `None` as long as the network lets it do everything.
    pub standing: Option<StandingRow>,
    /// Why the network refused the last reading of it.
    pub problem: Option<ErrorRow>,
    pub health: Vec<HealthRow>,
    pub connected_at: Moment,
    #[serde(rename = "syncedAt")]
    pub read_at: Option<Moment>,
    /// Of a business account, in the order in which templates without `from` choose them.
    #[serde(rename = "numbers")]
    pub connections: Vec<ConnectionRow>,
}

/// Something that a network sends and this version does not read.
#[derive(Debug, Clone, Serialize)]
pub struct UnreadRow {
    /// The network's name of it.
    pub field: String,
    /// How often it came.
    pub updates: u64,
    /// The first day (UTC) on which it came.
    pub since: String,
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
    /// What the networks sent within two weeks that this version does not read.
    pub unread: Vec<UnreadRow>,
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
