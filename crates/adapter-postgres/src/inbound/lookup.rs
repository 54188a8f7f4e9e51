//! What is known of the people, conversations and messages that updates speak of.

use std::collections::{BTreeSet, HashMap};

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::ChannelKind,
    contacts::{Contact, ContactSource, Identity},
    conversations::{Conversation, ConversationStatus, Group},
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    inbound::{KnownMessage, KnownPerson, LookupKeys, LookupResult},
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// A row for each name that is known and each of that person's conversations over the connections. `OFFSET 0` keeps the
/// conversations from being read ahead of the contact, by all those of a connection.
pub(super) const PEOPLE: &str = "
    WITH asked AS (
        SELECT kind, value FROM unnest($2::text[], $3::text[]) AS asked (kind, value)
    ), named AS MATERIALIZED (
        SELECT found.id, asked.kind, asked.value FROM asked CROSS JOIN LATERAL (
            SELECT contact_id AS id FROM identities identity
            WHERE identity.workspace_id = $1 AND identity.kind = asked.kind AND identity.value = asked.value
            LIMIT 1
        ) found
        UNION ALL
        SELECT found.id, asked.kind, asked.value FROM asked CROSS JOIN LATERAL (
            SELECT id FROM contacts contact
            WHERE contact.workspace_id = $1 AND contact.phone = asked.value LIMIT 1
        ) found
        WHERE asked.kind = 'phone'
    )
    SELECT named.kind AS identity_kind, named.value AS identity_value,
           contact.id, contact.name, contact.phone, contact.avatar_url, contact.source, contact.created_at,
           conversation.id AS conversation_id, conversation.channel_id, conversation.channel, conversation.status, conversation.assigned_to,
           conversation.group_id,
           (SELECT name FROM groups WHERE workspace_id = $1 AND id = conversation.group_id) AS group_name,
           conversation.announced, conversation.version, conversation.stamped_at, conversation.last_message_at,
           conversation.created_at AS conversation_created_at
    FROM named
    JOIN contacts contact ON contact.workspace_id = $1 AND contact.id = named.id
    LEFT JOIN LATERAL (
        SELECT * FROM conversations of_contact
        WHERE of_contact.workspace_id = $1 AND of_contact.contact_id = contact.id
          AND of_contact.channel_id = ANY($4)
        OFFSET 0
    ) conversation ON true";

/// What a network calls a message is known from what it brought, or from what we sent. Each by its own look at an
/// index: with all in one condition, the plan may read the index for the workspace's and sort out the rest.
pub(super) const MESSAGES: &str = "
    SELECT found.id, found.network_id_hash FROM unnest($2) AS named (hash) CROSS JOIN LATERAL (
        SELECT id, network_id_hash FROM messages
        WHERE messages.workspace_id = $1 AND messages.network_id_hash = named.hash LIMIT 1
    ) found
    UNION ALL
    SELECT found.id, found.network_id_hash FROM unnest($2) AS named (hash) CROSS JOIN LATERAL (
        SELECT id, network_id_hash FROM sends
        WHERE sends.workspace_id = $1 AND sends.network_id_hash = named.hash LIMIT 1
    ) found";

#[derive(QueryableByName)]
struct PersonRow {
    #[diesel(sql_type = Text)]
    identity_kind: String,
    #[diesel(sql_type = Text)]
    identity_value: String,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Uuid>)]
    conversation_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    channel_id: Option<uuid::Uuid>,
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

#[derive(QueryableByName)]
struct MessageRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    network_id_hash: Vec<u8>,
}

impl PgStore {
    pub(super) async fn find_known(
        &self,
        workspace: WorkspaceId,
        asked: &LookupKeys,
    ) -> Result<LookupResult, StoreError> {
        let kinds: Vec<&str> = asked.identities.iter().map(Identity::kind).collect();
        let values: Vec<&str> = asked.identities.iter().map(Identity::value).collect();
        let channels: Vec<uuid::Uuid> = asked.channels.iter().map(|channel| channel.uuid()).collect();
        let mut connection = self.connection().await?;
        let rows: Vec<PersonRow> = sql(PEOPLE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Text>, _>(kinds)
            .bind::<Array<Text>, _>(values)
            .bind::<Array<Uuid>, _>(channels)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let people = people(rows)?;
        if asked.messages.is_empty() {
            return Ok(LookupResult { people, messages: Vec::new() });
        }
        let hashed = asked.messages.iter().map(|id| (self.network_id_hash(id).to_vec(), id));
        let by_hash: HashMap<Vec<u8>, _> = hashed.collect();
        let rows: Vec<MessageRow> = sql(MESSAGES)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Binary>, _>(by_hash.keys().collect::<Vec<_>>())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let messages = rows.into_iter().filter_map(|row| {
            let network_id = (*by_hash.get(&row.network_id_hash)?).clone();
            Some(KnownMessage { network_id, id: row.id.into() })
        });
        Ok(LookupResult { people, messages: messages.collect() })
    }
}

/// Each person once, with all names and conversations of theirs.
fn people(rows: Vec<PersonRow>) -> Result<Vec<KnownPerson>, StoreError> {
    let mut people: Vec<KnownPerson> = Vec::new();
    let mut places: HashMap<uuid::Uuid, usize> = HashMap::new();
    for row in rows {
        let identity = Identity::read(&row.identity_kind, &row.identity_value);
        let identity = identity.ok_or_else(|| unreadable("identity"))?;
        let conversation = row.conversation()?;
        let place = *places.entry(row.id).or_insert(people.len());
        if place == people.len() {
            people.push(row.person()?);
        }
        let Some(person) = people.get_mut(place) else { continue };
        person.identities.insert(identity);
        if let Some(conversation) = conversation
            .filter(|conversation| person.conversations.iter().all(|known| known.id != conversation.id))
        {
            person.conversations.push(conversation);
        }
    }
    Ok(people)
}

impl PersonRow {
    fn person(self) -> Result<KnownPerson, StoreError> {
        let phone = self.phone.as_deref().map(PhoneNumber::from_e164).transpose();
        let contact = Contact {
            id: self.id.into(),
            name: self.name,
            phone: phone.map_err(|_| unreadable("phone number"))?,
            source: ContactSource::read(&self.source).ok_or_else(|| unreadable("source"))?,
            created_at: self.created_at,
        };
        let avatar_url = self.avatar_url;
        Ok(KnownPerson { contact, avatar_url, identities: BTreeSet::new(), conversations: Vec::new() })
    }

    fn conversation(&self) -> Result<Option<Conversation>, StoreError> {
        let ids = self.conversation_id.zip(self.channel_id);
        let names = self.channel.as_deref().zip(self.status.as_deref());
        let state = self.announced.zip(self.version);
        let times = self.last_message_at.zip(self.conversation_created_at);
        let Some((((id, channel), (kind, status)), ((announced, version), (last_message_at, created_at)))) =
            ids.zip(names).zip(state.zip(times))
        else {
            return Ok(None);
        };
        let group = self.group_id.zip(self.group_name.clone());
        Ok(Some(Conversation {
            id: id.into(),
            contact: ContactId::from(self.id),
            channel: channel.into(),
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
