//! Page to choose what to connect of what a token opens.

use askama::Template;
use domain::channels::{Availability, ChannelKind, NumberState};

use crate::{frame::Frame, moment::Moment, words::ChannelWords};

/// A permission that the token lacks.
#[derive(Debug, Clone, Copy)]
pub struct MissingRow {
    /// Network that needs it.
    pub network: ChannelKind,
    /// Its name at the network.
    pub permission: &'static str,
}

/// A number of an account.
#[derive(Debug, Clone)]
pub struct ChoiceNumberRow {
    pub phone: String,
    pub name: Option<String>,
    pub state: NumberState,
    pub availability: Availability,
}

/// A business account.
#[derive(Debug, Clone)]
pub struct ChoiceAccountRow {
    pub network_id: String,
    pub name: Option<String>,
    pub availability: Availability,
    /// Why its numbers could not be listed.
    pub problem: Option<String>,
    pub numbers: Vec<ChoiceNumberRow>,
}

/// A page with its Instagram account.
#[derive(Debug, Clone)]
pub struct ChoicePageRow {
    pub network_id: String,
    pub name: Option<String>,
    pub availability: Availability,
    /// User name or id of its Instagram account.
    pub instagram: Option<String>,
    /// Whether the Instagram account is free to be connected.
    pub instagram_availability: Availability,
}

/// Page of what a token opens.
#[derive(Template)]
#[template(path = "channels/choice.html")]
pub struct ChannelChoicePage<'a> {
    pub frame: &'a Frame,
    /// Reference that stands for the token.
    pub offer: String,
    /// When the token expires.
    pub expires_at: Option<Moment>,
    /// Permissions that the token lacks.
    pub missing: Vec<MissingRow>,
    pub accounts: Vec<ChoiceAccountRow>,
    pub pages: Vec<ChoicePageRow>,
}

impl ChannelChoicePage<'_> {
    fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.pages.is_empty()
    }
}

/// Returns whether it can be ticked. What is connected here can be, too: that replaces its token.
const fn is_open(availability: Availability) -> bool {
    !matches!(availability, Availability::NotAvailable)
}

impl ChoiceAccountRow {
    const fn is_open(&self) -> bool {
        is_open(self.availability)
    }

    /// Returns whether it is ticked from the start.
    fn is_new(&self) -> bool {
        self.availability == Availability::Free
    }
}

impl ChoicePageRow {
    const fn is_open(&self) -> bool {
        is_open(self.availability)
    }

    fn is_new(&self) -> bool {
        self.availability == Availability::Free
    }
}

impl ChannelWords {
    /// Returns the words for who has connected something; empty where nobody has.
    pub const fn availability(&self, availability: &Availability) -> &'static str {
        match availability {
            Availability::Free => "",
            Availability::Connected => self.connected_here,
            Availability::NotAvailable => self.not_available,
        }
    }
}
