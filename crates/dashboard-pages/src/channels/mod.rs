//! Connected accounts, their numbers, and pages.

use askama::Template;
use domain::channels::{AccountKind, ChannelKind, StandingState};

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
    /// What the network does not let it do, and why in the network's own words.
    pub standing: Option<(StandingState, Option<String>)>,
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
    /// The account that was to be connected, as it was written.
    pub network_id: &'a str,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

impl ChannelWords {
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
