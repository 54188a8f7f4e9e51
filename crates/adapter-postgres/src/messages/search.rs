//! Search of messages by their words.
//!
//! In a whole workspace the index is asked day by day, the newest first, until the page is full: a common
//! word is found on the first days, and a rare one costs a look-up for each day. In one conversation the
//! messages are walked, the newest first.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, QueryDsl, QueryableByName,
    dsl::exists,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    messages::{
        Role,
        ports::{FoundText, FoundTexts, MessageSearchStore},
    },
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::PgMessages;
use crate::{
    error::{failed, unreadable},
    schema::{messages, workspaces},
    sql::{RunQueryDsl, TextByTopology, Word, statement, update, word},
    stored::searchable_words,
};

/// Most messages of a conversation walked for one page, in some tens of milliseconds.
const WALKED: i64 = 20_000;

/// The search ends 31 days before the time of the first message by id. The id of a sent message is that of
/// its send, while its time is that of its recording, which may be as late as the outcome: up to 30 days for
/// a network that stores messages.
pub(super) const SEARCH: &str = "
    WITH span AS (
        SELECT floor(extract(epoch FROM least(:after_at, now() + interval '1 day')) / 86400)::bigint AS newest,
               floor(extract(epoch FROM created_at) / 86400)::bigint - 31 AS oldest
        FROM messages WHERE workspace_id = :workspace ORDER BY id LIMIT 1
    ), found AS MATERIALIZED (
        SELECT message.*
        FROM span CROSS JOIN LATERAL generate_series(newest, oldest, -1) AS day
        CROSS JOIN LATERAL (
            SELECT id, conversation_id, role, content, transcription, created_at FROM messages
            WHERE workspace_id {is} :workspace
              AND message_words(workspace_id, created_at, searchable) @@ message_query(:workspace, day, :words)
              AND created_at >= to_timestamp(day * 86400) AND created_at < to_timestamp((day + 1) * 86400)
              AND (created_at, id)
                < (coalesce(:after_at, 'infinity'), coalesce(:after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
            ORDER BY created_at DESC, id DESC LIMIT :limit
        ) message
        LIMIT :limit
    )
    SELECT found.*, conversation.channel, contact.id AS contact_id, contact.name, contact.phone
    FROM found
    JOIN conversations conversation
      ON conversation.workspace_id = :workspace AND conversation.id = found.conversation_id
    JOIN contacts contact ON contact.workspace_id = :workspace AND contact.id = conversation.contact_id
    ORDER BY found.created_at DESC, found.id DESC";

/// Role whose words are never indexed, as in the condition of the index over messages without words.
const WITHOUT_WORDS: Word = word(Role::System.as_str());

static EVERYWHERE: LazyLock<TextByTopology> = LazyLock::new(|| TextByTopology::of(SEARCH));

/// A row without an id has the place where the walk ended, or without a time says that it reached the end. No
/// row means that there is no such conversation.
pub(super) const WITHIN: &str = "
    WITH conversation AS MATERIALIZED (
        SELECT conversation.id, channel, contact_id FROM conversations conversation
        WHERE workspace_id = :workspace AND id = coalesce((
            SELECT conversation_id FROM conversation_aliases
            WHERE workspace_id = :workspace AND id = :conversation), :conversation)
    ), walked AS MATERIALIZED (
        SELECT id, role, content, transcription, created_at, searchable, deleted_at FROM messages
        WHERE workspace_id = :workspace AND conversation_id = (SELECT id FROM conversation)
          AND (created_at, id)
            < (coalesce(:after_at, 'infinity'), coalesce(:after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY created_at DESC, id DESC LIMIT :walked
    ), found AS MATERIALIZED (
        SELECT * FROM walked WHERE ' ' || searchable || ' ' LIKE ALL (:patterns) LIMIT :limit
    ), ended AS (
        SELECT id, created_at FROM walked
        WHERE (SELECT count(*) FROM found) < :limit OFFSET :walked - 1
    )
    SELECT found.id, conversation.id AS conversation_id, found.role, found.content, found.transcription,
           coalesce(found.created_at, (SELECT created_at FROM ended)) AS created_at, conversation.channel,
           contact.id AS contact_id, contact.name, contact.phone, (SELECT id FROM ended) AS ended_id
    FROM conversation
    JOIN contacts contact ON contact.workspace_id = :workspace AND contact.id = conversation.contact_id
    LEFT JOIN (SELECT * FROM found UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL) found ON true
    ORDER BY found.created_at DESC NULLS LAST, found.id DESC";

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    conversation_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Text)]
    content: String,
    #[diesel(sql_type = Nullable<Text>)]
    transcription: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(embed)]
    with: WithRow,
}

