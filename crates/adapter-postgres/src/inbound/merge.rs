//! What the networks newly say of a contact, and contacts that turn out to be one person.

use diesel::{
    QueryableByName,
    sql_types::{Array, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    contacts::Identity,
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    inbound::ContactMerge,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::record::raced;
use crate::{
    PgStore,
    contacts::searchable,
    live::live_change,
    sql::{Bind, sql},
};

/// The person is still who they were when this was decided. An identity that named somebody else names them now.
pub(super) const MEET: &str = concat!(
    "WITH known AS MATERIALIZED (
        SELECT id, searchable FROM contacts
        WHERE workspace_id = $1 AND id = $2 AND phone IS NOT DISTINCT FROM $3 AND name IS NOT DISTINCT FROM $4
        FOR UPDATE
    ), met AS (
        UPDATE contacts SET name = $5, phone = $6, avatar_url = $7, searchable = $8
        FROM known WHERE contacts.workspace_id = $1 AND contacts.id = known.id
    ), recounted AS (
        INSERT INTO contact_part_counts AS counts (workspace_id, part, slot, contacts)
        SELECT $1, part, contact_slot(id), sum(change)
        FROM (
            SELECT id, unnest(short_parts($8)) AS part, 1 AS change FROM known
            UNION ALL
            SELECT id, unnest(short_parts(searchable)), -1 FROM known
        ) changes
        GROUP BY id, part HAVING sum(change) <> 0 ORDER BY part
        ON CONFLICT (workspace_id, part, slot) DO UPDATE SET contacts = counts.contacts + excluded.contacts
    ), tied AS (
        INSERT INTO identities (workspace_id, kind, value, contact_id, recorded_at)
        SELECT $1, identity.kind, identity.value, known.id, $11
        FROM known, unnest($9::text[], $10::text[]) AS identity (kind, value)
        ON CONFLICT (workspace_id, kind, value)
        DO UPDATE SET contact_id = excluded.contact_id, recorded_at = excluded.recorded_at
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT conversation.id AS conversation_id, NULL::uuid AS message_id
         FROM known JOIN conversations conversation ON conversation.workspace_id = $1 AND conversation.contact_id = known.id"
    ),
    " SELECT FROM known"
);

pub(super) const LOCK_CONTACTS: &str =
    "SELECT id FROM contacts WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE";

/// Of several conversations over one connection, the oldest is kept.
pub(super) const LOCK_CONVERSATIONS: &str = "
    WITH locked AS MATERIALIZED (
        SELECT id, channel_id, created_at FROM conversations
        WHERE workspace_id = $1 AND contact_id = ANY($2) ORDER BY id FOR UPDATE
    )
    SELECT id, first_value(id) OVER (PARTITION BY channel_id ORDER BY created_at, id) AS kept FROM locked";

/// A conversation's state is that of the one that somebody still attends to.
pub(super) const MERGE_CONVERSATION: &str = concat!(
    "WITH gone AS MATERIALIZED (
        SELECT * FROM conversations WHERE workspace_id = $1 AND id = $2
    ), messages_moved AS (
        UPDATE messages SET conversation_id = $3 WHERE workspace_id = $1 AND conversation_id = $2
    ), sends_moved AS (
        UPDATE sends SET conversation_id = $3 WHERE workspace_id = $1 AND conversation_id = $2
    ), tags_moved AS (
        INSERT INTO conversation_tags (workspace_id, conversation_id, tag, folded)
        SELECT $1, $3, tag, folded FROM conversation_tags WHERE workspace_id = $1 AND conversation_id = $2
        ON CONFLICT DO NOTHING
    ), aliases_moved AS (
        UPDATE conversation_aliases SET conversation_id = $3 WHERE workspace_id = $1 AND conversation_id = $2
    ), alias AS (
        INSERT INTO conversation_aliases (workspace_id, id, conversation_id) VALUES ($1, $2, $3)
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT conversation AS conversation_id, NULL::uuid AS message_id
         FROM gone, unnest(ARRAY[$2::uuid, $3::uuid]) AS conversation"
    ),
    " UPDATE conversations kept
    SET status = CASE WHEN attended THEN gone.status ELSE kept.status END,
        assigned_to = CASE WHEN attended THEN gone.assigned_to ELSE kept.assigned_to END,
        group_id = coalesce(CASE WHEN attended THEN gone.group_id END, kept.group_id, gone.group_id),
        announced = kept.announced OR gone.announced,
        version = greatest(kept.version, gone.version) + 1,
        last_message_at = greatest(kept.last_message_at, gone.last_message_at),
        customer_wrote_at = greatest(kept.customer_wrote_at, gone.customer_wrote_at),
        moved_at = greatest(kept.moved_at, gone.moved_at),
        stamped_at = greatest(kept.stamped_at, gone.stamped_at)
    FROM gone, LATERAL (
        SELECT EXISTS (
            SELECT FROM conversations conversation
            WHERE conversation.workspace_id = $1 AND conversation.id = $3
              AND (conversation.status = 'closed' AND gone.status <> 'closed'
                   OR conversation.status = 'bot' AND gone.status = 'open')) AS attended
    ) state
    WHERE kept.workspace_id = $1 AND kept.id = $3"
);

pub(super) const DROP_CONVERSATION: &str = "DELETE FROM conversations WHERE workspace_id = $1 AND id = $2";

