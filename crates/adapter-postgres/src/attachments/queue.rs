//! Messages whose events wait for their files.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Binary, Integer, Json, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    attachments::{
        AttachmentKind,
        ports::{
            AfterFiles, AttachmentQueue, AwaitedMessage, FileOutcome, FileState, FilesChange, FilesQueue,
            MediaOrigin, MessageFile,
        },
    },
    channels::ChannelKind,
    errors::StoreError,
    ids::{AccountId, MessageId, WorkspaceId},
    messages::{Marks, Message, Role},
    webhooks::Customer,
};
use secrecy::SecretString;
use serde::Deserialize;
use time::OffsetDateTime;

use super::stored::{StoredRow, shown_name};
use crate::{
    PgStore,
    error::{failed, locked, unreadable},
    live::live_change,
    messages::read_context,
    places,
    sending::read_phone,
    sql::{Bind, at_places, sql},
    webhooks::{Count, PendingDeliveries, enqueue_deliveries, owing},
};

/// One look at the index for each workspace, however much is due.
macro_rules! with_files {
    ($queue:literal) => {
        concat!(
            "SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
                SELECT FROM ",
            $queue,
            " queue
                WHERE queue.workspace_id = workspace.workspace_id AND queue.due_at <= $1)"
        )
    };
}

pub(super) const WITH_FILES: &str = with_files!("attachment_queue");
pub(super) const WITH_LATE_FILES: &str = with_files!("late_files");

macro_rules! claim {
    ($queue:literal) => { concat!(
    "WITH due AS MATERIALIZED (
        SELECT ctid AS place FROM ",
    $queue,
    "
        WHERE workspace_id = $1 AND due_at <= $2
        ORDER BY due_at, message_id LIMIT $4
        FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE ",
    $queue,
    " queue SET due_at = $3, attempts = attempts + 1 WHERE ",
    at_places!("queue", "SELECT place FROM due"),
    " RETURNING queue.message_id, queue.attempts, queue.recorded_at
    )
    SELECT taken.message_id, taken.attempts, taken.recorded_at, message.conversation_id, message.role,
           message.sender_id, message.content, message.context, message.created_at, contact.id AS contact_id,
           contact.name,
           contact.phone, channel.kind AS channel, channel.network_id AS channel_network_id,
           account.id AS account_id, account.token_sealed, files.list AS files
    FROM taken
    JOIN messages message ON message.workspace_id = $1 AND message.id = taken.message_id
    JOIN conversations conversation ON conversation.workspace_id = $1 AND conversation.id = message.conversation_id
    JOIN contacts contact ON contact.workspace_id = $1 AND contact.id = conversation.contact_id
    JOIN channels channel ON channel.workspace_id = $1 AND channel.id = conversation.channel_id
    JOIN accounts account ON account.workspace_id = $1 AND account.id = channel.account_id
    CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object(
                   'position', position, 'kind', kind, 'state', state, 'source', encode(source_sealed, 'hex'),
                   'sha256', encode(sha256, 'hex'), 'content_type', content_type, 'title', title,
                   'voice', voice, 'key', object_key, 'bytes', bytes) ORDER BY position) AS list
        FROM attachments WHERE workspace_id = $1 AND message_id = taken.message_id
    ) files
    ORDER BY taken.recorded_at, taken.message_id"
) };
}

pub(super) const CLAIM: &str = claim!("attachment_queue");
pub(super) const CLAIM_LATE: &str = claim!("late_files");

/// Outcomes of a part of a message's files; it stays in its queue, or leaves it.
macro_rules! outcomes {
    ($waiting:literal) => {
        concat!(
            "WITH waiting AS (",
            $waiting,
            "
        RETURNING message_id
    ), settled AS (
        UPDATE attachments file
        SET state = CASE WHEN outcome.object_key IS NULL THEN 'given_up' ELSE 'stored' END, source_sealed = NULL,
            object_key = outcome.object_key, content_type = coalesce(outcome.content_type, file.content_type),
            bytes = outcome.bytes
        FROM waiting, unnest($4, $5, $6, $7) AS outcome (position, object_key, content_type, bytes)
        WHERE file.workspace_id = $1 AND file.message_id = $2 AND file.position = outcome.position
          AND file.state = 'pending'
    )"
        )
    };
}

