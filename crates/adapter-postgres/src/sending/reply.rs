//! Replies: what one needs to know, and what a refused one leaves in its conversation.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Bool, Integer, Json, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::{ChannelKind, Connection},
    contacts::Identity,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
    messages::NetworkError,
    sending::{ConversationParts, ReplyContext},
    workspaces::Plan,
};
use time::OffsetDateTime;

use super::{conversation::ConversationRow, ledger::read_phone};
use crate::{
    PgStore,
    attachments::read_stored,
    conversations::conversation_now,
    error::{failed, unreadable},
    live::live_change,
    sql::{Bind, sql, storable},
};

pub(super) const CONVERSATION_OF: &str = concat!(
    "
    SELECT contact.id, contact.name, contact.phone, contact.source, contact.created_at,
           conversation.id AS conversation_id, conversation.channel, conversation.status, conversation.assigned_to, conversation.group_id,
           (SELECT name FROM groups WHERE workspace_id = $1 AND id = conversation.group_id) AS group_name,
           conversation.announced, conversation.version, conversation.stamped_at, conversation.last_message_at,
           conversation.created_at AS conversation_created_at, conversation.channel_id,
           (SELECT json_agg(json_build_object('kind', kind, 'key', object_key, 'content_type', content_type,
                                              'bytes', bytes, 'title', title))
            FROM uploads WHERE workspace_id = $1 AND message_id = $3) AS files
    FROM conversations conversation
    JOIN contacts contact ON contact.workspace_id = $1 AND contact.id = conversation.contact_id
    WHERE conversation.workspace_id = $1 AND conversation.id = ",
    conversation_now!("$2")
);

pub(super) const REPLY_CONTEXT: &str = concat!(
    "
    SELECT contact.id, contact.name, contact.phone, contact.source, contact.created_at,
           conversation.id AS conversation_id, conversation.channel, conversation.status, conversation.assigned_to, conversation.group_id,
           (SELECT name FROM groups WHERE workspace_id = $1 AND id = conversation.group_id) AS group_name,
           conversation.announced, conversation.version, conversation.stamped_at, conversation.last_message_at,
           conversation.created_at AS conversation_created_at, conversation.channel_id,
           workspace.active_customer_limit, workspace.paused,
           EXISTS (SELECT FROM members
                   WHERE workspace_id = $1 AND id = $3 AND left_at IS NULL) AS author_is_here,
           channel.account_id, channel.network_id, channel.kind AS channel_kind,
           channel.phone AS channel_phone, channel.send_only,
           conversation.customer_wrote_at,
           (SELECT value FROM identities
            WHERE workspace_id = $1 AND contact_id = conversation.contact_id AND kind = conversation.channel || '_user'
            ORDER BY recorded_at DESC LIMIT 1) AS user_id
    FROM conversations conversation
    JOIN workspaces workspace ON workspace.workspace_id = $1
    JOIN contacts contact ON contact.workspace_id = $1 AND contact.id = conversation.contact_id
    LEFT JOIN channels channel
      ON channel.workspace_id = $1 AND channel.id = conversation.channel_id AND channel.disconnected_at IS NULL
    WHERE conversation.workspace_id = $1 AND conversation.id = ",
    conversation_now!("$2")
);

/// Key and place are given back with the refusal; the message is written into the conversation at the same moment.
pub(super) const REFUSE: &str = concat!(
    "WITH refused AS (
        UPDATE sends
        SET state = 'refused', status = 'failed', failed_at = $3, settled_at = $3, error = $4, error_code = $5
        WHERE workspace_id = $1 AND id = $2 AND state = 'in_flight'
        RETURNING id, conversation_id, author_id, notice_content
    ), conversation AS (
        UPDATE conversations conversation
        SET last_message_at = greatest(conversation.last_message_at, $3, conversation.stamped_at + interval '1 millisecond'),
            stamped_at = greatest($3, conversation.stamped_at + interval '1 millisecond')
        FROM refused WHERE conversation.workspace_id = $1 AND conversation.id = refused.conversation_id
        RETURNING conversation.stamped_at
    ), message AS (
        INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, created_at)
        SELECT $1, id, conversation_id, 'team', author_id::text, notice_content, conversation.stamped_at FROM refused, conversation
    ), cleared AS (
        DELETE FROM idempotency_keys USING refused WHERE workspace_id = $1 AND send_id = refused.id
    ), place AS (
        DELETE FROM plan_reservations USING refused WHERE workspace_id = $1 AND send_id = refused.id
    ), ",
    live_change!("told", "message.recorded", "SELECT conversation_id, id AS message_id FROM refused"),
    " SELECT FROM refused"
);

