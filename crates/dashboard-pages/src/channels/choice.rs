//! What a token opens, to tick what is to be connected.

use askama::Template;
use domain::channels::{Availability, ChannelKind, NumberState};

use crate::{frame::Frame, moment::Moment, words::ChannelWords};

/// A permission that the token lacks.
#[derive(Debug, Clone, Copy)]
pub struct MissingRow {
    /// The network that needs it.
    pub network: ChannelKind,
    /// Its name at the network.
    pub permission: &'static str,
}

/// A number of an account.
#[derive(Debug, Clone)]
pub struct ChoiceNumberRow {
    /// The number.
    pub phone: String,
    /// The name that customers see.
    pub name: Option<String>,
    /// What it is at the network.
    pub state: NumberState,
    /// Who has connected it.
    pub availability: Availability,
}

/// A business account.
#[derive(Debug, Clone)]
pub struct ChoiceAccountRow {
    /// Its id at the network.
    pub network_id: String,
    /// Its name.
    pub name: Option<String>,
    /// Who has connected it.
    pub availability: Availability,
    /// Why its numbers could not be listed.
    pub problem: Option<String>,
    /// Its numbers.
    pub numbers: Vec<ChoiceNumberRow>,
}

/// A page with its Instagram account.
#[derive(Debug, Clone)]
pub struct ChoicePageRow {
    /// Its id at the network.
    pub network_id: String,
    /// Its name.
    pub name: Option<String>,
    /// Who has connected it.
    pub availability: Availability,
    /// Its Instagram account: the user name, or the id.
    pub instagram: Option<String>,
    /// Who has connected that.
    pub instagram_availability: Availability,
}

/// What a token opens.
#[derive(Template)]
#[template(path = "channels/choice.html")]
pub struct ChannelChoicePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What stands for the token.
    pub offer: String,
    /// Until when the token opens something.
    pub expires_at: Option<Moment>,
    /// What it does not permit.
    pub missing: Vec<MissingRow>,
    /// Business accounts.
    pub accounts: Vec<ChoiceAccountRow>,
    /// Pages.
    pub pages: Vec<ChoicePageRow>,
}

impl ChannelChoicePage<'_> {
    fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.pages.is_empty()
    }
}

/// Whether it can be ticked. What is connected here may be, too: that gives it another token.
const fn is_open(availability: Availability) -> bool {
    !matches!(availability, Availability::NotAvailable)
}

impl ChoiceAccountRow {
    const fn is_open(&self) -> bool {
        is_open(self.availability)
    }

    /// Ticked from the start.
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
    /// Who has connected something; nothing where nobody has.
    pub const fn availability(&self, availability: &Availability) -> &'static str {
        match availability {
            Availability::Free => "",
            Availability::Connected => self.connected_here,
            Availability::NotAvailable => self.not_available,
        }
    }
}
