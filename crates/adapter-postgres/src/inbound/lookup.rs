//! What is known of the people, conversations and messages that updates speak of.

use std::collections::{BTreeMap, BTreeSet};

use diesel::{
    ExpressionMethods, QueryDsl, QueryResult, QueryableByName, SelectableHelper,
    sql_types::{Array, Nullable, Text, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    contacts::Identity,
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{KnownPerson, LookupKeys},
};
use futures_util::future::try_join;

use crate::{
    contacts::ContactRow,
    conversations::{ConversationRow, group_name},
    error::failed,
    schema::{contacts, conversations, messages, sends},
    sql::statement,
};

/// Each name by its own look at the index: for a list of them, the plan may read all names of a workspace instead.
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

/// A contact, with a name that leads to them as it is stored.
pub(super) type Named = (uuid::Uuid, String, String);
/// A message, by the hash of what its network calls it.
pub(super) type Hashed = (uuid::Uuid, Option<Vec<u8>>);

/// Whom these names lead to, as far as they are no numbers.
pub(super) async fn named(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    asked: &BTreeSet<Identity>,
) -> QueryResult<Vec<Named>> {
    let names = asked.iter().filter(|identity| identity.phone().is_none());
    let (kinds, values): (Vec<&str>, Vec<&str>) = names.map(|name| (name.kind(), name.value())).unzip();
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

/// Those whose own number is asked.
pub(super) async fn numbered(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    asked: &BTreeSet<Identity>,
) -> QueryResult<Vec<Named>> {
    let numbers: Vec<&Identity> = asked.iter().filter(|identity| identity.phone().is_some()).collect();
    let Some(kind) = numbers.iter().map(|identity| identity.kind()).next() else { return Ok(Vec::new()) };
    let found: Vec<(uuid::Uuid, Option<String>)> = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::phone.eq_any(numbers.iter().map(|number| number.value()).collect::<Vec<_>>()))
        .select((contacts::id, contacts::phone))
        .load(&mut { connection })
        .await?;
    let with_kind = |(id, phone): (_, Option<String>)| Some((id, kind.to_owned(), phone?));
    Ok(found.into_iter().filter_map(with_kind).collect())
}

/// What networks have brought, by the hashes of what they call it.
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

/// What we have sent, likewise.
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

/// Each person once, with the names that were asked and the conversations over the connections.
pub(super) async fn people(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    asked: &LookupKeys,
    mut names: BTreeMap<uuid::Uuid, BTreeSet<Identity>>,
) -> Result<Vec<KnownPerson>, StoreError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<uuid::Uuid> = names.keys().copied().collect();
    let contacts = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq_any(&ids))
        .select((ContactRow::as_select(), contacts::avatar_url))
        .load::<(ContactRow, Option<String>)>(&mut { connection });
    // Not by their connections as well: that would offer to read all conversations of one.
    let conversations = conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq_any(&ids))
        .select((ConversationRow::as_select(), group_name(workspace)))
        .load::<(ConversationRow, Option<String>)>(&mut { connection });
    let (contacts, conversations) = try_join(contacts, conversations).await.map_err(failed)?;
    let mut people = Vec::with_capacity(contacts.len());
    for (row, avatar_url) in contacts {
        let contact = row.read()?;
        let identities = names.remove(&contact.id.uuid()).unwrap_or_default();
        people.push(KnownPerson { contact, avatar_url, identities, conversations: Vec::new() });
    }
    for (row, group_name) in conversations {
        let conversation = row.read(group_name)?;
        if let Some(person) = people
            .iter_mut()
            .find(|person| person.contact.id == conversation.contact)
            .filter(|_| asked.channels.contains(&conversation.channel))
        {
            person.conversations.push(conversation);
        }
    }
    Ok(people)
}
