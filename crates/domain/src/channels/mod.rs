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
pub use tell_owners::{AlertMail, TellOutcome, TellOwners};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
};

macro_rules! networks {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $spoken:literal;)*) => {
        /// Conversations run over such a network.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ChannelKind {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl ChannelKind {
            /// They are all networks: whatever lists networks is made from this, or held to it by a test.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$name),*];

            /// Returns its name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Returns its name as people write it.
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
    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Says whether templates go out over it.
    pub const fn has_templates(self) -> bool {
        match self {
            Self::Whatsapp => true,
            Self::Messenger | Self::Instagram => false,
        }
    }

    /// Says whether it repeats what a program has sent over it. Each repeats what was written in its own app.
    pub const fn repeats_sends(self) -> bool {
        match self {
            Self::Whatsapp => false,
            Self::Messenger | Self::Instagram => true,
        }
    }

    /// Returns what an account is that has connections of this network.
    pub const fn account(self) -> AccountKind {
        match self {
            Self::Whatsapp => AccountKind::Business,
            Self::Messenger | Self::Instagram => AccountKind::Page,
        }
    }
}

/// A workspace has connected this business account.
#[derive(Debug, Clone)]
pub struct Account {
    pub id: AccountId,
    pub workspace: WorkspaceId,
    pub network_id: String,
    pub token: SecretString,
}

/// It opens an account at its network, and says how the account stands there.
#[derive(Debug, Clone)]
pub struct AccountAccess {
    /// It opens the account at its network.
    pub token: SecretString,
    /// It says how the account stands, as far as the network has said.
    pub standing: Option<AccountStanding>,
}

impl From<SecretString> for AccountAccess {
    fn from(token: SecretString) -> Self {
        Self { token, standing: None }
    }
}

/// It is a WhatsApp number of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    pub id: ChannelId,
    pub account: AccountId,
    pub account_network_id: String,
    /// It is the phone-number id at the network.
    pub network_id: String,
    pub phone: PhoneNumber,
    /// It says whether nothing about its sends is kept, and what is written to it opens no conversation.
    pub send_only: bool,
    /// It was first connected then; numbers are offered in this order.
    pub connected_at: OffsetDateTime,
}

/// It is a connection that messages leave over: a number, a page or an Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub id: ChannelId,
    pub kind: ChannelKind,
    /// This account's token opens it.
    pub account: AccountId,
    pub network_id: String,
    /// It is `None` for what is no number.
    pub phone: Option<PhoneNumber>,
    /// Nothing about its sends is kept while this is true.
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

/// It is a number as the network lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNumber {
    /// It is the phone-number id.
    pub network_id: String,
    pub phone: PhoneNumber,
    /// It says whether the network lets the number send.
    pub can_send: bool,
    pub health: NumberHealth,
}
