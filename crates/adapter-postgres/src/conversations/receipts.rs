//! Messages whose networks were not told yet that they are read.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, TextExpressionMethods,
    dsl::exists,
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    channels::ChannelKind,
    conversations::{DueReceipt, ReadMark, ports::ReceiptStore},
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    inbound::{InboxBatch, NewMessage},
    messages::{NetworkMessageId, Role},
};
use secrecy::SecretString;

use super::alias::current_conversation;
use crate::{
    Database,
    audit::audit,
    conversations::PgConversations,
    error::{failed, locked, unreadable},
    places,
    schema::{accounts, channels, conversations, identities, unread_messages, workspaces},
    sql::{RunQueryDsl, insert},
    transaction::Flight,
};

/// Whether the network's read receipts name a message instead of a person.
const fn is_told_by_message(network: ChannelKind) -> bool {
    match network {
        ChannelKind::Whatsapp => true,
        ChannelKind::Messenger | ChannelKind::Instagram => false,
    }
}

/// Stores the newest message of each customer until its network is told that it was read, with its network id
/// if the receipt names it. The caller has locked the conversations.
pub(crate) fn wrote(
    flight: &mut Flight<'_>,
    database: &Database,
    workspace: WorkspaceId,
    batch: &InboxBatch,
) {
    let of_person = batch.conversations.iter().map(|change| &change.conversation);
    let of_person = of_person.filter(|conversation| !is_told_by_message(conversation.channel_kind));
    let of_person: HashSet<ConversationId> = of_person.map(|conversation| conversation.id).collect();
    let mut newest: Vec<&NewMessage> =
        batch.messages.iter().filter(|new| new.message.role == Role::Customer).collect();
    newest.sort_unstable_by_key(|new| (new.message.conversation, std::cmp::Reverse(new.message.id)));
    newest.dedup_by_key(|new| new.message.conversation);
    let sealed: Vec<(&NewMessage, Vec<u8>)> = newest
        .into_iter()
        .filter_map(|new| {
            if of_person.contains(&new.message.conversation) {
                return Some((new, Vec::new()));
            }
            let place = places::unread_message(workspace, new.message.conversation);
            // A message whose id cannot be sealed gets no receipt.
            let sealed = database.vault.seal(new.network_id.reveal().as_bytes(), &place).ok()?;
            Some((new, sealed))
        })
        .collect();
    flight.insert(
        insert(unread_messages::table, workspace, &sealed)
            .column(unread_messages::conversation_id, |(new, _)| new.message.conversation.uuid())
            .column(unread_messages::message_id, |(new, _)| new.message.id.uuid())
            .column(unread_messages::network_id_sealed, |(_, sealed)| sealed.as_slice())
            .on_conflict((unread_messages::conversation_id,))
            .set_excluded(unread_messages::message_id)
            .set_excluded(unread_messages::network_id_sealed),
    );
}

impl PgConversations {
    /// Reads how the conversation's network is told of what is read, with the sealed id of the message where
    /// that names one; `None` if there is no way, or no message.
    async fn way(
        &self,
        connection: &AsyncPgConnection,
        workspace: WorkspaceId,
        conversation: uuid::Uuid,
        sealed: Option<&[u8]>,
    ) -> Result<Option<DueReceipt>, StoreError> {
        type Way = (String, String, uuid::Uuid, Vec<u8>, Option<String>);
        let channel = channels::workspace_id
            .eq(workspace.uuid())
            .and(channels::id.eq(conversations::channel_id))
            .and(channels::disconnected_at.is_null());
        let account = accounts::workspace_id
            .eq(workspace.uuid())
            .and(accounts::id.eq(channels::account_id))
            .and(accounts::disconnected_at.is_null());
        let person = identities::table
            .filter(identities::workspace_id.eq(workspace.uuid()))
            .filter(identities::contact_id.eq(conversations::contact_id))
            .filter(identities::kind.eq(conversations::channel.concat("_user")))
            .order((identities::recorded_at.desc(), identities::value.desc()))
            .select(identities::value);
        let way = conversations::table
            .inner_join(channels::table.on(channel))
            .inner_join(accounts::table.on(account))
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(conversation))
            .select((
                channels::kind,
                channels::network_id,
                accounts::id,
                accounts::token_sealed,
                person.single_value(),
            ))
            .get_result::<Way>(&mut { connection })
            .await
            .optional();
        let Some((kind, network_id, account, token, person)) = way.map_err(failed)? else { return Ok(None) };
        let open = |sealed: &[u8], place| {
            let plain = self.database.vault.open(sealed, &place).map_err(locked)?;
            String::from_utf8(plain).map_err(|_| unreadable("text"))
        };
        let channel = ChannelKind::read(&kind).ok_or_else(|| unreadable("channel"))?;
        let mark = if is_told_by_message(channel) {
            let Some(sealed) = sealed else { return Ok(None) };
            let id = open(sealed, places::unread_message(workspace, conversation.into()))?;
            ReadMark::Message(NetworkMessageId::from(id))
        } else {
            let Some(person) = person else { return Ok(None) };
            ReadMark::Person(person.into())
        };
        let token = SecretString::from(open(&token, places::token(workspace, account.into()))?);
        Ok(Some(DueReceipt { channel, network_id, token, mark }))
    }
}

#[async_trait]
impl ReceiptStore for PgConversations {
    async fn take_receipt(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<Option<DueReceipt>, StoreError> {
        let mut connection = self.database.connection().await?;
        let is_on = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .filter(workspaces::marks_read)
            .select(workspaces::workspace_id);
        // Whoever deletes the row sends the receipt. Ids are in the order of recording.
        let deleted = diesel::delete(unread_messages::table)
            .filter(unread_messages::workspace_id.eq(workspace.uuid()))
            .filter(unread_messages::conversation_id.eq(current_conversation(workspace, conversation)))
            .filter(unread_messages::message_id.le(message.uuid()))
            .filter(exists(is_on))
            .returning((unread_messages::conversation_id, unread_messages::network_id_sealed))
            .get_result::<(uuid::Uuid, Vec<u8>)>(&mut connection)
            .await
            .optional();
        let Some((conversation, sealed)) = deleted.map_err(failed)? else { return Ok(None) };
        self.way(&connection, workspace, conversation, Some(&sealed)).await
    }

    async fn typing_mark(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<DueReceipt>, StoreError> {
        let mut connection = self.database.connection().await?;
        let is_on = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .filter(workspaces::marks_read)
            .select(workspaces::workspace_id);
        let unread = unread_messages::table
            .filter(unread_messages::workspace_id.eq(workspace.uuid()))
            .filter(unread_messages::conversation_id.eq(conversation.uuid()))
            .filter(exists(is_on))
            .select(unread_messages::network_id_sealed)
            .get_result::<Vec<u8>>(&mut connection)
            .await
            .optional();
        let unread = unread.map_err(failed)?;
        self.way(&connection, workspace, conversation.uuid(), unread.as_deref()).await
    }

    async fn marks_read(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let on = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .select(workspaces::marks_read)
            .get_result::<bool>(&mut connection)
            .await
            .optional();
        Ok(on.map_err(failed)?.unwrap_or(false))
    }

    async fn set_marks_read(
        &self,
        workspace: WorkspaceId,
        on: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        let this = workspaces::table.filter(workspaces::workspace_id.eq(workspace.uuid()));
        flight.add(diesel::update(this).set(workspaces::marks_read.eq(on)));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }
}
