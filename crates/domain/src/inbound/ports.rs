//! What receiving needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{JournalEntry, NetworkUpdate, SentMessage, StatusChange};
use crate::{
    errors::StoreError,
    ids::{ChannelId, JournalId, MessageId, WorkspaceId},
    messages::NetworkMessageId,
};

/// The payload cannot be read: why, without quoting it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload cannot be read: {0}")]
pub struct UnreadablePayload(pub String);

/// A network's webhook: who may post to it, and what a post says.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait NetworkWebhook: Send + Sync {
    /// Whether `token` is the one agreed for the handshake.
    fn accepts_handshake(&self, token: &str) -> bool;

    /// Whether the network signed these bytes.
    fn is_signed(&self, raw: &[u8], signature: &str) -> bool;

    /// Every update of every entry and change.
    ///
    /// # Errors
    /// [`UnreadablePayload`] when the whole cannot be read; a part that cannot is an
    /// [`NetworkUpdate::Unreadable`].
    fn read(&self, raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload>;
}

/// Where a number's updates go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRoute {
    /// Whose number it is.
    pub workspace: WorkspaceId,
    /// Its connection.
    pub channel: ChannelId,
    /// Whether what is written to it is not kept.
    pub send_only: bool,
}

/// Updates between their arrival and their handling.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Journal: Send + Sync {
    /// Where each of these numbers' updates go, in their order; `None` for numbers that are not ours.
    async fn number_routes(&self, network_ids: &[String]) -> Result<Vec<Option<NumberRoute>>, StoreError>;

    /// Whose each of these accounts is, in their order; `None` for those that are not ours.
    async fn account_routes(&self, network_ids: &[String]) -> Result<Vec<Option<WorkspaceId>>, StoreError>;

    /// Keeps the updates, sealed; they are safe on the disk when it returns.
    async fn append(&self, entries: &[JournalEntry]) -> Result<(), StoreError>;

    /// Keeps a signed payload that nobody could read, sealed.
    async fn quarantine(&self, raw: &[u8], reason: &str, now: OffsetDateTime) -> Result<(), StoreError>;

    /// Workspaces with updates to handle at `now`. Only reads.
    async fn workspaces_with_work(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up to `limit` statuses and template changes of one workspace, oldest first, until `lease_until`.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StoreError>;

    /// Removes what is handled.
    async fn finish(&self, workspace: WorkspaceId, handled: &[JournalId]) -> Result<(), StoreError>;

    /// Puts one back until `due_at`.
    async fn postpone(
        &self,
        workspace: WorkspaceId,
        id: JournalId,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Sent messages and what the network says of them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SentMessages: Send + Sync {
    /// The send with that tag, or else with that id at the network; `None` when neither is ours.
    async fn find(
        &self,
        workspace: WorkspaceId,
        tag: Option<MessageId>,
        network_id: &NetworkMessageId,
    ) -> Result<Option<SentMessage>, StoreError>;

    /// Writes the new progress and the deliveries that the events owe, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the message is no longer where the change found it.
    async fn commit(&self, change: &StatusChange) -> Result<(), StoreError>;
}
