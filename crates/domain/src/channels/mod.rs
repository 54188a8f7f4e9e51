//! Business accounts at the networks and the numbers connected through them.

mod accounts;
mod choose;
mod connect;
mod health;
mod offer;
mod opened;
mod page;
pub mod ports;
mod read_pages;
mod register;
mod send_only;
mod sign_up;
mod standing;
mod tell_owners;

pub use accounts::{AccountKind, ListedAccount, ListedConnection, ManageAccounts};
pub use choose::{Choice, ChosenOutcome, ConnectChosen};
pub use connect::{ConnectAccount, ConnectError, SyncNumbers};
pub use health::{
    AccountReport, AlertKind, CODES_OF_CHANNELS, ChannelAlert, ChannelError, ConnectionReport, NumberHealth,
    NumberReport, NumberState, PageReport, Quality, alert_of_number, alert_of_standing,
};
pub use offer::OFFER_LIFE;
pub use opened::{
    Availability, MOST_ACCOUNTS, MissingPermission, OpenToken, Opened, OpenedAccount, OpenedNumber,
    OpenedPage, TokenFacts, missing,
};
pub use page::ConnectPage;
pub use read_pages::{PAGE_INTERVAL, ReadPages};
pub use register::{
    MOST_REGISTRATIONS, NotRegistered, Pin, REGISTRATION_HOURS, RegisterError, RegisterNumber,
};
pub use send_only::{SetSendOnly, SetSendOnlyError};
pub use sign_up::{CameBack, SIGN_UP_LIFE, SignUp, SignUpBy, SignUpDialog, SignUpError};
pub use standing::{AccountStanding, StandingState};
pub use tell_owners::{AlertMail, TellOwners, Told};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
};

macro_rules! networks {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $spoken:literal;)*) => {
        /// A network that conversations run over.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ChannelKind {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl ChannelKind {
            /// Every network: whatever lists networks is made from this, or held to it by a test.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$name),*];

            /// Its name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Its name as people write it.
            pub const fn spoken(self) -> &'static str {
                match self {
                    $(Self::$name => $spoken,)*
                }
            }
        }
    };
}

networks! {
    /// WhatsApp.
    Whatsapp = "whatsapp", "WhatsApp";
    /// Facebook Messenger.
    Messenger = "messenger", "Messenger";
    /// Instagram.
    Instagram = "instagram", "Instagram";
}

impl ChannelKind {
    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A business account that a workspace has connected.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its id here.
    pub id: AccountId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// Its id at the network.
    pub network_id: String,
    /// What opens it at the network.
    pub token: SecretString,
}

/// What opens an account at its network, and how it stands there.
#[derive(Debug, Clone)]
pub struct AccountAccess {
    /// What opens it.
    pub token: SecretString,
    /// How it stands, as far as the network has said.
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
    /// Its id here.
    pub id: ChannelId,
    /// The account it belongs to.
    pub account: AccountId,
    /// That account's id at the network.
    pub account_network_id: String,
    /// The phone-number id at the network.
    pub network_id: String,
    /// The number itself.
    pub phone: PhoneNumber,
    /// Whether nothing about its sends is kept, and what is written to it opens no conversation.
    pub send_only: bool,
    /// When it was first connected; numbers are offered in this order.
    pub connected_at: OffsetDateTime,
}

/// A connection that messages leave over: a number, a page or an Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Its id here.
    pub id: ChannelId,
    /// The network.
    pub kind: ChannelKind,
    /// The account whose token opens it.
    pub account: AccountId,
    /// Its id at the network.
    pub network_id: String,
    /// The number, where it is one.
    pub phone: Option<PhoneNumber>,
    /// Whether nothing about its sends is kept.
    pub send_only: bool,
}

impl From<&Number> for Connection {
    fn from(number: &Number) -> Self {
        Self {
            id: number.id,
            kind: ChannelKind::Whatsapp,
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
    /// The phone-number id.
    pub network_id: String,
    /// The number.
    pub phone: PhoneNumber,
    /// Whether the network lets it send.
    pub can_send: bool,
    /// How it stands.
    pub health: NumberHealth,
}
