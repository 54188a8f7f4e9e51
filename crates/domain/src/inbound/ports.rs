//! What receiving needs from outside.

use std::collections::HashSet;

use async_trait::async_trait;
use time::{Date, OffsetDateTime};

use super::{
    Behind, Claimed, ContactMerge, ConversationUpdate, HandedOver, InboxBatch, JournalEntry, LookupKeys,
    LookupResult, MessageNames, NamedMessage, NetworkUpdate, Quarantined, QuarantinedItem, SeenUpTo,
    SendInFlight, SentMessage, Settlement, StatusChange, UnreadCount, UnreadField, UpdateOutcome,
};
use crate::{
    attachments::ports::MediaOrigin,
    channels::{ChannelKind, ports::NetworkError},
    contacts::{ContactSignal, Identity},
    errors::StoreError,
    ids::{ChannelId, ContactId, ConversationId, JournalId, WorkspaceId},
    messages::DeliveryStatus,
};

/// The payload cannot be read; the text says why, without quoting it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload cannot be read: {0}")]
pub struct UnreadablePayload(pub String);

/// It says who may post to a network's webhook, and what a post says.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait NetworkWebhook: Send + Sync {
    /// Says whether `token` is the one agreed for the handshake.
    fn accepts_handshake(&self, token: &str) -> bool;

    /// Says whether the network signed these bytes.
    fn is_signed(&self, raw: &[u8], signature: &str) -> bool;

    /// Returns the network whose post it is; `None` where it does not say so.
    fn network(&self, raw: &[u8]) -> Option<ChannelKind>;

    /// Returns every update of every entry and change.
    ///
    /// # Errors
    /// [`UnreadablePayload`] when the whole cannot be read; a part that cannot is an
    /// [`NetworkUpdate::Unreadable`].
    fn read(&self, raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload>;
}

/// It says where a number's updates go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRoute {
    /// The number is this workspace's.
    pub workspace: WorkspaceId,
    pub channel: ChannelId,
    /// It says whether what is written to it is not kept.
    pub send_only: bool,
    /// It says whether its owner has disconnected it: only what became of earlier sends is kept.
    pub disconnected: bool,
}

/// A `Journal` keeps updates between their arrival and their handling.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Journal: Send + Sync {
    /// Says where each of these numbers' updates go, in their order; `None` for numbers that are not ours.
    async fn number_routes(&self, network_ids: &[String]) -> Result<Vec<Option<NumberRoute>>, StoreError>;

    /// Says whose each of these accounts is, in their order; `None` for those that are not ours.
    async fn account_routes(&self, network_ids: &[String]) -> Result<Vec<Option<WorkspaceId>>, StoreError>;

    /// Keeps updates of one workspace, sealed; they are safe on the disk when it returns. Where this process works off
    /// the workspace's journal and wants to, they are its own from the start; else the answer holds none, and whoever
    /// works it off takes them up.
    async fn append(
        &self,
        workspace: WorkspaceId,
        entries: &[JournalEntry],
        take_up: bool,
    ) -> Result<HandedOver, StoreError>;

    /// Keeps a signed payload that nobody could read, sealed; `network` is whose it is, where that is known.
    async fn quarantine(
        &self,
        raw: &[u8],
        network: Option<ChannelKind>,
        reason: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Lists the workspaces with updates at `now` that this process does not hold. It only reads.
    async fn workspaces_with_work(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up to `limit` updates of one workspace, by their places, and those that have lost their places until
    /// `lease_until`. Only one process at a time takes any of a workspace: from the first until it lets go of the
    /// workspace, or is gone.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Claimed, StoreError>;

    /// Returns which of these updates this process still holds.
    async fn in_hand(
        &self,
        workspace: WorkspaceId,
        updates: &[JournalId],
    ) -> Result<HashSet<JournalId>, StoreError>;

    /// Leaves the workspace, and whatever this process still holds of it, to whoever asks next.
    async fn let_go(&self, workspace: WorkspaceId) -> Result<(), StoreError>;

    /// In one transaction: removes what is handled, puts back what has to wait, moves to the quarantine what has
    /// been tried often enough. What this process does not hold any more stays as it is.
    async fn settle(&self, workspace: WorkspaceId, settlement: &Settlement) -> Result<(), StoreError>;
}

/// A `Quarantine` keeps what could not be read or handled.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Quarantine: Send + Sync {
    /// Returns up to `limit` that came here after the one with the number `after`, oldest first. Opens none.
    async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError>;

    /// Counts what is in the quarantine.
    async fn size(&self) -> Result<u64, StoreError>;

    /// Opens one; `None` when it is not there.
    async fn open(&self, id: i64) -> Result<Option<QuarantinedItem>, StoreError>;

    /// In one transaction: journals the entries, and keeps it under its new reason where it `stays`, or else lets
    /// it go. `false`, and nothing is written, when it is no longer there.
    async fn replay(
        &self,
        id: i64,
        entries: &[JournalEntry],
        stays: Option<String>,
    ) -> Result<bool, StoreError>;

    /// Throws one away; `false` when it is not there.
    async fn discard(&self, id: i64) -> Result<bool, StoreError>;
}

