//! Ports of receiving and recording updates.

use std::collections::HashSet;

use async_trait::async_trait;
use bytes::Bytes;
use time::OffsetDateTime;

use super::{
    Claimed, HandedOver, JournalEntry, NamedMessage, NetworkUpdate, Settlement, UpdateOutcome,
    conversation::{Behind, ConversationUpdate, SeenUpTo},
    head::Head,
    quarantined::{Quarantined, QuarantinedItem},
    record::{ContactMerge, InboxBatch, LookupKeys, LookupResult, SendInFlight},
    sent_message::{MessageNames, SentMessage, StatusChange},
};
use crate::{
    attachments::ports::MediaOrigin,
    channels::{ChannelKind, ports::NetworkError},
    contacts::{ContactSignal, Identity},
    errors::StoreError,
    ids::{ChannelId, ContactId, ConversationId, JournalId, WorkspaceId},
    messages::DeliveryStatus,
};

/// A payload that cannot be parsed; the text says why, quoting nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload cannot be read: {0}")]
pub struct UnreadablePayload(pub String);

/// Webhook of a network: its path, handshake, signatures and payloads.
///
/// Updates find their workspace by the ids in them alone: a webhook must name no id that another one names.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait NetworkWebhook: Send + Sync {
    /// Returns the name under which the quarantine remembers it; never changed.
    fn name(&self) -> &'static str;

    /// Returns the path under `/networks/`. What a part in braces stands for is in [`Head::path`].
    fn path(&self) -> &'static str;

    /// Answers the handshake, a `GET`; `None` if it is not the one that was agreed.
    fn shake_hands(&self, head: &Head) -> Option<String>;

    /// Returns whether there is something in the form of a signature. Without it the body is not read.
    fn may_be_signed(&self, head: &Head) -> bool;

    /// Returns the payload of a post that the network signed: its bytes, with whatever the head alone says,
    /// such as an account. `None` if the network did not sign it.
    fn verify(&self, head: &Head, raw: Bytes) -> Option<Bytes>;

    /// Returns the network that posted it; `None` if the payload does not say.
    fn network(&self, payload: &[u8]) -> Option<ChannelKind>;

    /// Parses every update of a verified payload.
    ///
    /// # Errors
    /// [`UnreadablePayload`] if the payload as a whole cannot be parsed; a part that cannot is an
    /// [`NetworkUpdate::Unreadable`].
    fn read(&self, payload: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload>;
}

/// Destination of a number's updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRoute {
    pub workspace: WorkspaceId,
    pub channel: ChannelId,
    /// Whether messages written to it are dropped.
    pub send_only: bool,
    /// Whether its owner has disconnected it; then only statuses of earlier sends are journaled.
    pub disconnected: bool,
}

/// Storage of updates between their arrival and their handling.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Journal: Send + Sync {
    /// Returns the destination of each number's updates, in order; `None` for numbers that are not ours.
    async fn number_routes(&self, network_ids: &[String]) -> Result<Vec<Option<NumberRoute>>, StoreError>;

    /// Returns the workspace of each account, in order; `None` for accounts that are not ours.
    async fn account_routes(&self, network_ids: &[String]) -> Result<Vec<Option<WorkspaceId>>, StoreError>;

    /// Appends updates of one workspace, sealed; they are durable once it returns. With `take_up`, and if
    /// this process holds the workspace's journal, they are claimed by it from the start and returned;
    /// otherwise none is returned, and whoever holds the journal claims them.
    async fn append(
        &self,
        workspace: WorkspaceId,
        entries: &[JournalEntry],
        take_up: bool,
    ) -> Result<HandedOver, StoreError>;

    /// Quarantines a signed payload of a webhook that could not be parsed, sealed; `network` is its origin,
    /// if known.
    async fn quarantine(
        &self,
        webhook: &str,
        payload: &[u8],
        network: Option<ChannelKind>,
        reason: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Lists the workspaces with updates due at `now` that this process does not hold. Writes nothing.
    async fn workspaces_with_work(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims up to `limit` updates of one workspace, in order of position; those that have lost their
    /// positions are leased until `lease_until`. Only one process at a time holds a workspace's journal: from
    /// its first claim until it lets go of the workspace, or is gone.
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

    /// Leaves the workspace, and all updates of it that this process still holds, to whichever process asks
    /// next.
    async fn let_go(&self, workspace: WorkspaceId) -> Result<(), StoreError>;

    /// Removes handled updates, puts back those that have to wait and quarantines those that are set aside,
    /// in one transaction. Updates that this process no longer holds stay as they are.
    async fn settle(&self, workspace: WorkspaceId, settlement: &Settlement) -> Result<(), StoreError>;
}

/// Storage of what could not be parsed or handled.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Quarantine: Send + Sync {
    /// Lists up to `limit` items with numbers above `after`, oldest first, without opening them.
    async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError>;

    /// Returns the number of items.
    async fn size(&self) -> Result<u64, StoreError>;

    /// Opens an item; `None` if it is not there.
    async fn open(&self, id: i64) -> Result<Option<QuarantinedItem>, StoreError>;

    /// Journals the entries and, in the same transaction, keeps the item under the new reason in `stays` or
    /// removes it. Returns `false` and writes nothing if the item is no longer there.
    async fn replay(
        &self,
        id: i64,
        entries: &[JournalEntry],
        stays: Option<String>,
    ) -> Result<bool, StoreError>;

    /// Deletes an item; `false` if it is not there.
    async fn discard(&self, id: i64) -> Result<bool, StoreError>;
}

