//! What is kept of a message and of its sending, by its id or by the caller's own.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::{KeptSend, SentParts, TemplateRef},
    paging::PageRequest,
};

use super::{Row, SendingRow, files};
use crate::{
    PgStore,
    attachments::missing,
    error::failed,
    sending::read_phone,
    sql::{Bind, sql},
};

/// For each id of `$asked` the send and the message, each by its key.
macro_rules! kept {
    ($asked:literal) => {
        concat!(
            "SELECT asked.id AS asked_id, send.*, message.*, files.list AS files, ",
            missing!("$1", "message.id"),
            " AS missing
            FROM (",
            $asked,
            ") asked
            LEFT JOIN LATERAL (
                SELECT from_phone, conversation_id AS sent_into, template_name AS sent_template_name,
                       template_language AS sent_template_language, reference AS sent_reference,
                       conversation_id IS NOT NULL OR notice_content IS NOT NULL AS in_conversation,
                       state, created_at AS asked_at, settled_at, status, delivered_at, read_at, failed_at, error,
                       error_code
                FROM sends WHERE workspace_id = $1 AND id = asked.id LIMIT 1
            ) send ON true
            LEFT JOIN LATERAL (
                SELECT id, conversation_id, role, sender_id, content, transcription, template_name,
                       template_language, reference, created_at, context, reaction, reacted_at, edited_at, deleted_at
                FROM messages WHERE workspace_id = $1 AND id = asked.id LIMIT 1
            ) message ON true
            ",
            files!(),
            " WHERE send.state IS NOT NULL OR message.id IS NOT NULL
            ORDER BY send.asked_at DESC, asked.id DESC"
        )
    };
}

pub(crate) const FIND: &str = kept!("SELECT $2::uuid AS id");

pub(crate) const FIND_BY_REFERENCE: &str = kept!(
    "SELECT id FROM sends
     WHERE workspace_id = $1 AND reference = $2
       AND ($3 OR conversation_id IS NOT NULL OR notice_content IS NOT NULL)
       AND (created_at, id) < (coalesce($4, 'infinity'), coalesce($5, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY created_at DESC, id DESC LIMIT $6"
);

#[derive(QueryableByName)]
struct KeptRow {
    #[diesel(sql_type = Uuid)]
    asked_id: uuid::Uuid,
    #[diesel(embed)]
    sent: Option<SentRow>,
    #[diesel(embed)]
    kept: Option<Row>,
}

#[derive(QueryableByName)]
struct SentRow {
    #[diesel(sql_type = Nullable<Text>)]
    from_phone: Option<String>,
    #[diesel(sql_type = Nullable<Uuid>)]
    sent_into: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    sent_template_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    sent_template_language: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    sent_reference: Option<String>,
    #[diesel(sql_type = Bool)]
    in_conversation: bool,
    #[diesel(embed)]
    sending: SendingRow,
}

impl KeptRow {
    fn read(self) -> Result<KeptSend, StoreError> {
        Ok(KeptSend {
            id: self.asked_id.into(),
            sent: self.sent.map(SentRow::read).transpose()?,
            kept: self.kept.and_then(Row::read).transpose()?,
        })
    }
}

impl SentRow {
    fn read(self) -> Result<SentParts, StoreError> {
        let template = self.sent_template_name.zip(self.sent_template_language);
        Ok(SentParts {
            from: self.from_phone.as_deref().map(read_phone).transpose()?,
            conversation: self.sent_into.map(Into::into),
            in_conversation: self.in_conversation,
            template: template.map(|(name, language)| TemplateRef { name, language }),
            reference: self.sent_reference,
            sending: self.sending.read()?,
        })
    }
}

impl PgStore {
    pub(super) async fn find_send(
        &self,
        workspace: WorkspaceId,
        id: MessageId,
    ) -> Result<Option<KeptSend>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<KeptRow> = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(KeptRow::read).transpose()
    }

    pub(super) async fn find_sends(
        &self,
        workspace: WorkspaceId,
        reference: &str,
        everywhere: bool,
        page: PageRequest,
    ) -> Result<Vec<KeptSend>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<KeptRow> = sql(FIND_BY_REFERENCE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(reference)
            .bind::<Bool, _>(everywhere)
            .bind::<Nullable<Timestamptz>, _>(page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>(page.after.map(|after| after.id))
            .bind::<BigInt, _>(i64::from(page.limit.rows()) + 1)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(KeptRow::read).collect()
    }
}