/// Ends a statement about a message that has been told of. Whoever looks at it is told when a file has come.
macro_rules! shown {
    () => {
        concat!(
            ", transcribed AS (
        UPDATE messages SET transcription = concat_ws(E'\\n', transcription, $8) FROM waiting
        WHERE workspace_id = $1 AND id = $2 AND $8::text IS NOT NULL
    ), ",
            live_change!(
                "told",
                "message.changed",
                "SELECT message.conversation_id, message.id AS message_id
                 FROM waiting
                 JOIN messages message ON message.workspace_id = $1 AND message.id = waiting.message_id
                 WHERE EXISTS (SELECT FROM unnest($5) AS stored (object_key) WHERE object_key IS NOT NULL)"
            ),
            " SELECT count(*) AS count FROM waiting"
        )
    };
}

pub(super) const TRY_LATER: &str = concat!(
    outcomes!("UPDATE attachment_queue SET due_at = $3 WHERE workspace_id = $1 AND message_id = $2"),
    " SELECT count(*) AS count FROM waiting"
);
pub(super) const LATE_LATER: &str = concat!(
    outcomes!("UPDATE late_files SET due_at = $3 WHERE workspace_id = $1 AND message_id = $2"),
    shown!()
);
/// The time is none then.
pub(super) const LATE_ENDED: &str = concat!(
    outcomes!(
        "DELETE FROM late_files WHERE workspace_id = $1 AND message_id = $2 AND $3::timestamptz IS NULL"
    ),
    shown!()
);

/// The last outcomes, and what they let out.
pub(super) const ANNOUNCE: &str = concat!(
    "WITH owing AS (
        DELETE FROM attachment_queue WHERE workspace_id = $1 AND message_id = $7
        RETURNING message_id, recorded_at
    ), late AS (
        INSERT INTO late_files (workspace_id, message_id, recorded_at, due_at)
        SELECT $1, message_id, recorded_at, $13 FROM owing WHERE $13::timestamptz IS NOT NULL
    ), settled AS (
        UPDATE attachments file
        SET state = CASE WHEN outcome.object_key IS NULL THEN 'given_up' ELSE 'stored' END, source_sealed = NULL,
            object_key = outcome.object_key, content_type = coalesce(outcome.content_type, file.content_type),
            bytes = outcome.bytes
        FROM owing, unnest($8, $9, $10, $11) AS outcome (position, object_key, content_type, bytes)
        WHERE file.workspace_id = $1 AND file.message_id = $7 AND file.position = outcome.position
          AND file.state = 'pending'
    ), transcribed AS (
        UPDATE messages SET transcription = $12 FROM owing
        WHERE workspace_id = $1 AND id = $7 AND $12::text IS NOT NULL
    ), ",
    live_change!(
        "told",
        "message.changed",
        "SELECT message.conversation_id, message.id AS message_id
         FROM owing JOIN messages message ON message.workspace_id = $1 AND message.id = owing.message_id"
    ),
    ", ",
    enqueue_deliveries!(),
    " SELECT count(*) AS count FROM owing",
);

