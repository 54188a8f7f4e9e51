//! Requests for appointments.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use diesel_async::AsyncPgConnection;
use domain::{
    appointments::ports::{BookingRequestHolder, BookingRequestStore, NewBookingRequest},
    clock::stamp_after,
    errors::StoreError,
    events::Event,
    ids::WorkspaceId,
};
use futures_util::future::try_join4;

use super::PgConsent;
use crate::{
    assistant::holds,
    audit::audit,
    conversations::{lock_conversation, stamp},
    error::{failed, unreadable},
    schema::booking_requests,
    sql::{RunQueryDsl, insert},
    webhooks::{enqueue, subscribers},
};

#[async_trait]
impl BookingRequestStore for PgConsent {
    async fn add(
        &self,
        workspace: WorkspaceId,
        new: &NewBookingRequest,
    ) -> Result<Option<BookingRequestHolder>, StoreError> {
        let rows = [new];
        let transaction = self.database.transaction().await?;
        let written = insert(booking_requests::table, workspace, &rows)
            .column(booking_requests::id, |new| new.id.uuid())
            .column(booking_requests::key_hash, |new| new.key.map(|key| key.key_hash.to_vec()))
            .column(booking_requests::request_hash, |new| new.key.map(|key| key.request_hash.to_vec()))
            .column(booking_requests::created_at, |new| new.event.created_at)
            .on_conflict_do_nothing()
            .returning(booking_requests::id);
        let mut connection: &AsyncPgConnection = &transaction;
        let unpassed = async {
            let Some(fence) = new.fence else { return Ok(true) };
            holds(&transaction, workspace, fence).await
        };
        let first = try_join4(
            written.load::<uuid::Uuid>(&mut connection),
            lock_conversation(&transaction, workspace, new.conversation),
            unpassed,
            subscribers(&transaction, workspace, [&new.event]),
        );
        let (written, conversation, unpassed, subscribers) =
            transaction.begin_with(first).await.map_err(failed)?;
        if written.is_empty() {
            drop(transaction);
            let Some(key) = new.key else { return Err(StoreError::Stale) };
            return self.asked_with(workspace, &key.key_hash).await?.ok_or(StoreError::Stale).map(Some);
        }
        let stamped_at = conversation.filter(|_| unpassed).ok_or(StoreError::Stale)?;
        let event = Event { created_at: stamp_after(stamped_at, new.event.created_at), ..new.event.clone() };
        let pending = self.database.deliveries(workspace, &subscribers, [&event])?;
        let mut flight = transaction.flight();
        stamp(&mut flight, workspace, new.conversation, event.created_at);
        enqueue(&mut flight, workspace, &pending);
        audit(&mut flight, workspace, &new.entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(None)
    }
}

impl PgConsent {
    async fn asked_with(
        &self,
        workspace: WorkspaceId,
        key_hash: &[u8],
    ) -> Result<Option<BookingRequestHolder>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(uuid::Uuid, Option<Vec<u8>>)> = booking_requests::table
            .filter(booking_requests::workspace_id.eq(workspace.uuid()))
            .filter(booking_requests::key_hash.eq(key_hash))
            .select((booking_requests::id, booking_requests::request_hash))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, request_hash)) = row else { return Ok(None) };
        let request_hash = request_hash.and_then(|hash| <[u8; 32]>::try_from(hash).ok());
        let request_hash = request_hash.ok_or_else(|| unreadable("hash of a request"))?;
        Ok(Some(BookingRequestHolder { request_hash, id: id.into() }))
    }
}