#[derive(QueryableByName)]
struct WithRow {
    #[diesel(sql_type = Text)]
    channel: String,
    #[diesel(sql_type = Uuid)]
    contact_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
}

/// A message that was found, or the one at which the search ended.
#[derive(QueryableByName)]
struct WalkedRow {
    #[diesel(embed)]
    found: Option<FoundRow>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Uuid>)]
    ended_id: Option<uuid::Uuid>,
}

impl FoundRow {
    fn read(self) -> Result<FoundText, StoreError> {
        let WithRow { channel, contact_id, name, phone } = self.with;
        let phone = phone.map(|phone| PhoneNumber::from_e164(&phone).map_err(|_| unreadable("phone")));
        Ok(FoundText {
            id: self.id.into(),
            conversation: self.conversation_id.into(),
            channel: ChannelKind::read(&channel).ok_or_else(|| unreadable("channel"))?,
            contact: contact_id.into(),
            name,
            phone: phone.transpose()?,
            role: Role::read(&self.role).ok_or_else(|| unreadable("role"))?,
            content: self.content,
            transcription: self.transcription,
            created_at: self.created_at,
        })
    }
}

#[async_trait]
impl MessageSearchStore for PgMessages {
    async fn search(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        page: PageRequest,
    ) -> Result<FoundTexts, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<FoundRow> = statement(EVERYWHERE.at(self.database.topology()))
            .of(workspace)
            .bind::<Nullable<Timestamptz>, _>("after_at", page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>("after_id", page.after.map(|after| after.id))
            .bind::<Array<Text>, _>("words", words)
            .bind::<BigInt, _>("limit", i64::from(page.limit.rows()) + 1)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let rows = rows.into_iter().map(FoundRow::read).collect::<Result<_, _>>()?;
        Ok(FoundTexts { rows, ended_at: None })
    }

    async fn search_conversation(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        words: &[String],
        page: PageRequest,
    ) -> Result<Option<FoundTexts>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<WalkedRow> = statement(WITHIN)
            .of(workspace)
            .bind::<Uuid, _>("conversation", conversation.uuid())
            .bind::<Nullable<Timestamptz>, _>("after_at", page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>("after_id", page.after.map(|after| after.id))
            .bind::<Array<Text>, _>("patterns", words.iter().map(|word| pattern(word)).collect::<Vec<_>>())
            .bind::<BigInt, _>("walked", WALKED)
            .bind::<BigInt, _>("limit", i64::from(page.limit.rows()) + 1)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut found = FoundTexts::default();
        for row in rows {
            if let Some(row) = row.found {
                found.rows.push(row.read()?);
            } else {
                let ended = row.created_at.zip(row.ended_id);
                found.ended_at = ended.map(|(at, id)| Position { at, id });
            }
        }
        Ok(Some(found))
    }

    async fn workspaces_without_words(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        let without = messages::table
            .filter(messages::workspace_id.eq(workspaces::workspace_id))
            .filter(messages::searchable.is_null())
            .filter(messages::role.ne(WITHOUT_WORDS))
            .select(messages::id);
        self.database.workspaces(exists(without)).await
    }

    async fn keep_words(&self, workspace: WorkspaceId, most: u32) -> Result<u32, StoreError> {
        type Row = (uuid::Uuid, String, Option<String>, Option<OffsetDateTime>);
        let transaction = self.database.transaction().await?;
        let without = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .filter(messages::searchable.is_null())
            .filter(messages::role.ne(WITHOUT_WORDS))
            .order(messages::id.desc())
            .limit(i64::from(most))
            .select((messages::id, messages::content, messages::transcription, messages::deleted_at))
            .for_no_key_update()
            .skip_locked()
            .load::<Row>(&mut &*transaction);
        let rows = transaction.begin_with(without).await.map_err(failed)?;
        let mut flight = transaction.flight();
        flight.update(update(messages::table, workspace, &rows).key(messages::id, |(id, ..)| *id).set(
            messages::searchable,
            |(_, content, transcription, deleted_at)| {
                Some(
                    deleted_at.map_or_else(
                        || searchable_words(content, transcription.as_deref()),
                        |_| String::new(),
                    ),
                )
            },
        ));
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(u32::try_from(rows.len()).unwrap_or(u32::MAX))
    }
}

/// Returns the `LIKE` pattern of a word of letters and digits, like `message_query` in the database.
fn pattern(word: &str) -> String {
    if word.chars().nth(1).is_some() { format!("% {word}%") } else { format!("% {word} %") }
}
