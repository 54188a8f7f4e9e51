//! Items of the journal, as serialized inside the seal.

use domain::{
    channels::{AccountStanding, ChannelKind},
    errors::StoreError,
    ids::{ChannelId, JournalId, WorkspaceId},
    inbound::{ConversationUpdate, JournalItem, NamedMessage, StatusUpdate},
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    error::{locked, unreadable},
    inbound::PgInbound,
    places,
};

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Item {
    Status {
        network_id: String,
        tag: Option<String>,
        status: String,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
        error: Option<String>,
        #[serde(default)]
        error_code: Option<i64>,
    },
    TemplatesChanged {
        account_network_id: String,
    },
    AccountStanding {
        account_network_id: String,
        standing: AccountStanding,
    },
    /// The name that earlier releases journaled it by.
    #[serde(rename = "thread")]
    Conversation {
        channel: ChannelId,
        update: Box<ConversationUpdate>,
    },
    Named {
        channel: ChannelId,
        network: String,
        message: NetworkMessageId,
        is_edit: bool,
        is_held: bool,
        #[serde(with = "time::serde::rfc3339::option")]
        at: Option<OffsetDateTime>,
    },
}

impl From<&JournalItem> for Item {
    fn from(item: &JournalItem) -> Self {
        match item {
            JournalItem::Status(status) => Self::Status {
                network_id: status.network_id.reveal().to_owned(),
                tag: status.tag.clone(),
                status: status.status.as_str().to_owned(),
                at: status.at,
                error: status.error.as_ref().map(|error| error.message.clone()),
                error_code: status.error.as_ref().and_then(|error| error.code),
            },
            JournalItem::TemplatesChanged { account_network_id } => {
                Self::TemplatesChanged { account_network_id: account_network_id.clone() }
            }
            JournalItem::AccountStanding { account_network_id, standing } => Self::AccountStanding {
                account_network_id: account_network_id.clone(),
                standing: standing.clone(),
            },
            JournalItem::Conversation { channel, update } => {
                Self::Conversation { channel: *channel, update: update.clone() }
            }
            JournalItem::Named { channel, named } => Self::Named {
                channel: *channel,
                network: named.network.as_str().to_owned(),
                message: named.message.clone(),
                is_edit: named.is_edit,
                is_held: named.is_held,
                at: named.at,
            },
        }
    }
}

impl Item {
    /// Returns `None` if a status or network in it does not exist.
    fn read(self) -> Option<JournalItem> {
        Some(match self {
            Self::Status { network_id, tag, status, at, error, error_code } => {
                JournalItem::Status(StatusUpdate {
                    network_id: NetworkMessageId::from(network_id),
                    tag,
                    status: DeliveryStatus::read(&status)?,
                    at,
                    error: error.map(|message| NetworkError { code: error_code, message }),
                })
            }
            Self::TemplatesChanged { account_network_id } => {
                JournalItem::TemplatesChanged { account_network_id }
            }
            Self::AccountStanding { account_network_id, standing } => {
                JournalItem::AccountStanding { account_network_id, standing }
            }
            Self::Conversation { channel, update } => JournalItem::Conversation { channel, update },
            Self::Named { channel, network, message, is_edit, is_held, at } => {
                let network = ChannelKind::read(&network)?;
                JournalItem::Named { channel, named: NamedMessage { network, message, is_edit, is_held, at } }
            }
        })
    }
}

pub(super) const fn kind(item: &JournalItem) -> &'static str {
    match item {
        JournalItem::Status(_) => "status",
        // Items about an account share one kind.
        JournalItem::TemplatesChanged { .. } | JournalItem::AccountStanding { .. } => "templates_changed",
        JournalItem::Conversation { .. } | JournalItem::Named { .. } => "message",
    }
}

impl PgInbound {
    pub(super) fn seal_item(
        &self,
        workspace: WorkspaceId,
        id: JournalId,
        item: &JournalItem,
    ) -> Result<Vec<u8>, StoreError> {
        let plain =
            serde_json::to_vec(&Item::from(item)).map_err(|error| StoreError::Internal(error.to_string()))?;
        self.database.vault.seal(&plain, &places::journal_item(workspace, id)).map_err(locked)
    }

    pub(super) fn open_item(
        &self,
        workspace: WorkspaceId,
        id: JournalId,
        sealed: &[u8],
    ) -> Result<JournalItem, StoreError> {
        let plain = self.database.vault.open(sealed, &places::journal_item(workspace, id)).map_err(locked)?;
        // The error of serde could quote the item.
        let item: Option<Item> = serde_json::from_slice(&plain).ok();
        item.and_then(Item::read).ok_or_else(|| unreadable("update"))
    }
}