/// What is the others' becomes the survivor's, and the others are no more.
pub(super) const MERGE_CONTACTS: &str = "
    WITH conversations_moved AS (
        UPDATE conversations SET contact_id = $2 WHERE workspace_id = $1 AND contact_id = ANY($3)
    ), sends_moved AS (
        UPDATE sends SET contact_id = $2 WHERE workspace_id = $1 AND contact_id = ANY($3)
    ), identities_moved AS (
        UPDATE identities SET contact_id = $2 WHERE workspace_id = $1 AND contact_id = ANY($3)
    ), aliases_moved AS (
        UPDATE contact_aliases SET contact_id = $2 WHERE workspace_id = $1 AND contact_id = ANY($3)
    ), aliases AS (
        INSERT INTO contact_aliases (workspace_id, id, contact_id) SELECT $1, unnest($3::uuid[]), $2
    ), signals_gone AS (
        DELETE FROM contact_signals WHERE workspace_id = $1 AND contact_id = ANY($3)
        RETURNING channel_id, kind, signal, at
    ), signals_moved AS (
        INSERT INTO contact_signals AS known (workspace_id, contact_id, channel_id, kind, signal, at)
        SELECT DISTINCT ON (channel_id, kind) $1, $2, channel_id, kind, signal, at
        FROM signals_gone ORDER BY channel_id, kind, at DESC
        ON CONFLICT (workspace_id, contact_id, channel_id, kind)
        DO UPDATE SET signal = excluded.signal, at = excluded.at WHERE known.at < excluded.at
    ), gone AS (
        DELETE FROM contacts WHERE workspace_id = $1 AND id = ANY($3)
        RETURNING id, searchable, channels, last_active_at, active_month
    ), uncounted AS (
        INSERT INTO contact_counts AS counts (workspace_id, slot, contacts)
        SELECT $1, contact_slot(id), -count(*) FROM gone GROUP BY 2 ORDER BY 2
        ON CONFLICT (workspace_id, slot) DO UPDATE SET contacts = counts.contacts + excluded.contacts
        RETURNING slot
    ), parts_uncounted AS (
        INSERT INTO contact_part_counts AS counts (workspace_id, part, slot, contacts)
        SELECT $1, part, slot, -count(*)
        FROM gone JOIN uncounted ON slot = contact_slot(id), unnest(short_parts(searchable)) part
        GROUP BY part, slot ORDER BY part, slot
        ON CONFLICT (workspace_id, part, slot) DO UPDATE SET contacts = counts.contacts + excluded.contacts
    )
    UPDATE contacts survivor
    SET channels = ARRAY(SELECT unnest(survivor.channels) UNION SELECT unnest(gone.channels) FROM gone),
        last_active_at = greatest(survivor.last_active_at, (SELECT max(gone.last_active_at) FROM gone)),
        active_month = greatest(survivor.active_month, (SELECT max(gone.active_month) FROM gone))
    WHERE survivor.workspace_id = $1 AND survivor.id = $2";

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[derive(QueryableByName)]
struct Conversation {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    kept: uuid::Uuid,
}

impl PgStore {
    pub(super) async fn meet(
        &self,
        workspace: WorkspaceId,
        met: &ContactMerge,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        if met.absorbed.is_empty() {
            let mut connection = self.connection().await?;
            return meet(&mut connection, workspace, met, now).await;
        }
        let mut transaction = self.begin().await?;
        merge(&mut transaction, workspace, met.contact.id, &met.absorbed).await?;
        meet(&mut transaction, workspace, met, now).await?;
        transaction.commit().await
    }
}

async fn meet(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    met: &ContactMerge,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let written = sql(MEET)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(met.contact.id.uuid())
        .bind::<Nullable<Text>, _>(met.contact.phone.as_ref().map(PhoneNumber::as_str))
        .bind::<Nullable<Text>, _>(met.contact.name.as_deref())
        .bind::<Nullable<Text>, _>(met.name.as_deref())
        .bind::<Nullable<Text>, _>(met.phone.as_ref().map(PhoneNumber::as_str))
        .bind::<Nullable<Text>, _>(met.avatar_url.as_deref().map(|url| url.replace('\0', "")))
        .bind::<Text, _>(searchable(met.name.as_deref(), met.phone.as_ref()))
        .bind::<Array<Text>, _>(met.identities.iter().map(Identity::kind).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(met.identities.iter().map(Identity::value).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await
        .map_err(raced)?;
    if written == 0 { Err(StoreError::Stale) } else { Ok(()) }
}

async fn merge(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    survivor: ContactId,
    absorbed: &[ContactId],
) -> Result<(), StoreError> {
    let absorbed: Vec<uuid::Uuid> = absorbed.iter().map(|contact| contact.uuid()).collect();
    let all: Vec<uuid::Uuid> = absorbed.iter().copied().chain([survivor.uuid()]).collect();
    let locked: Vec<Locked> = sql(LOCK_CONTACTS)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(&all)
        .load(connection)
        .await
        .map_err(raced)?;
    if all.iter().any(|id| locked.iter().all(|locked| locked.id != *id)) {
        return Err(StoreError::Stale);
    }
    let conversations: Vec<Conversation> = sql(LOCK_CONVERSATIONS)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(&all)
        .load(connection)
        .await
        .map_err(raced)?;
    for Conversation { id, kept } in
        conversations.into_iter().filter(|conversation| conversation.id != conversation.kept)
    {
        sql(MERGE_CONVERSATION)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id)
            .bind::<Uuid, _>(kept)
            .execute(connection)
            .await
            .map_err(raced)?;
        sql(DROP_CONVERSATION)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id)
            .execute(connection)
            .await
            .map_err(raced)?;
    }
    sql(MERGE_CONTACTS)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(survivor.uuid())
        .bind::<Array<Uuid>, _>(absorbed)
        .execute(connection)
        .await
        .map_err(raced)?;
    Ok(())
}