#[derive(QueryableByName)]
struct AwaitedRow {
    #[diesel(sql_type = Uuid)]
    message_id: uuid::Uuid,
    #[diesel(sql_type = Integer)]
    attempts: i32,
    #[diesel(sql_type = Timestamptz)]
    recorded_at: OffsetDateTime,
    #[diesel(sql_type = Uuid)]
    conversation_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Nullable<Text>)]
    sender_id: Option<String>,
    #[diesel(sql_type = Text)]
    content: String,
    #[diesel(sql_type = Nullable<Jsonb>)]
    context: Option<serde_json::Value>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Uuid)]
    contact_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
    #[diesel(sql_type = Text)]
    channel: String,
    #[diesel(sql_type = Text)]
    channel_network_id: String,
    #[diesel(sql_type = Uuid)]
    account_id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    token_sealed: Vec<u8>,
    #[diesel(sql_type = Nullable<Json>)]
    files: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct FileRow {
    position: u16,
    state: String,
    source: Option<String>,
    sha256: Option<String>,
    voice: bool,
    #[serde(flatten)]
    stored: StoredRow,
}

#[async_trait]
impl AttachmentQueue for PgStore {
    async fn workspaces_with_files(
        &self,
        queue: FilesQueue,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let statement = match queue {
            FilesQueue::ToBeTold => WITH_FILES,
            FilesQueue::Late => WITH_LATE_FILES,
        };
        self.workspaces(statement, now).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        queue: FilesQueue,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<AwaitedMessage>, StoreError> {
        let statement = match queue {
            FilesQueue::ToBeTold => CLAIM,
            FilesQueue::Late => CLAIM_LATE,
        };
        let rows: Vec<AwaitedRow> = self.claimed(statement, workspace, (now, lease_until), limit).await?;
        let read = |row: AwaitedRow| {
            let message = row.message_id;
            // It stays, and is due again after the lease; the others go on.
            self.awaited(queue, workspace, row)
                .inspect_err(|error| tracing::error!(%workspace, %message, %error, "not readable"))
                .ok()
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    async fn commit(&self, workspace: WorkspaceId, change: &FilesChange) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let outcomes = Outcomes::of(&change.outcomes)?;
        let moved: Count = match &change.next {
            AfterFiles::TryAt(due_at) => sql(TRY_LATER)
                .bind::<Uuid, _>(workspace.uuid())
                .bind::<Uuid, _>(change.message.uuid())
                .bind::<Timestamptz, _>(*due_at)
                .bind::<Array<Integer>, _>(&outcomes.positions)
                .bind::<Array<Nullable<Text>>, _>(&outcomes.keys)
                .bind::<Array<Nullable<Text>>, _>(&outcomes.content_types)
                .bind::<Array<Nullable<BigInt>>, _>(&outcomes.bytes)
                .get_result(&mut connection)
                .await
                .map_err(failed)?,
            AfterFiles::Late { transcription, next_try } => {
                sql(if next_try.is_some() { LATE_LATER } else { LATE_ENDED })
                    .bind::<Uuid, _>(workspace.uuid())
                    .bind::<Uuid, _>(change.message.uuid())
                    .bind::<Nullable<Timestamptz>, _>(*next_try)
                    .bind::<Array<Integer>, _>(&outcomes.positions)
                    .bind::<Array<Nullable<Text>>, _>(&outcomes.keys)
                    .bind::<Array<Nullable<Text>>, _>(&outcomes.content_types)
                    .bind::<Array<Nullable<BigInt>>, _>(&outcomes.bytes)
                    .bind::<Nullable<Text>, _>(transcription.as_deref())
                    .get_result(&mut connection)
                    .await
                    .map_err(failed)?
            }
            AfterFiles::Announce { transcription, event, late_try } => {
                let events = [&**event];
                let owed: PendingDeliveries = self.owed(&mut connection, workspace, &events).await?;
                owing(ANNOUNCE, workspace, &owed)
                    .bind::<Uuid, _>(change.message.uuid())
                    .bind::<Array<Integer>, _>(&outcomes.positions)
                    .bind::<Array<Nullable<Text>>, _>(&outcomes.keys)
                    .bind::<Array<Nullable<Text>>, _>(&outcomes.content_types)
                    .bind::<Array<Nullable<BigInt>>, _>(&outcomes.bytes)
                    .bind::<Nullable<Text>, _>(transcription.as_deref())
                    .bind::<Nullable<Timestamptz>, _>(*late_try)
                    .get_result(&mut connection)
                    .await
                    .map_err(failed)?
            }
        };
        if moved.count == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }
}

/// Outcomes, column by column.
#[derive(Default)]
struct Outcomes<'a> {
    positions: Vec<i32>,
    keys: Vec<Option<&'a str>>,
    content_types: Vec<Option<&'a str>>,
    bytes: Vec<Option<i64>>,
}

impl<'a> Outcomes<'a> {
    fn of(outcomes: &'a [FileOutcome]) -> Result<Self, StoreError> {
        let mut columns = Self::default();
        for FileOutcome { position, stored } in outcomes {
            let stored = stored.as_ref();
            let bytes = stored.map(|stored| i64::try_from(stored.bytes)).transpose();
            columns.positions.push(i32::from(*position));
            columns.keys.push(stored.map(|stored| stored.key.as_str()));
            columns.content_types.push(stored.map(|stored| stored.content_type.as_str()));
            columns.bytes.push(bytes.map_err(|error| StoreError::Internal(error.to_string()))?);
        }
        Ok(columns)
    }
}

impl PgStore {
    fn awaited(
        &self,
        queue: FilesQueue,
        workspace: WorkspaceId,
        row: AwaitedRow,
    ) -> Result<AwaitedMessage, StoreError> {
        let message = MessageId::from(row.message_id);
        let account = AccountId::from(row.account_id);
        let token = self.vault.open(&row.token_sealed, &places::token(workspace, account)).map_err(locked)?;
        let token = String::from_utf8(token).map_err(|_| unreadable("token"))?;
        let files: Vec<FileRow> = match row.files {
            Some(files) => serde_json::from_value(files).map_err(|_| unreadable("list of files"))?,
            None => Vec::new(),
        };
        let files = files.into_iter().map(|file| self.file(workspace, message, file));
        let files = files.collect::<Result<_, _>>()?;
        Ok(AwaitedMessage {
            queue,
            workspace,
            message: Message {
                id: message,
                conversation: row.conversation_id.into(),
                role: Role::read(&row.role).ok_or_else(|| unreadable("role"))?,
                sender_id: row.sender_id,
                content: row.content,
                attachments: Vec::new(),
                transcription: None,
                created_at: row.created_at,
                meta: None,
                context: read_context(row.context)?,
                marks: Marks::default(),
            },
            customer: Customer {
                id: row.contact_id.into(),
                name: row.name,
                phone: row.phone.as_deref().map(read_phone).transpose()?,
            },
            origin: MediaOrigin {
                channel: ChannelKind::read(&row.channel).ok_or_else(|| unreadable("channel"))?,
                channel_network_id: row.channel_network_id,
                token: SecretString::from(token),
            },
            files,
            attempt: u32::try_from(row.attempts).unwrap_or_default(),
            recorded_at: row.recorded_at,
        })
    }

    fn file(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        row: FileRow,
    ) -> Result<MessageFile, StoreError> {
        let bytes = |text: &str| hex::decode(text).map_err(|_| unreadable("hash"));
        let kind = AttachmentKind::read(&row.stored.kind).ok_or_else(|| unreadable("kind"))?;
        let title = row.stored.title.as_deref().and_then(shown_name);
        let (position, voice) = (row.position, row.voice);
        let state = match (row.state.as_str(), &row.source) {
            ("stored", _) => FileState::Stored(row.stored.read()?),
            ("pending", Some(source)) => {
                match self.open_source(workspace, message, position, &bytes(source)?)? {
                    Some(source) => FileState::Pending {
                        source,
                        content_type: row.stored.content_type,
                        sha256: row.sha256.as_deref().map(bytes).transpose()?,
                    },
                    None => return Err(unreadable("source of a file")),
                }
            }
            _ => FileState::GivenUp,
        };
        Ok(MessageFile { position, kind, title, voice, state })
    }
}
