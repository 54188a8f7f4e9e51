//! A message's life, in two statements: what is kept of it, and what addresses were told.

use std::time::Duration;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::{
        DeliveryStatus, MessageLife, Progress, Role, Sending, SendingState, TemplateRef, Told,
        ports::MessageLives,
    },
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
    webhooks::{AttemptRow, DeliveryRow},
};

/// Deliveries of one message that are told of: seven for each of ten addresses would be all.
const MOST_TOLD: i64 = 200;

/// How much earlier an event of a message may be than the message: messages of one moment are moved behind each other.
const BESIDE: Duration = Duration::from_mins(1);

pub(crate) const KEPT: &str = "
    SELECT coalesce(message.conversation_id, send.conversation_id) AS conversation_id, message.role,
           coalesce(message.sender_id, send.author_id::text) AS sender_id,
           coalesce(message.template_name, send.template_name) AS template_name,
           coalesce(message.template_language, send.template_language) AS template_language,
           coalesce(message.reference, send.reference) AS reference, message.created_at AS recorded_at,
           coalesce(send.network_id_hash, message.network_id_hash) IS NOT NULL AS has_network_id,
           send.state, send.created_at AS asked_at, send.settled_at, send.status, send.delivered_at, send.read_at,
           send.failed_at, send.error, send.error_code
    FROM (SELECT) always
    LEFT JOIN sends send ON send.workspace_id = $1 AND send.id = $2
    LEFT JOIN messages message ON message.workspace_id = $1 AND message.id = $2
    WHERE send.id IS NOT NULL OR message.id IS NOT NULL";

/// One row for each attempt, or for a delivery without any. No event of a message is older than $3.
pub(crate) const TOLD: &str = "
    SELECT log.id, log.address_id, log.event, log.undelivered, log.created_at, queue.due_at, attempt.attempt,
           attempt.started_at, attempt.duration_ms, attempt.status, attempt.failure
    FROM (
        SELECT id, address_id, event, undelivered, created_at FROM delivery_log
        WHERE workspace_id = $1 AND message_id = $2 AND created_at >= $3
        ORDER BY created_at, id LIMIT $4
    ) log
    LEFT JOIN LATERAL (
        SELECT due_at FROM delivery_queue queue
        WHERE queue.workspace_id = $1 AND queue.delivery_id = log.id LIMIT 1
    ) queue ON true
    LEFT JOIN LATERAL (
        SELECT * FROM delivery_attempts attempt
        WHERE attempt.workspace_id = $1 AND attempt.delivery_id = log.id AND attempt.created_at = log.created_at
        OFFSET 0
    ) attempt ON true
    ORDER BY log.created_at, log.id, attempt.attempt";

#[derive(QueryableByName)]
struct KeptRow {
    #[diesel(sql_type = Nullable<Uuid>)]
    conversation_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    sender_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    template_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    template_language: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    reference: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    recorded_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    has_network_id: bool,
    #[diesel(embed)]
    sending: Option<SendingRow>,
}

#[derive(QueryableByName)]
pub(super) struct SendingRow {
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Timestamptz)]
    asked_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    settled_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    delivered_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    read_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    failed_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    error: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    error_code: Option<i64>,
}

#[derive(QueryableByName)]
struct ToldRow {
    #[diesel(embed)]
    delivery: DeliveryRow,
    #[diesel(embed)]
    attempt: Option<AttemptRow>,
}

impl KeptRow {
    /// When the first event of the message may have been.
    fn began_at(&self) -> Option<OffsetDateTime> {
        let asked_at = self.sending.as_ref().map(|sending| sending.asked_at);
        asked_at.into_iter().chain(self.recorded_at).min().map(|at| at - BESIDE)
    }

    fn life(self, id: MessageId, told: Vec<Told>) -> Result<MessageLife, StoreError> {
        let template = self.template_name.zip(self.template_language);
        let role = self.role.as_deref().map(|role| Role::read(role).ok_or_else(|| unreadable("role")));
        Ok(MessageLife {
            id,
            conversation: self.conversation_id.map(Into::into),
            role: role.transpose()?,
            sender_id: self.sender_id,
            template: template.map(|(name, language)| TemplateRef { name, language }),
            reference: self.reference,
            recorded_at: self.recorded_at,
            has_network_id: self.has_network_id,
            sending: self.sending.map(SendingRow::read).transpose()?,
            told,
        })
    }
}

impl SendingRow {
    pub(super) fn read(self) -> Result<Sending, StoreError> {
        Ok(Sending {
            state: SendingState::read(&self.state).ok_or_else(|| unreadable("state"))?,
            asked_at: self.asked_at,
            settled_at: self.settled_at,
            progress: Progress {
                status: DeliveryStatus::read(&self.status).ok_or_else(|| unreadable("status"))?,
                delivered_at: self.delivered_at,
                read_at: self.read_at,
                failed_at: self.failed_at,
            },
            error: self.error,
            error_code: self.error_code,
        })
    }
}

/// The rows of one delivery follow each other.
fn deliveries(rows: Vec<ToldRow>) -> Result<Vec<Told>, StoreError> {
    let mut told: Vec<Told> = Vec::new();
    for row in rows {
        if told.last().is_none_or(|last| last.delivery.id.uuid() != row.delivery.id) {
            told.push(Told { delivery: row.delivery.read(0)?, attempts: Vec::new() });
        }
        if let (Some(last), Some(attempt)) = (told.last_mut(), row.attempt) {
            last.delivery.attempts += 1;
            last.attempts.push(attempt.read(None));
        }
    }
    Ok(told)
}

#[async_trait]
impl MessageLives for PgStore {
    async fn life(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError> {
        let mut connection = self.connection().await?;
        let kept: Option<KeptRow> = sql(KEPT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(message.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(kept) = kept else { return Ok(None) };
        let Some(began_at) = kept.began_at() else { return Err(unreadable("time")) };
        // On a connection whose plans suit the log.
        drop(connection);
        let mut connection = self.delivering().await?;
        let rows: Vec<ToldRow> = sql(TOLD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(message.uuid())
            .bind::<Timestamptz, _>(began_at)
            .bind::<BigInt, _>(MOST_TOLD)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        kept.life(message, deliveries(rows)?).map(Some)
    }
}
