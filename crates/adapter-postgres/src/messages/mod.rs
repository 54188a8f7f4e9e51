//! The messages of a conversation, and the life of each.

mod find;
mod life;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod row;
mod search;

use self::{
    find::{FindBy, kept, with_network_id, with_number},
    row::Row,
};
use crate::{
    Database,
    error::failed,
    sql::{RunQueryDsl, statement},
};
use async_trait::async_trait;
use diesel::sql_types::{BigInt, Nullable, Timestamptz, Uuid};
use domain::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::{
        KeptSend, NetworkMessageId,
        ports::{KeptMessage, MessageStore},
    },
    paging::PageRequest,
    phone::PhoneNumber,
};

/// Messages, and the life of each.
#[derive(Clone)]
pub struct PgMessages {
    pub(crate) database: Database,
}

/// A conversation without messages on the page is one row of NULLs, an unknown one is no row. Details of a
/// message are looked up row by row, whatever the size of the tables was when the plan was made.
pub(crate) const LIST: &str = "
    SELECT message.*, conversation.id AS conversation_id, files.list AS files, send.*
    FROM conversations conversation
    LEFT JOIN LATERAL (
        SELECT id, role, sender_id, content, transcription, template_name, template_language, reference,
               created_at, sent_at, context, reaction, reacted_at, edited_at, deleted_at, notice
        FROM messages
        WHERE workspace_id = :workspace AND conversation_id = conversation.id
          AND (created_at, id)
            < (coalesce(:after_at, 'infinity'), coalesce(:after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY created_at DESC, id DESC LIMIT :limit
    ) message ON true
    LEFT JOIN LATERAL (
        SELECT state, created_at AS asked_at, settled_at, status, delivered_at, read_at, failed_at, error, error_code
        FROM sends
        WHERE sends.workspace_id = :workspace AND sends.id = message.id AND message.role IN ('team', 'assistant')
        LIMIT 1
    ) send ON true
    LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('kind', kind, 'key', object_key, 'content_type', content_type,
                                          'bytes', bytes, 'title', title, 'state', state) ORDER BY position) AS list
        FROM (
            SELECT kind, object_key, content_type, bytes, title, position,
                   CASE WHEN state = 'pending' AND EXISTS (
                            SELECT 1 FROM attachment_queue
                            WHERE workspace_id = :workspace AND message_id = message.id)
                        THEN 'awaited' ELSE state END AS state
            FROM attachments WHERE workspace_id = :workspace AND message_id = message.id
            UNION ALL
            SELECT kind, object_key, content_type, bytes, title, 0, 'stored' FROM uploads
            WHERE workspace_id = :workspace AND message_id = message.id
        ) file
    ) files ON true
    WHERE conversation.workspace_id = :workspace AND conversation.id = coalesce((
        SELECT conversation_id FROM conversation_aliases
        WHERE workspace_id = :workspace AND id = :conversation), :conversation)
    ORDER BY message.created_at DESC, message.id DESC";

#[async_trait]
impl MessageStore for PgMessages {
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<KeptMessage>>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<Row> = statement(LIST)
            .of(workspace)
            .bind::<Uuid, _>("conversation", conversation.uuid())
            .bind::<Nullable<Timestamptz>, _>("after_at", page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>("after_id", page.after.map(|after| after.id))
            .bind::<BigInt, _>("limit", i64::from(page.limit.rows()) + 1)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        if rows.is_empty() {
            return Ok(None);
        }
        rows.into_iter().filter_map(Row::read).collect::<Result<_, _>>().map(Some)
    }

    async fn find(&self, workspace: WorkspaceId, id: MessageId) -> Result<Option<KeptSend>, StoreError> {
        let mut connection = self.database.connection().await?;
        Ok(kept(&mut connection, workspace, FindBy::One(id)).await?.pop())
    }

    async fn find_by_reference(
        &self,
        workspace: WorkspaceId,
        reference: &str,
        everywhere: bool,
        page: PageRequest,
    ) -> Result<Vec<KeptSend>, StoreError> {
        let mut connection = self.database.connection().await?;
        kept(&mut connection, workspace, FindBy::Page { reference, everywhere, page }).await
    }

    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        id: &NetworkMessageId,
    ) -> Result<Option<KeptSend>, StoreError> {
        let mut connection = self.database.connection().await?;
        with_network_id(&mut connection, workspace, &self.database.network_id_hash(id)).await
    }

    async fn newest_with(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        most: u32,
    ) -> Result<Vec<KeptSend>, StoreError> {
        let mut connection = self.database.connection().await?;
        with_number(&mut connection, workspace, phone, most).await
    }
}
