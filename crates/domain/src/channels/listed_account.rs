//! Accounts as the team sees them.

use time::OffsetDateTime;

use super::{ChannelKind, standing::AccountStanding};
use crate::{
    ids::{AccountId, ChannelId},
    phone::PhoneNumber,
};

/// Kind of an account at the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    /// Business account with numbers.
    Business,
    /// Page, with the Instagram account that is linked to it.
    Page,
}

/// A connected account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAccount {
    pub id: AccountId,
    pub kind: AccountKind,
    pub network_id: String,
    /// Name of the page at the network; `None` for a business account, and while it is not known.
    pub page_name: Option<String>,
    pub connected_at: OffsetDateTime,
    /// When its templates were last read.
    pub templates_synced_at: Option<OffsetDateTime>,
    /// Standing at the network; `None` if the network has told none.
    pub standing: Option<AccountStanding>,
    /// Connections through the account, in the order that they were made.
    pub connections: Vec<ListedConnection>,
}

/// A number, a page or an Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedConnection {
    pub id: ChannelId,
    pub kind: ChannelKind,
    pub network_id: String,
    /// `None` for a page and an Instagram account.
    pub phone: Option<PhoneNumber>,
    /// Whether its sends are not kept and what is written to it opens no conversation.
    pub send_only: bool,
    /// When it was first connected.
    pub connected_at: OffsetDateTime,
}
