//! The messages of a conversation, and the life of each.

mod find;
mod life;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
pub(crate) mod search;

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Json, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::{
        Context, KeptSend, Marks, Message, MessageMeta, NetworkMessageId, Reaction, Role, TemplateRef,
        ports::{KeptMessage, MessageStore},
    },
    paging::PageRequest,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use self::{
    find::{FindBy, kept, with_network_id, with_number},
    life::SendingRow,
};
use crate::{
    Database,
    attachments::{Files, read_files},
    error::{failed, unreadable},
    sql::statement,
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

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<Uuid>)]
    id: Option<uuid::Uuid>,
    #[diesel(sql_type = Uuid)]
    conversation_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    sender_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    content: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    transcription: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    template_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    template_language: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    reference: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    sent_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    context: Option<serde_json::Value>,
    #[diesel(sql_type = Nullable<Text>)]
    reaction: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    reacted_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    edited_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    deleted_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    notice: Option<serde_json::Value>,
    #[diesel(sql_type = Nullable<Json>)]
    files: Option<serde_json::Value>,
    #[diesel(embed)]
    sending: Option<SendingRow>,
}

impl Row {
    fn read(self) -> Option<Result<KeptMessage, StoreError>> {
        let (id, role, content) = (self.id?, self.role?, self.content?);
        let created_at = self.created_at?;
        let template = self.template_name.zip(self.template_language);
        let meta = template.map(|(name, language)| MessageMeta {
            template: TemplateRef { name, language },
            reference: self.reference,
        });
        let reaction = self.reaction.zip(self.reacted_at).map(|(emoji, at)| Reaction { emoji, at });
        let marks = Marks { reaction, edited_at: self.edited_at, deleted_at: self.deleted_at };
        let role = Role::read(&role).ok_or_else(|| unreadable("role"));
        let refers = read_context(self.context);
        let system_message =
            self.notice.map(serde_json::from_value).transpose().map_err(|_| unreadable("notice"));
        let message = role.and_then(|role| {
            Ok(Message {
                id: id.into(),
                conversation: self.conversation_id.into(),
                role,
                sender_id: self.sender_id,
                content,
                attachments: Vec::new(),
                transcription: self.transcription,
                created_at,
                sent_at: self.sent_at,
                meta,
                context: refers?,
                marks,
                system_message: system_message?,
            })
        });
        let files = read_files(self.files);
        let sending = self.sending.map(SendingRow::read).transpose();
        Some(message.and_then(|message| {
            let Files { stored, missing, awaited } = files?;
            Ok(KeptMessage { message, files: stored, missing, awaited, sending: sending? })
        }))
    }
}

/// Reads a message's context; NULL stands for an empty one.
pub(crate) fn read_context(kept: Option<serde_json::Value>) -> Result<Context, StoreError> {
    let read = |kept| serde_json::from_value(kept).map_err(|_| unreadable("context"));
    kept.map_or_else(|| Ok(Context::default()), read)
}

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
            .get_results(&mut connection)
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
