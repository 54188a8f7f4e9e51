//! Signals that people give networks without writing.

use diesel::{QueryResult, Queryable, Selectable};
use domain::{
    channels::ChannelKind,
    contacts::{ContactSignal, KeptSignal},
    errors::StoreError,
    ids::{ChannelId, ContactId, WorkspaceId},
    live::LiveKind,
};
use futures_util::future::try_join;
use serde_json::Value;
use time::OffsetDateTime;

use super::conversations::conversations_with;
use crate::{
    Database,
    error::{failed, is_missing_reference, unreadable},
    live::tell,
    schema::contact_signals,
    sql::{RunQueryDsl, insert, storable},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = contact_signals)]
pub(super) struct SignalRow {
    channel_id: uuid::Uuid,
    at: OffsetDateTime,
    signal: Value,
}

impl SignalRow {
    pub(super) fn read(self, network: Option<&str>) -> Result<KeptSignal, StoreError> {
        Ok(KeptSignal {
            channel: self.channel_id.into(),
            channel_kind: network.and_then(ChannelKind::read).ok_or_else(|| unreadable("channel"))?,
            at: self.at,
            signal: serde_json::from_value(self.signal).map_err(|_| unreadable("signal"))?,
        })
    }
}

impl Database {
    /// Stores a signal, unless the network reported a later one.
    pub(crate) async fn keep_signal(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        channel: ChannelId,
        signal: &ContactSignal,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let kept = serde_json::to_value(signal).map_err(|error| StoreError::Internal(error.to_string()))?;
        let kept = [without_nul(kept)];
        let transaction = self.transaction().await?;
        let kept = insert(contact_signals::table, workspace, &kept)
            .column(contact_signals::contact_id, |_| contact.uuid())
            .column(contact_signals::channel_id, |_| channel.uuid())
            .column(contact_signals::kind, |_| signal.kind())
            .column(contact_signals::signal, Clone::clone)
            .column(contact_signals::at, |_| at)
            .on_conflict((contact_signals::contact_id, contact_signals::channel_id, contact_signals::kind))
            .set_excluded(contact_signals::signal)
            .set_excluded(contact_signals::at)
            .where_not_later(contact_signals::at)
            .execute(&mut &*transaction);
        let conversations = conversations_with(&transaction, workspace, contact);
        let kept: QueryResult<_> = transaction.begin_with(try_join(kept, conversations)).await;
        let (kept, conversations) = match kept {
            Err(error) if is_missing_reference(&error) => return Err(StoreError::Stale),
            kept => kept.map_err(failed)?,
        };
        if kept == 0 {
            return Ok(());
        }
        let mut flight = transaction.flight();
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &conversations);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }
}

/// Removes the character NUL, which PostgreSQL cannot store.
fn without_nul(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(&text)),
        Value::Array(values) => values.into_iter().map(without_nul).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, without_nul(value))).collect(),
        plain => plain,
    }
}
