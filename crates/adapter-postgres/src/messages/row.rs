//! Messages and their sendings as rows.

use diesel::{
    Queryable, QueryableByName,
    sql_types::{BigInt, Json, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    errors::StoreError,
    messages::{
        DeliveryStatus, Marks, Message, MessageMeta, Progress, Reaction, Role, Sending, SendingState,
        TemplateRef, ports::KeptMessage,
    },
};
use time::OffsetDateTime;

use crate::{
    attachments::{Files, read_files},
    error::unreadable,
    stored::parse_context,
};

#[derive(QueryableByName)]
pub(super) struct Row {
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
    pub(super) fn read(self) -> Option<Result<KeptMessage, StoreError>> {
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
        let refers = parse_context(self.context);
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

#[derive(Queryable, QueryableByName)]
pub(super) struct SendingRow {
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Timestamptz)]
    pub(super) asked_at: OffsetDateTime,
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
