//! What people tell networks without writing.

use diesel::{
    QueryableByName,
    result::{DatabaseErrorKind, Error},
    sql_types::{Jsonb, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::ChannelKind,
    contacts::{ContactSignal, KeptSignal},
    errors::StoreError,
    ids::{ChannelId, ContactId, WorkspaceId},
};
use serde_json::Value;
use time::OffsetDateTime;

use super::alias::contact_now;
use crate::{
    PgStore,
    error::{failed, unreadable},
    live::live_change,
    sql::{Bind, sql, storable},
};

pub(super) const SIGNALS: &str = concat!(
    "SELECT signal.channel_id, signal.at, signal.signal,
        (SELECT kind FROM channels WHERE workspace_id = $1 AND id = signal.channel_id)
    FROM contact_signals signal
    WHERE signal.workspace_id = $1 AND signal.contact_id = ",
    contact_now!("$2"),
    " ORDER BY signal.at DESC, signal.kind"
);

/// What the network told later stays.
pub(super) const SIGNALLED: &str = concat!(
    "WITH kept AS (
        INSERT INTO contact_signals AS known (workspace_id, contact_id, channel_id, kind, signal, at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (workspace_id, contact_id, channel_id, kind)
        DO UPDATE SET signal = excluded.signal, at = excluded.at WHERE known.at <= excluded.at
        RETURNING contact_id
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT conversation.id AS conversation_id, NULL::uuid AS message_id
         FROM kept JOIN conversations conversation ON conversation.workspace_id = $1 AND conversation.contact_id = kept.contact_id"
    ),
    " SELECT FROM kept"
);

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Timestamptz)]
    at: OffsetDateTime,
    #[diesel(sql_type = Jsonb)]
    signal: Value,
}

impl Row {
    fn read(self) -> Result<KeptSignal, StoreError> {
        Ok(KeptSignal {
            channel: self.channel_id.into(),
            channel_kind: ChannelKind::read(&self.kind).ok_or_else(|| unreadable("channel"))?,
            at: self.at,
            signal: serde_json::from_value(self.signal).map_err(|_| unreadable("signal"))?,
        })
    }
}

impl PgStore {
    pub(super) async fn list_signals(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
    ) -> Result<Vec<KeptSignal>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Row> = sql(SIGNALS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(contact.uuid())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(Row::read).collect()
    }

    pub(crate) async fn keep_signal(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        channel: ChannelId,
        signal: &ContactSignal,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let kept = serde_json::to_value(signal).map_err(|error| StoreError::Internal(error.to_string()))?;
        let mut connection = self.connection().await?;
        let written = sql(SIGNALLED)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(contact.uuid())
            .bind::<Uuid, _>(channel.uuid())
            .bind::<Text, _>(signal.kind())
            .bind::<Jsonb, _>(without_nul(kept))
            .bind::<Timestamptz, _>(at)
            .execute(&mut connection)
            .await;
        match written {
            Ok(_) => Ok(()),
            Err(Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)) => Err(StoreError::Stale),
            Err(error) => Err(failed(error)),
        }
    }
}

/// Without the one character that no text of the database may hold.
fn without_nul(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(&text)),
        Value::Array(values) => values.into_iter().map(without_nul).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, without_nul(value))).collect(),
        plain => plain,
    }
}
