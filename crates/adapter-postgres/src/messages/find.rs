//! Messages and their sends, found by their ids or by the caller's reference.

use diesel::{
    ExpressionMethods, NullableExpressionMethods, QueryDsl, QueryableByName,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::{KeptSend, SentParts, TemplateRef},
    paging::PageRequest,
    phone::PhoneNumber,
};
use futures_util::future::{try_join, try_join_all};
use time::OffsetDateTime;

use super::row::{Row, SendingRow};
use crate::{
    error::failed,
    schema::{contacts, conversations, messages, sends},
    sql::{RunQueryDsl, statement},
    stored::parse_phone,
};

/// Finds the send and the message, each by its key, for one id or for each of a page of sends with a
/// reference. `:id` and `:reference` are NULL if not asked for.
pub(crate) const FIND: &str = "
    SELECT asked.id AS asked_id, send.*, message.*, files.list AS files
    FROM (
        SELECT :id AS id WHERE :id IS NOT NULL
        UNION ALL
        (SELECT id FROM sends
         WHERE workspace_id = :workspace AND reference = :reference
           AND (:everywhere OR conversation_id IS NOT NULL OR notice_content IS NOT NULL)
           AND (created_at, id)
             < (coalesce(:after_at, 'infinity'), coalesce(:after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
         ORDER BY created_at DESC, id DESC LIMIT :limit)
    ) asked
    LEFT JOIN LATERAL (
        SELECT from_phone, conversation_id AS sent_into, template_name AS sent_template_name,
               template_language AS sent_template_language, reference AS sent_reference,
               conversation_id IS NOT NULL OR notice_content IS NOT NULL AS in_conversation,
               state, created_at AS asked_at, settled_at, status, delivered_at, read_at, failed_at, error,
               error_code
        FROM sends WHERE workspace_id = :workspace AND id = asked.id LIMIT 1
    ) send ON true
    LEFT JOIN LATERAL (
        SELECT id, conversation_id, role, sender_id, content, transcription, template_name,
               template_language, reference, created_at, sent_at, context, reaction, reacted_at, edited_at,
               deleted_at, notice
        FROM messages WHERE workspace_id = :workspace AND id = asked.id LIMIT 1
    ) message ON true
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
    WHERE send.state IS NOT NULL OR message.id IS NOT NULL
    ORDER BY send.asked_at DESC, asked.id DESC";

/// Finds the send, or else the message, by the hash of its network id.
pub(super) async fn with_network_id(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    hash: &[u8],
) -> Result<Option<KeptSend>, StoreError> {
    let shared: &AsyncPgConnection = connection;
    let sent = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::network_id_hash.eq(hash))
        .select(sends::id)
        .limit(1)
        .load::<uuid::Uuid>(&mut { shared });
    let written = messages::table
        .filter(messages::workspace_id.eq(workspace.uuid()))
        .filter(messages::network_id_hash.eq(hash))
        .select(messages::id)
        .limit(1)
        .load::<uuid::Uuid>(&mut { shared });
    let (sent, written) = try_join(sent, written).await.map_err(failed)?;
    let Some(id) = sent.into_iter().chain(written).next() else { return Ok(None) };
    Ok(kept(connection, workspace, FindBy::One(id.into())).await?.pop())
}

/// Finds the newest messages with the person of this number.
pub(super) async fn with_number(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    phone: &PhoneNumber,
    most: u32,
) -> Result<Vec<KeptSend>, StoreError> {
    type Place = (OffsetDateTime, uuid::Uuid);
    let person = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::phone.eq(phone.as_str()))
        .select(contacts::id)
        .single_value();
    let conversations: Vec<uuid::Uuid> = conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.nullable().eq(person))
        .select(conversations::id)
        .load(connection)
        .await
        .map_err(failed)?;
    // From each conversation up to the limit of all, by its own index.
    let shared: &AsyncPgConnection = connection;
    let newest_of = |conversation: uuid::Uuid| async move {
        let newest = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .filter(messages::conversation_id.eq(conversation))
            .order((messages::created_at.desc(), messages::id.desc()))
            .limit(i64::from(most))
            .select((messages::created_at, messages::id));
        newest.load::<Place>(&mut { shared }).await
    };
    let newest = try_join_all(conversations.into_iter().map(newest_of)).await.map_err(failed)?;
    let mut newest: Vec<Place> = newest.concat();
    newest.sort_unstable_by(|one, other| other.cmp(one));
    newest.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    // One by one by key: they are few, and the statement for one message need not change for them.
    let mut found = Vec::with_capacity(newest.len());
    for (_, id) in newest {
        found.extend(kept(connection, workspace, FindBy::One(id.into())).await?);
    }
    Ok(found)
}

pub(super) enum FindBy<'a> {
    One(MessageId),
    /// Sends with a reference of the caller's; those outside of conversations only if `everywhere`.
    Page {
        reference: &'a str,
        everywhere: bool,
        page: PageRequest,
    },
}

/// Loads the sends, the latest first.
pub(super) async fn kept(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    asked: FindBy<'_>,
) -> Result<Vec<KeptSend>, StoreError> {
    let (id, reference, everywhere, page) = match asked {
        FindBy::One(id) => (Some(id), None, true, None),
        FindBy::Page { reference, everywhere, page } => (None, Some(reference), everywhere, Some(page)),
    };
    let after = page.and_then(|page| page.after);
    let rows: Vec<KeptRow> = statement(FIND)
        .of(workspace)
        .bind::<Nullable<Uuid>, _>("id", id.map(MessageId::uuid))
        .bind::<Nullable<Text>, _>("reference", reference)
        .bind::<Bool, _>("everywhere", everywhere)
        .bind::<Nullable<Timestamptz>, _>("after_at", after.map(|after| after.at))
        .bind::<Nullable<Uuid>, _>("after_id", after.map(|after| after.id))
        .bind::<BigInt, _>("limit", page.map_or(1, |page| i64::from(page.limit.rows()) + 1))
        .load(connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(KeptRow::read).collect()
}

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
            from: self.from_phone.as_deref().map(parse_phone).transpose()?,
            conversation: self.sent_into.map(Into::into),
            in_conversation: self.in_conversation,
            template: template.map(|(name, language)| TemplateRef { name, language }),
            reference: self.sent_reference,
            sending: self.sending.read()?,
        })
    }
}
