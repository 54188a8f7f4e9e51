//! The life of a message: its sending, and the deliveries of its events.

use std::time::Duration;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, Queryable, SelectableHelper};
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::{Role, TemplateRef},
    webhooks::{MessageLife, Told, ports::MessageLives},
};
use futures_util::future::{try_join, try_join_all};
use time::OffsetDateTime;

use super::row::SendingRow;
use crate::{
    error::{failed, unreadable},
    messages::PgMessages,
    schema::{delivery_attempts, delivery_log, messages, sends},
    sql::RunQueryDsl,
    webhooks::{AttemptRow, DeliveryRow, delivery},
};

/// Limit of a message's deliveries: seven events for each of ten addresses would be all.
const MOST_TOLD: i64 = 200;

/// How much older an event may be than its message, since messages of one moment get later times in turn.
const BESIDE: Duration = Duration::from_mins(1);

#[derive(Queryable)]
struct SentRow {
    conversation_id: Option<uuid::Uuid>,
    author_id: Option<uuid::Uuid>,
    template_name: Option<String>,
    template_language: Option<String>,
    reference: Option<String>,
    has_network_id: bool,
    sending: SendingRow,
}

#[derive(Queryable)]
struct RecordedRow {
    conversation_id: uuid::Uuid,
    role: String,
    sender_id: Option<String>,
    template_name: Option<String>,
    template_language: Option<String>,
    reference: Option<String>,
    created_at: OffsetDateTime,
    has_network_id: bool,
}

/// Merges the record of a message over the intent of its sending.
fn life(
    id: MessageId,
    sent: Option<SentRow>,
    recorded: Option<RecordedRow>,
    told: Vec<Told>,
) -> Result<MessageLife, StoreError> {
    let mut life = MessageLife {
        id,
        conversation: None,
        role: None,
        sender_id: None,
        template: None,
        reference: None,
        recorded_at: None,
        has_network_id: false,
        sending: None,
        told,
    };
    let template = |name: Option<String>, language: Option<String>| {
        name.zip(language).map(|(name, language)| TemplateRef { name, language })
    };
    if let Some(sent) = sent {
        life.conversation = sent.conversation_id.map(Into::into);
        life.sender_id = sent.author_id.map(|author| author.to_string());
        life.template = template(sent.template_name, sent.template_language);
        life.reference = sent.reference;
        life.has_network_id = sent.has_network_id;
        life.sending = Some(sent.sending.read()?);
    }
    if let Some(recorded) = recorded {
        life.conversation = Some(recorded.conversation_id.into());
        life.role = Some(Role::read(&recorded.role).ok_or_else(|| unreadable("role"))?);
        life.sender_id = recorded.sender_id.or(life.sender_id);
        life.template = template(recorded.template_name, recorded.template_language).or(life.template);
        life.reference = recorded.reference.or(life.reference);
        life.has_network_id |= recorded.has_network_id;
        life.recorded_at = Some(recorded.created_at);
    }
    Ok(life)
}

fn told((delivery, attempts): (DeliveryRow, Vec<AttemptRow>)) -> Result<Told, StoreError> {
    let count = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
    let attempts = attempts.into_iter().map(|attempt| attempt.read(None)).collect();
    Ok(Told { delivery: delivery.read(count)?, attempts })
}

#[async_trait]
impl MessageLives for PgMessages {
    async fn life(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError> {
        let connection = self.database.connection().await?;
        let key = (workspace.uuid(), message.uuid());
        let sent = sends::table
            .find(key)
            .select((
                sends::conversation_id,
                sends::author_id,
                sends::template_name,
                sends::template_language,
                sends::reference,
                sends::network_id_hash.is_not_null(),
                (
                    sends::state,
                    sends::created_at,
                    sends::settled_at,
                    sends::status,
                    sends::delivered_at,
                    sends::read_at,
                    sends::failed_at,
                    sends::error,
                    sends::error_code,
                ),
            ))
            .get_result::<SentRow>(&mut &*connection);
        let recorded = messages::table
            .find(key)
            .select((
                messages::conversation_id,
                messages::role,
                messages::sender_id,
                messages::template_name,
                messages::template_language,
                messages::reference,
                messages::created_at,
                messages::network_id_hash.is_not_null(),
            ))
            .get_result::<RecordedRow>(&mut &*connection);
        let sent = async { sent.await.optional() };
        let recorded = async { recorded.await.optional() };
        let (sent, recorded) = try_join(sent, recorded).await.map_err(failed)?;
        // Earliest time of the message's first event.
        let times =
            [sent.as_ref().map(|row| row.sending.asked_at), recorded.as_ref().map(|row| row.created_at)];
        let Some(began_at) = times.into_iter().flatten().min() else { return Ok(None) };
        // A connection whose plans suit the log.
        drop(connection);
        let connection = self.database.delivering().await?;
        let connection = &*connection;
        let deliveries: Vec<DeliveryRow> = delivery_log::table
            .filter(delivery_log::workspace_id.eq(workspace.uuid()))
            .filter(delivery_log::message_id.eq(message.uuid()))
            .filter(delivery_log::created_at.ge(began_at - BESIDE))
            .order((delivery_log::created_at, delivery_log::id))
            .limit(MOST_TOLD)
            .select(delivery(workspace.uuid()))
            .load(&mut { connection })
            .await
            .map_err(failed)?;
        let attempts_of = |(id, created_at): (uuid::Uuid, OffsetDateTime)| async move {
            let attempts = delivery_attempts::table
                .filter(delivery_attempts::workspace_id.eq(workspace.uuid()))
                .filter(delivery_attempts::delivery_id.eq(id))
                .filter(delivery_attempts::created_at.eq(created_at))
                .order(delivery_attempts::attempt)
                .select(AttemptRow::as_select());
            attempts.load::<AttemptRow>(&mut { connection }).await
        };
        let keys = deliveries.iter().map(|delivery| (delivery.id, delivery.created_at));
        let attempts = try_join_all(keys.map(attempts_of)).await.map_err(failed)?;
        let deliveries = deliveries.into_iter().zip(attempts).map(told).collect::<Result<_, _>>()?;
        life(message, sent, recorded, deliveries).map(Some)
    }
}