#[derive(QueryableByName)]
struct ContextRow {
    #[diesel(embed)]
    conversation: ConversationRow,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Integer>)]
    active_customer_limit: Option<i32>,
    #[diesel(sql_type = Bool)]
    paused: bool,
    #[diesel(sql_type = Bool)]
    author_is_here: bool,
    #[diesel(sql_type = Nullable<Uuid>)]
    account_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    network_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    channel_phone: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    channel_kind: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    send_only: Option<bool>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    customer_wrote_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    user_id: Option<String>,
}

#[derive(QueryableByName)]
struct PartsRow {
    #[diesel(embed)]
    conversation: ConversationRow,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Json>)]
    files: Option<serde_json::Value>,
}

impl PgStore {
    pub(super) async fn find_reply_context(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        author: MemberId,
    ) -> Result<Option<ReplyContext>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<ContextRow> = sql(REPLY_CONTEXT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(conversation.uuid())
            .bind::<Uuid, _>(author.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(ContextRow::read).transpose()
    }

    pub(super) async fn find_conversation_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<ConversationParts, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<PartsRow> = sql(CONVERSATION_OF)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(conversation.uuid())
            .bind::<Uuid, _>(message.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(PartsRow { conversation, channel_id, files }) = row else {
            return Ok(ConversationParts::default());
        };
        Ok(ConversationParts { files: read_stored(files)?, ..conversation.read(channel_id.into())? })
    }

    pub(super) async fn write_refused(
        &self,
        workspace: WorkspaceId,
        id: MessageId,
        error: &NetworkError,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        sql(REFUSE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Text, _>(storable(&error.message))
            .bind::<Nullable<BigInt>, _>(error.code)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}

impl ContextRow {
    fn read(self) -> Result<ReplyContext, StoreError> {
        let connection = self.connection()?;
        let limit = self.active_customer_limit.map(u32::try_from).transpose();
        let plan =
            Plan { active_customer_limit: limit.map_err(|_| unreadable("limit"))?, paused: self.paused };
        let (customer_wrote_at, user_id) = (self.customer_wrote_at, self.user_id);
        let parts = self.conversation.read(self.channel_id.into())?;
        let missing = || unreadable("conversation");
        let contact = parts.contact.ok_or_else(missing)?;
        let conversation = parts.conversation.ok_or_else(missing)?;
        let phone = contact.phone.clone().map(Identity::Phone);
        let to = match conversation.channel_kind {
            ChannelKind::Whatsapp => phone.or_else(|| user_id.map(Identity::WhatsappUser)),
            ChannelKind::Messenger => user_id.map(Identity::MessengerUser),
            ChannelKind::Instagram => user_id.map(Identity::InstagramUser),
        };
        Ok(ReplyContext {
            plan,
            author_is_here: self.author_is_here,
            contact,
            conversation,
            connection,
            to,
            customer_wrote_at,
        })
    }

    fn connection(&self) -> Result<Option<Connection>, StoreError> {
        let ids = self.account_id.zip(self.network_id.clone());
        let rest = self.channel_kind.as_deref().zip(self.send_only);
        let Some(((account, network_id), (kind, send_only))) = ids.zip(rest) else { return Ok(None) };
        Ok(Some(Connection {
            id: self.channel_id.into(),
            kind: ChannelKind::read(kind).ok_or_else(|| unreadable("channel"))?,
            account: account.into(),
            network_id,
            phone: self.channel_phone.as_deref().map(read_phone).transpose()?,
            send_only,
        }))
    }
}
