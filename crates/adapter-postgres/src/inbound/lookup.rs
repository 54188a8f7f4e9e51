//! The people, conversations and messages that updates refer to.

use std::collections::{BTreeMap, BTreeSet};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, QueryResult, QueryableByName,
    SelectableHelper,
    sql_types::{Array, Nullable, Text, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    contacts::Identity,
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    inbound::{KnownPerson, LookupKeys},
};

use crate::{
    contacts::ContactRow,
    conversations::{ConversationRow, group_name},
    schema::{contacts, conversations, messages, sends},
    sql::{RunQueryDsl, statement},
};

/// One look-up in the index for each identity: for a list of them, the plan may read all identities of a
/// workspace instead.
pub(super) const NAMED: &str = "
    SELECT asked.kind, asked.value,
           (SELECT identities.contact_id FROM identities
            WHERE identities.workspace_id = :workspace AND identities.kind = asked.kind
              AND identities.value = asked.value) AS contact_id
    FROM unnest(:kinds, :values) AS asked (kind, value)";

#[derive(QueryableByName)]
struct NamedRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    value: String,
    #[diesel(sql_type = Nullable<Uuid>)]
    contact_id: Option<uuid::Uuid>,
}

pub(super) type Named = (uuid::Uuid, String, String);
pub(super) type Hashed = (uuid::Uuid, Option<Vec<u8>>);

/// Finds the contacts with these identities; numbers only as a network spells them.
pub(super) async fn named(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    asked: &BTreeSet<Identity>,
) -> QueryResult<Vec<Named>> {
    let (kinds, values): (Vec<&str>, Vec<&str>) =
        asked.iter().map(|name| (name.kind(), name.value())).unzip();
    if kinds.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<NamedRow> = statement(NAMED)
        .of(workspace)
        .bind::<Array<Text>, _>("kinds", kinds)
        .bind::<Array<Text>, _>("values", values)
        .load(&mut { connection })
        .await?;
    Ok(rows.into_iter().filter_map(|row| Some((row.contact_id?, row.kind, row.value))).collect())
}

/// Finds inbound messages by the hashes of their network ids.
pub(super) async fn brought(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    hashes: &[&[u8]],
) -> QueryResult<Vec<Hashed>> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }
    messages::table
        .filter(messages::workspace_id.eq(workspace.uuid()))
        .filter(messages::network_id_hash.eq_any(hashes))
        .select((messages::id, messages::network_id_hash))
        .load(&mut { connection })
        .await
}

/// Finds sends by the hashes of their network ids.
pub(super) async fn sent(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    hashes: &[&[u8]],
) -> QueryResult<Vec<Hashed>> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }
    sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::network_id_hash.eq_any(hashes))
        .select((sends::id, sends::network_id_hash))
        .load(&mut { connection })
        .await
}

pub(super) enum ContactKeys<'a> {
    Numbers(Vec<&'a str>),
    Ids(Vec<uuid::Uuid>),
}

impl<'a> ContactKeys<'a> {
    pub(super) fn numbers(asked: &'a LookupKeys) -> Self {
        let own = |identity: &'a Identity| Some(identity.phone()?.as_str());
        Self::Numbers(asked.identities.iter().filter_map(own).collect())
    }

    fn is_nobody(&self) -> bool {
        match self {
            Self::Numbers(numbers) => numbers.is_empty(),
            Self::Ids(ids) => ids.is_empty(),
        }
    }
}

type PersonRow = (ContactRow, Option<String>, Option<ConversationRow>, Option<String>);

/// Loads contacts, each as often as they have conversations, and once without any. Does not filter
/// conversations by connection, which would let the planner read all conversations of one.
pub(super) async fn people(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    keys: ContactKeys<'_>,
) -> QueryResult<Vec<PersonRow>> {
    if keys.is_nobody() {
        return Ok(Vec::new());
    }
    let theirs =
        conversations::workspace_id.eq(workspace.uuid()).and(conversations::contact_id.eq(contacts::id));
    let people = contacts::table
        .left_join(conversations::table.on(theirs))
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .select((
            ContactRow::as_select(),
            contacts::avatar_url,
            Option::<ConversationRow>::as_select(),
            group_name(workspace),
        ))
        .into_boxed();
    let people = match keys {
        ContactKeys::Numbers(numbers) => people.filter(contacts::phone.eq_any(numbers)),
        ContactKeys::Ids(ids) => people.filter(contacts::id.eq_any(ids)),
    };
    people.load(&mut { connection }).await
}

/// Adds each person once, with their conversations over the wanted connections.
pub(super) fn add_people(
    people: &mut BTreeMap<ContactId, KnownPerson>,
    rows: Vec<PersonRow>,
    asked: &LookupKeys,
) -> Result<(), StoreError> {
    for (contact, avatar_url, conversation, group_name) in rows {
        let contact = contact.read()?;
        let person = people.entry(contact.id).or_insert_with(|| {
            let own = contact.phone.clone().map(Identity::Phone);
            let identities = own.filter(|own| asked.identities.contains(own)).into_iter().collect();
            KnownPerson { contact, avatar_url, identities, conversations: Vec::new() }
        });
        let conversation = conversation.map(|row| row.read(group_name)).transpose()?;
        person
            .conversations
            .extend(conversation.filter(|conversation| asked.channels.contains(&conversation.channel)));
    }
    Ok(())
}
