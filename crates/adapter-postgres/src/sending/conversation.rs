//! A person and their conversation over a channel.

use std::collections::HashMap;

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::ChannelKind,
    contacts::{Contact, ContactSource},
    conversations::{Conversation, ConversationStatus, Group},
    errors::StoreError,
    ids::{ChannelId, ContactId, WorkspaceId},
    phone::PhoneNumber,
    sending::ConversationParts,
};
use time::OffsetDateTime;

use super::ledger::read_phone;
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// `OFFSET 0` keeps the conversation from being read ahead of the contact, by all conversations of the number, and the contact
/// from being read together with those of all askers.
pub(super) const CONVERSATIONS: &str = "
    SELECT asked.place, contact.id, contact.name, contact.phone, contact.source, contact.created_at,
           conversation.id AS conversation_id, conversation.channel, conversation.status, conversation.assigned_to, conversation.group_id,
           (SELECT name FROM groups WHERE workspace_id = $1 AND id = conversation.group_id) AS group_name,
           conversation.announced, conversation.version, conversation.stamped_at, conversation.last_message_at,
           conversation.created_at AS conversation_created_at
    FROM unnest($2, $3) WITH ORDINALITY AS asked (channel_id, phone, place)
    CROSS JOIN LATERAL (
        SELECT * FROM contacts WHERE contacts.workspace_id = $1 AND contacts.phone = asked.phone OFFSET 0
    ) contact
    LEFT JOIN LATERAL (
        SELECT * FROM conversations of_contact
        WHERE of_contact.workspace_id = $1 AND of_contact.contact_id = contact.id
          AND of_contact.channel_id = asked.channel_id
        OFFSET 0
    ) conversation ON true";

#[derive(QueryableByName)]
struct AskedRow {
    /// From 1.
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(embed)]
    conversation: ConversationRow,
}

#[derive(QueryableByName)]
pub(super) struct ConversationRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Uuid>)]
    conversation_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    channel: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    status: Option<String>,
    #[diesel(sql_type = Nullable<Uuid>)]
    assigned_to: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    group_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    group_name: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    announced: Option<bool>,
    #[diesel(sql_type = Nullable<BigInt>)]
    version: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stamped_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_message_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    conversation_created_at: Option<OffsetDateTime>,
}

impl PgStore {
    pub(super) async fn find_conversation(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        phone: &PhoneNumber,
    ) -> Result<ConversationParts, StoreError> {
        let store = self.clone();
        let run = move |asked: Vec<(ChannelId, PhoneNumber)>| {
            let store = store.clone();
            async move { store.find_conversations(workspace, &asked).await }
        };
        self.batches.conversation.call(workspace, (channel, phone.clone()), run).await
    }

    async fn find_conversations(
        &self,
        workspace: WorkspaceId,
        asked: &[(ChannelId, PhoneNumber)],
    ) -> Result<Vec<ConversationParts>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<AskedRow> = sql(CONVERSATIONS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(asked.iter().map(|(channel, _)| channel.uuid()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(asked.iter().map(|(_, phone)| phone.as_str()).collect::<Vec<_>>())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let mut found: HashMap<i64, ConversationRow> =
            rows.into_iter().map(|row| (row.place, row.conversation)).collect();
        let read = |(place, (channel, _)): (i64, &(ChannelId, PhoneNumber))| match found.remove(&place) {
            Some(row) => row.read(*channel),
            None => Ok(ConversationParts::default()),
        };
        (1..).zip(asked).map(read).collect()
    }
}

impl ConversationRow {
    pub(super) fn read(self, channel: ChannelId) -> Result<ConversationParts, StoreError> {
        let conversation = self.conversation(channel)?;
        let sources = [ContactSource::Messaged, ContactSource::Import];
        let contact = Contact {
            id: self.id.into(),
            name: self.name,
            phone: self.phone.as_deref().map(read_phone).transpose()?,
            source: named(sources, |source| source.as_str(), &self.source)
                .ok_or_else(|| unreadable("source"))?,
            created_at: self.created_at,
        };
        Ok(ConversationParts { contact: Some(contact), conversation, files: Vec::new() })
    }

    fn conversation(&self, channel: ChannelId) -> Result<Option<Conversation>, StoreError> {
        let times = self.last_message_at.zip(self.conversation_created_at);
        let names = self.channel.as_deref().zip(self.status.as_deref());
        let life = self.announced.zip(self.version);
        let Some((((id, (kind, status)), (announced, version)), (last_message_at, created_at))) =
            self.conversation_id.zip(names).zip(life).zip(times)
        else {
            return Ok(None);
        };
        let group = self.group_id.zip(self.group_name.clone());
        Ok(Some(Conversation {
            id: id.into(),
            contact: ContactId::from(self.id),
            channel,
            channel_kind: ChannelKind::read(kind).ok_or_else(|| unreadable("channel"))?,
            status: ConversationStatus::read(status).ok_or_else(|| unreadable("status"))?,
            assigned_to: self.assigned_to.map(Into::into),
            group: group.map(|(id, name)| Group { id: id.into(), name }),
            announced,
            version,
            stamped_at: self.stamped_at,
            last_message_at,
            created_at,
        }))
    }
}

/// The one of `values` that is kept under this name.
fn named<T, const N: usize>(values: [T; N], name: impl Fn(&T) -> &'static str, kept: &str) -> Option<T> {
    values.into_iter().find(|value| name(value) == kept)
}