/// Recorder of what happens in conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Records updates of one workspace and returns their outcomes, in order. One that cannot be recorded
    /// stops only those that follow it.
    async fn record(&self, workspace: WorkspaceId, entries: &[JournalEntry]) -> Vec<UpdateOutcome>;
}

/// Storage of people, conversations and messages, as far as updates touch them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Loads what is known of what the updates refer to.
    async fn known(&self, workspace: WorkspaceId, asked: &LookupKeys) -> Result<LookupResult, StoreError>;

    /// Makes the contact what the network says, and merges the absorbed ones and their conversations into it,
    /// in one transaction. The ids that vanish go on resolving to what they became.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if one of the contacts has changed since it was loaded.
    async fn merge_contacts(
        &self,
        workspace: WorkspaceId,
        met: &ContactMerge,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Writes everything in the batch and the deliveries that its events owe, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if somebody else has recorded or changed a part of it, or if this process no
    /// longer holds what is to leave the journal; nothing is written then.
    async fn record(&self, workspace: WorkspaceId, batch: &InboxBatch) -> Result<(), StoreError>;

    /// Stores what a person told a network without writing, unless something later of its kind is known.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the contact no longer exists.
    async fn signalled(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        channel: ChannelId,
        signal: &ContactSignal,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns the conversation's sends up to `up_to` for which the status is news, and whether there may be
    /// more among those begun after `recently`.
    async fn sends_behind(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        status: DeliveryStatus,
        up_to: &SeenUpTo,
        recently: OffsetDateTime,
    ) -> Result<Behind, StoreError>;

    /// Lists the sends of a page or an Instagram account in flight to the person over this channel, oldest
    /// first.
    async fn sends_in_flight(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        person: &Identity,
    ) -> Result<Vec<SendInFlight>, StoreError>;
}

/// Source of what messages are fetched with.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageOrigins: Send + Sync {
    /// Returns what opens the channel at its network; `None` if it is no longer connected.
    async fn origin(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
    ) -> Result<Option<MediaOrigin>, StoreError>;
}

/// Network that messages are fetched from by their ids.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkMessages: Send + Sync {
    /// Fetches a message; `None` if the network does not say whose it is.
    async fn message(
        &self,
        origin: &MediaOrigin,
        named: &NamedMessage,
    ) -> Result<Option<ConversationUpdate>, NetworkError>;
}

/// Storage of sent messages and of what the network reports of them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SentMessages: Send + Sync {
    /// Finds for each, in order, the send with that tag, or else with that network id; `None` if neither is
    /// ours.
    async fn find(
        &self,
        workspace: WorkspaceId,
        names: &[MessageNames],
    ) -> Result<Vec<Option<SentMessage>>, StoreError>;

    /// Writes the new progress of all these messages and the deliveries that the events owe, and removes
    /// `taken_in` from the journal, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if a message has moved on since its change was decided, or if this process no
    /// longer holds an entry of `taken_in`; nothing is written then.
    async fn commit(
        &self,
        workspace: WorkspaceId,
        changes: &[StatusChange],
        taken_in: &[JournalId],
    ) -> Result<(), StoreError>;
}

/// Wake-up calls for whoever in this process handles journaled updates. Calls never block.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait UpdateSignals: Send + Sync {
    /// Returns whether this process itself handles `updates` more updates of `workspace` as they are
    /// journaled. They are then journaled as taken up, and come with [`Self::updates_taken_up`]. `false`
    /// while the journal may hold earlier updates, which these would overtake.
    fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool;

    /// Signals that updates of `workspace` were journaled as taken up by this process.
    fn updates_taken_up(&self, workspace: WorkspaceId, updates: HandedOver);

    /// Signals that updates of `workspace` were journaled for any process to take up.
    fn updates_journaled(&self, workspace: WorkspaceId);
}
