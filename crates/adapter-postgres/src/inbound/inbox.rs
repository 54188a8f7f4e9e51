//! What is recorded of conversations.

use async_trait::async_trait;
use domain::{
    contacts::{ContactSignal, Identity},
    errors::StoreError,
    ids::{ChannelId, ContactId, ConversationId, WorkspaceId},
    inbound::{
        Behind, ContactMerge, InboxBatch, LookupKeys, LookupResult, SeenUpTo, SendInFlight, ports::InboxStore,
    },
    messages::DeliveryStatus,
};
use time::OffsetDateTime;

use super::PgInbound;

#[async_trait]
impl InboxStore for PgInbound {
    async fn known(&self, workspace: WorkspaceId, asked: &LookupKeys) -> Result<LookupResult, StoreError> {
        self.find_known(workspace, asked).await
    }

    async fn merge_contacts(
        &self,
        workspace: WorkspaceId,
        met: &ContactMerge,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.meet(workspace, met, now).await
    }

    async fn record(&self, workspace: WorkspaceId, batch: &InboxBatch) -> Result<(), StoreError> {
        self.record_batch(workspace, batch).await
    }

    async fn signalled(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        channel: ChannelId,
        signal: &ContactSignal,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.database.keep_signal(workspace, contact, channel, signal, at).await
    }

    async fn sends_behind(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        status: DeliveryStatus,
        up_to: &SeenUpTo,
        recently: OffsetDateTime,
    ) -> Result<Behind, StoreError> {
        self.find_behind(workspace, conversation, status, up_to, recently).await
    }

    async fn sends_in_flight(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        person: &Identity,
    ) -> Result<Vec<SendInFlight>, StoreError> {
        self.find_in_flight(workspace, channel, person).await
    }
}
