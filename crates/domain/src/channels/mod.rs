//! Business accounts and pages at the networks, and the connections through them.

mod accounts;
mod choose;
mod connect;
mod health;
mod listed_account;
mod offer;
mod opened;
mod page;
mod pin;
pub mod ports;
mod read_pages;
mod register;
mod reply_window;
mod send_only;
mod sign_up;
mod standing;
mod token;
mod unread;

pub use accounts::ManageAccounts;
pub use choose::{Choice, ChosenOutcome, ConnectChosen};
pub use connect::{ConnectAccount, SyncNumbers};
pub use health::{
    AccountReport, AlertKind, CODES_OF_CHANNELS, ChannelAlert, ChannelError, ConnectionReport, NumberHealth,
    NumberReport, NumberState, PageReport, Quality, TOKEN_REFUSED, alert_of_number, alert_of_standing,
};
pub use listed_account::{AccountKind, ListedAccount, ListedConnection};
pub use offer::OFFER_LIFE;
pub use opened::{
    Availability, MissingPermission, OpenToken, Opened, OpenedAccount, OpenedNumber, OpenedPage, missing,
};
pub use page::ConnectPage;
pub use pin::Pin;
pub use ports::ConnectError;
pub use read_pages::{PAGE_INTERVAL, ReadPages};
pub use register::{MOST_REGISTRATIONS, NotRegistered, REGISTRATION_HOURS, RegisterError, RegisterNumber};
pub(crate) use reply_window::{OPEN, OPEN_TO_PEOPLE};
pub use reply_window::{closes_at, takes_words};
pub use send_only::{SetSendOnly, SetSendOnlyError};
pub use sign_up::{CameBack, SignUp, SignUpBy, SignUpDialog, SignUpError};
pub use standing::{AccountStanding, StandingState};
pub use token::TokenFacts;
pub use unread::{MOST_FIELDS, SHOWN_FOR_DAYS, UnreadCount, UnreadField};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
};

macro_rules! networks {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $spoken:literal;)*) => {
        /// Network that conversations run over.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ChannelKind {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl ChannelKind {
            /// All networks: every list of networks is made from this, or held to it by a test.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$name),*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Returns the name as people write it.
            pub const fn spoken(self) -> &'static str {
                match self {
                    $(Self::$name => $spoken,)*
                }
            }
        }
    };
}

networks! {
    Whatsapp = "whatsapp", "WhatsApp";
    Messenger = "messenger", "Messenger";
    Instagram = "instagram", "Instagram";
}

impl ChannelKind {
    /// Parses a name; `None` if it is unknown.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns whether templates go out over it.
    pub const fn has_templates(self) -> bool {
        match self {
            Self::Whatsapp => true,
            Self::Messenger | Self::Instagram => false,
        }
    }

    /// Returns whether it echoes what a program has sent over it. Each network echoes what was written in its
    /// own app.
    pub const fn repeats_sends(self) -> bool {
        match self {
            Self::Whatsapp => false,
            Self::Messenger | Self::Instagram => true,
        }
    }

    /// Returns the kind of account that has connections of this network.
    pub const fn account(self) -> AccountKind {
        match self {
            Self::Whatsapp => AccountKind::Business,
            Self::Messenger | Self::Instagram => AccountKind::Page,
        }
    }
}

/// A business account or a page that a workspace has connected.
#[derive(Debug, Clone)]
pub struct Account {
    pub id: AccountId,
    pub workspace: WorkspaceId,
    pub network_id: String,
    pub token: SecretString,
}

/// Token and standing of an account at its network.
#[derive(Debug, Clone)]
pub struct AccountAccess {
    pub token: SecretString,
    /// `None` if the network has told none.
    pub standing: Option<AccountStanding>,
}

impl From<SecretString> for AccountAccess {
    fn from(token: SecretString) -> Self {
        Self { token, standing: None }
    }
}

/// A WhatsApp number of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    pub id: ChannelId,
    pub account: AccountId,
    pub account_network_id: String,
    /// Phone-number id at the network.
    pub network_id: String,
    pub phone: PhoneNumber,
    /// Whether its sends are not kept and what is written to it opens no conversation.
    pub send_only: bool,
    /// When it was first connected; numbers are offered in this order.
    pub connected_at: OffsetDateTime,
}

/// A connection that messages leave over: a number, a page or an Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub id: ChannelId,
    pub kind: ChannelKind,
    /// Account whose token opens the connection.
    pub account: AccountId,
    pub network_id: String,
    /// `None` for a page and an Instagram account.
    pub phone: Option<PhoneNumber>,
    /// Whether its sends are not kept.
    pub send_only: bool,
}

impl Number {
    /// Network of all numbers.
    pub const NETWORK: ChannelKind = ChannelKind::Whatsapp;
}

impl From<&Number> for Connection {
    fn from(number: &Number) -> Self {
        Self {
            id: number.id,
            kind: Number::NETWORK,
            account: number.account,
            network_id: number.network_id.clone(),
            phone: Some(number.phone.clone()),
            send_only: number.send_only,
        }
    }
}

/// A number as the network lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNumber {
    /// Phone-number id.
    pub network_id: String,
    pub phone: PhoneNumber,
    pub can_send: bool,
    pub health: NumberHealth,
}
