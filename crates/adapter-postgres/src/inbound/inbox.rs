//! Recording of updates in conversations.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use domain::{
    attachments::AttachmentKind,
    contacts::{ContactSignal, Identity},
    errors::StoreError,
    ids::{ChannelId, ContactId, ConversationId, MessageId, WorkspaceId},
    inbound::{
        Behind, ContactMerge, InboxBatch, KnownMessage, LookupKeys, LookupResult, MessageNames, SeenUpTo,
        SendInFlight, ports::InboxStore,
    },
    messages::{DeliveryStatus, NetworkMessageId},
};
use futures_util::future::try_join4;
use time::OffsetDateTime;

use super::{
    PgInbound, in_flight,
    lookup::{self, ContactKeys},
    merge::Merging,
    record::raced,
    seen,
};
use crate::{
    error::{failed, locked, unreadable},
    places,
    sending::LedgerRow,
};

#[async_trait]
impl InboxStore for PgInbound {
    async fn known(&self, workspace: WorkspaceId, asked: &LookupKeys) -> Result<LookupResult, StoreError> {
        let hashed = |id: &NetworkMessageId| (self.database.network_id_hash(id).to_vec(), id.clone());
        let maybe_ours: HashMap<_, _> = asked.messages.iter().map(hashed).collect();
        let written: HashMap<_, _> = asked.written.iter().map(hashed).collect();
        let sent: Vec<&[u8]> = maybe_ours.keys().map(Vec::as_slice).collect();
        let brought: Vec<&[u8]> = maybe_ours.keys().chain(written.keys()).map(Vec::as_slice).collect();
        let connection = self.database.connection().await?;
        let found = try_join4(
            lookup::named(&connection, workspace, &asked.identities),
            lookup::people(&connection, workspace, ContactKeys::numbers(asked)),
            lookup::brought(&connection, workspace, &brought),
            lookup::sent(&connection, workspace, &sent),
        );
        let (by_name, by_number, brought, sent) = found.await.map_err(failed)?;
        let mut people = BTreeMap::new();
        lookup::add_people(&mut people, by_number, asked)?;
        let mut others: Vec<uuid::Uuid> = by_name.iter().map(|(contact, ..)| *contact).collect();
        others.retain(|contact| !people.contains_key(&ContactId::from(*contact)));
        let others =
            lookup::people(&connection, workspace, ContactKeys::Ids(others)).await.map_err(failed)?;
        lookup::add_people(&mut people, others, asked)?;
        for (contact, kind, value) in by_name {
            let identity = Identity::read(&kind, &value).ok_or_else(|| unreadable("identity"))?;
            if let Some(person) = people.get_mut(&contact.into()) {
                person.identities.insert(identity);
            }
        }
        let messages = brought.into_iter().chain(sent).filter_map(|(id, hash)| {
            let hash = hash?;
            let network_id = maybe_ours.get(&hash).or_else(|| written.get(&hash))?.clone();
            Some(KnownMessage { network_id, id: id.into() })
        });
        Ok(LookupResult { people: people.into_values().collect(), messages: messages.collect() })
    }

    async fn merge_contacts(
        &self,
        workspace: WorkspaceId,
        merge: &ContactMerge,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let locked = transaction.begin_with(Merging::locked(&transaction, workspace, merge)).await;
        let Some(merging) = locked.map_err(raced)? else { return Err(StoreError::Stale) };
        let mut flight = transaction.flight();
        merging.write(&mut flight, &self.database, now);
        transaction.commit_with(flight.counts()).await.map_err(raced)?;
        Ok(())
    }

    /// Fails as a whole if anything in the batch has changed since it was read: new rows by their keys, known
    /// ones by their versions, updates by whether this process still holds them.
    async fn record(&self, workspace: WorkspaceId, batch: &InboxBatch) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let locked = self.lock(&transaction, workspace, batch).await.map_err(raced)?;
        let Some(locked) = locked else { return Err(StoreError::Stale) };
        let mut files = Vec::new();
        for message in &batch.messages {
            let new = &message.message;
            files.extend(self.database.files_to_fetch(workspace, new.id, new.created_at, &message.media)?);
        }
        let deliveries = self.database.deliveries(workspace, &locked.subscribers, &batch.events)?;
        let mut flight = transaction.flight();
        self.write_batch(&mut flight, workspace, batch, &locked, &files, &deliveries);
        transaction.commit_with(flight.counts()).await.map_err(raced)?;
        Ok(())
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
        let before: &[&str] = match status {
            DeliveryStatus::Delivered => &["sent"],
            DeliveryStatus::Read => &["sent", "delivered"],
            DeliveryStatus::Sent | DeliveryStatus::Failed => return Ok(Behind::default()),
        };
        let (time, message) = match up_to {
            SeenUpTo::Time(time) => (Some(*time), None),
            SeenUpTo::Message(id) => (None, Some(self.database.network_id_hash(id).to_vec())),
        };
        let connection = self.database.connection().await?;
        let watermark = seen::Watermark { conversation, before, time, message, recently };
        let rows = seen::rows(&connection, workspace, watermark).await.map_err(failed)?;
        drop(connection);
        let mut behind = Behind::default();
        for row in rows {
            let id = MessageId::from(row.id);
            let Some(sealed) = row.network_id_sealed else {
                behind.under_way = true;
                continue;
            };
            let opened =
                self.database.vault.open(&sealed, &places::network_id(workspace, id)).map_err(locked)?;
            let network_id = String::from_utf8(opened).map_err(|_| unreadable("message id"))?;
            let network_id = NetworkMessageId::from(network_id);
            behind.sends.push(MessageNames { tag: Some(id), network_id });
        }
        Ok(behind)
    }

    async fn sends_in_flight(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        person: &Identity,
    ) -> Result<Vec<SendInFlight>, StoreError> {
        let connection = self.database.connection().await?;
        let rows = in_flight::rows(&connection, workspace, channel, person).await.map_err(failed)?;
        let read = |(row, file): (LedgerRow, Option<String>)| {
            let kind = |name: String| AttachmentKind::read(&name).ok_or_else(|| unreadable("kind"));
            let intent = row.entry(workspace)?.intent;
            Ok(SendInFlight { intent, file: file.map(kind).transpose()? })
        };
        rows.into_iter().map(read).collect()
    }
}
