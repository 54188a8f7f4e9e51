//! Messages that wait for their files, as rows.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, QueryResult, Queryable, QueryableByName,
    Selectable, SelectableHelper,
    sql_types::{Integer, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    attachments::{AttachmentKind, file_name, ports::MediaOrigin},
    channels::ChannelKind,
    errors::StoreError,
    events::Customer,
    ids::{AccountId, MessageId, WorkspaceId},
    inbound::files::ports::{AwaitedMessage, FileState, FilesQueue, MessageFile},
    messages::{Marks, Message, Role},
};
use futures_util::future::try_join;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::stored::StoredRow;
use crate::{
    attachments::PgAttachments,
    error::{locked, unreadable},
    places,
    schema::{accounts, attachments, channels, contacts, conversations, messages},
    sql::RunQueryDsl,
    stored::{parse_context, parse_phone},
};

#[derive(QueryableByName)]
pub(super) struct TakenRow {
    #[diesel(sql_type = Uuid)]
    pub(super) message_id: uuid::Uuid,
    #[diesel(sql_type = Integer)]
    attempts: i32,
    #[diesel(sql_type = Timestamptz)]
    recorded_at: OffsetDateTime,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = messages)]
struct MessageRow {
    id: uuid::Uuid,
    conversation_id: uuid::Uuid,
    role: String,
    sender_id: Option<String>,
    content: String,
    context: Option<serde_json::Value>,
    created_at: OffsetDateTime,
    sent_at: Option<OffsetDateTime>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = contacts)]
struct ContactRow {
    id: uuid::Uuid,
    name: Option<String>,
    phone: Option<String>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = channels)]
struct ChannelRow {
    kind: String,
    network_id: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts)]
struct AccountRow {
    id: uuid::Uuid,
    token_sealed: Vec<u8>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = attachments)]
struct FileRow {
    message_id: uuid::Uuid,
    position: i32,
    kind: String,
    state: String,
    source_sealed: Option<Vec<u8>>,
    sha256: Option<Vec<u8>>,
    content_type: Option<String>,
    title: Option<String>,
    voice: bool,
    object_key: Option<String>,
    bytes: Option<i64>,
}

type Parts = (MessageRow, ContactRow, Option<ChannelRow>, Option<AccountRow>);

pub(super) struct Awaited {
    messages: Vec<Parts>,
    files: Vec<FileRow>,
}

pub(super) async fn read_awaited(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    ids: &[uuid::Uuid],
) -> QueryResult<Awaited> {
    let of = workspace.uuid();
    let conversation =
        conversations::workspace_id.eq(of).and(conversations::id.eq(messages::conversation_id));
    let contact = contacts::workspace_id.eq(of).and(contacts::id.eq(conversations::contact_id));
    let channel = channels::workspace_id.eq(of).and(channels::id.eq(conversations::channel_id));
    let account = accounts::workspace_id.eq(of).and(accounts::id.eq(channels::account_id));
    // Outer joins keep the plan from starting with all messages of a channel; no row is missing.
    let messages = messages::table
        .inner_join(conversations::table.on(conversation))
        .inner_join(contacts::table.on(contact))
        .left_join(channels::table.on(channel))
        .left_join(accounts::table.on(account))
        .filter(messages::workspace_id.eq(of))
        .filter(messages::id.eq_any(ids))
        .select((
            MessageRow::as_select(),
            ContactRow::as_select(),
            Option::<ChannelRow>::as_select(),
            Option::<AccountRow>::as_select(),
        ))
        .load(&mut { connection });
    let files = attachments::table
        .filter(attachments::workspace_id.eq(of))
        .filter(attachments::message_id.eq_any(ids))
        .order((attachments::message_id, attachments::position))
        .select(FileRow::as_select())
        .load(&mut { connection });
    let (messages, files) = try_join(messages, files).await?;
    Ok(Awaited { messages, files })
}

impl PgAttachments {
    /// Returns the claimed messages that are readable, in the order of their recording. The others stay
    /// queued and are due again after the lease.
    pub(super) fn awaited(
        &self,
        queue: FilesQueue,
        workspace: WorkspaceId,
        mut taken: Vec<TakenRow>,
        awaited: Awaited,
    ) -> Vec<AwaitedMessage> {
        let Awaited { mut messages, mut files } = awaited;
        taken.sort_by_key(|taken| (taken.recorded_at, taken.message_id));
        let read = |taken: TakenRow| {
            let message = taken.message_id;
            let place = messages.iter().position(|(row, ..)| row.id == message)?;
            let parts = messages.swap_remove(place);
            let its = files.extract_if(.., |file| file.message_id == message).collect();
            self.awaited_message(queue, workspace, &taken, parts, its)
                .inspect_err(|error| tracing::error!(%workspace, %message, %error, "not readable"))
                .ok()
        };
        taken.into_iter().filter_map(read).collect()
    }

    fn awaited_message(
        &self,
        queue: FilesQueue,
        workspace: WorkspaceId,
        row: &TakenRow,
        (message, contact, channel, account): Parts,
        files: Vec<FileRow>,
    ) -> Result<AwaitedMessage, StoreError> {
        let id = MessageId::from(message.id);
        let (channel, account) = channel.zip(account).ok_or_else(|| unreadable("channel"))?;
        let place = places::token(workspace, AccountId::from(account.id));
        let token = self.database.vault.open(&account.token_sealed, &place).map_err(locked)?;
        let token = String::from_utf8(token).map_err(|_| unreadable("token"))?;
        let files = files.into_iter().map(|file| self.file(workspace, id, file));
        Ok(AwaitedMessage {
            queue,
            workspace,
            message: Message {
                id,
                conversation: message.conversation_id.into(),
                role: Role::read(&message.role).ok_or_else(|| unreadable("role"))?,
                sender_id: message.sender_id,
                content: message.content,
                attachments: Vec::new(),
                transcription: None,
                created_at: message.created_at,
                sent_at: message.sent_at,
                meta: None,
                context: parse_context(message.context)?,
                marks: Marks::default(),
                system_message: None,
            },
            customer: Customer {
                id: contact.id.into(),
                name: contact.name,
                phone: contact.phone.as_deref().map(parse_phone).transpose()?,
            },
            origin: MediaOrigin {
                channel: ChannelKind::read(&channel.kind).ok_or_else(|| unreadable("channel"))?,
                channel_network_id: channel.network_id,
                token: SecretString::from(token),
            },
            files: files.collect::<Result<_, _>>()?,
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
        let position = u16::try_from(row.position).map_err(|_| unreadable("position of a file"))?;
        let kind = AttachmentKind::read(&row.kind).ok_or_else(|| unreadable("kind"))?;
        let title = row.title.as_deref().and_then(file_name);
        let voice = row.voice;
        let state = match (row.state.as_str(), &row.source_sealed) {
            ("stored", _) => FileState::Stored(
                StoredRow {
                    kind: row.kind,
                    key: row.object_key,
                    content_type: row.content_type,
                    bytes: row.bytes.and_then(|bytes| u64::try_from(bytes).ok()),
                    title: row.title,
                }
                .read()?,
            ),
            ("pending", Some(source)) => {
                let source = self.database.open_source(workspace, message, position, source)?;
                FileState::Pending {
                    source: source.ok_or_else(|| unreadable("source of a file"))?,
                    content_type: row.content_type,
                    sha256: row.sha256,
                }
            }
            _ => FileState::GivenUp,
        };
        Ok(MessageFile { position, kind, title, voice, state })
    }
}