/// It records what happens in conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Returns what became of each of these updates of one workspace, in their order. One that cannot be
    /// recorded stops no other.
    async fn record(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<UpdateOutcome>;
}

/// It keeps what there is of conversations, as far as updates touch it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Returns what is known of what the updates speak of.
    async fn known(&self, workspace: WorkspaceId, asked: &LookupKeys) -> Result<LookupResult, StoreError>;

    /// In one transaction: makes the contact what the network says, and merges those that it absorbs into it,
    /// with their conversations; the ids that vanish go on answering with what they became.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when one of them is no longer who they were.
    async fn merge_contacts(
        &self,
        workspace: WorkspaceId,
        met: &ContactMerge,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// In one transaction: everything in the batch, with the deliveries that its events owe.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when somebody else has recorded or moved a part of it, or this process does not hold what
    /// is to leave the journal; nothing is written then.
    async fn record(&self, workspace: WorkspaceId, batch: &InboxBatch) -> Result<(), StoreError>;

    /// Keeps what a person told a network without writing, unless something later of its kind is known.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when there is no such contact any more.
    async fn signalled(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        channel: ChannelId,
        signal: &ContactSignal,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns the conversation's sends up to there for which the status would be news, and whether there may
    /// be more, of those begun after `recently`.
    async fn sends_behind(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        status: DeliveryStatus,
        up_to: &SeenUpTo,
        recently: OffsetDateTime,
    ) -> Result<Behind, StoreError>;

    /// Returns the sends of a page or an account in flight to the person over this connection, oldest first.
    async fn sends_in_flight(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        person: &Identity,
    ) -> Result<Vec<SendInFlight>, StoreError>;
}

/// It says where messages are asked for.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageOrigins: Send + Sync {
    /// Returns what opens the connection at its network; `None` where it is not connected any more.
    async fn origin(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
    ) -> Result<Option<MediaOrigin>, StoreError>;
}

/// It asks a network for a message by its name.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkMessages: Send + Sync {
    /// Returns what happened: who wrote what; `None` where the network does not say whose it is.
    ///
    /// # Errors
    /// [`NetworkError`] where it is not handed over, or cannot be asked for now.
    async fn message(
        &self,
        origin: &MediaOrigin,
        named: &NamedMessage,
    ) -> Result<Option<ConversationUpdate>, NetworkError>;
}

/// It counts what this version does not read.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UnreadUpdates: Send + Sync {
    /// Adds to the counts of this day, and forgets those that are too old to be shown. Returns the fields of which none
    /// had come on this day.
    async fn count(
        &self,
        workspace: WorkspaceId,
        counts: &[UnreadCount],
        day: Date,
    ) -> Result<Vec<String>, StoreError>;

    /// Returns what came since that day, by its names.
    async fn unread(&self, workspace: WorkspaceId, since: Date) -> Result<Vec<UnreadField>, StoreError>;
}

/// It keeps sent messages and what the network says of them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SentMessages: Send + Sync {
    /// Returns for each, in their order, the send with that tag, or else with that id at the network; `None`
    /// when neither is ours.
    async fn find(
        &self,
        workspace: WorkspaceId,
        names: &[MessageNames],
    ) -> Result<Vec<Option<SentMessage>>, StoreError>;

    /// In one transaction: writes the new progress of all these messages and the deliveries that the events owe,
    /// and removes from the journal what was taken in.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when a message is no longer where its change found it, or this process does not hold what
    /// was taken in; nothing is written then.
    async fn commit(
        &self,
        workspace: WorkspaceId,
        changes: &[StatusChange],
        taken_in: &[JournalId],
    ) -> Result<(), StoreError>;
}
