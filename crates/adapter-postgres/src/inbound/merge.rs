//! What the networks newly say of a contact, and contacts that turn out to be one person.

use diesel::{
    ExpressionMethods, PgExpressionMethods, QueryDsl, QueryResult, QueryableByName,
    sql_types::{Array, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    contacts::Identity,
    errors::StoreError,
    ids::{ContactId, ConversationId, WorkspaceId},
    inbound::ContactMerge,
    live::LiveKind,
    phone::PhoneNumber,
};
use futures_util::future::{ready, try_join};
use time::OffsetDateTime;

use super::record::raced;
use crate::{
    PgStore,
    contacts::{recount, searchable},
    live::{live_change, tell},
    schema::{contacts, conversations, identities},
    sql::{Bind, insert, sql, storable},
};

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
        let mut transaction = self.transaction().await?;
        if !met.absorbed.is_empty() {
            transaction.begin_with(ready(Ok(()))).await.map_err(raced)?;
            merge(&mut transaction, workspace, met.contact.id, &met.absorbed).await?;
        }
        let known = try_join(who(&transaction, workspace, met), conversations(&transaction, workspace, met));
        let (known, conversations) = transaction.send(known).await.map_err(raced)?;
        let Some((before, after)) = known.into_iter().next().map(|before| (before, found_by(met))) else {
            return Err(StoreError::Stale);
        };
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(contacts::table)
                .filter(contacts::workspace_id.eq(workspace.uuid()))
                .filter(contacts::id.eq(met.contact.id.uuid()))
                .set((
                    contacts::name.eq(met.name.as_deref()),
                    contacts::phone.eq(met.phone.as_ref().map(PhoneNumber::as_str)),
                    contacts::avatar_url.eq(met.avatar_url.as_deref().map(storable)),
                    contacts::searchable.eq(&after),
                )),
        );
        flight.insert(
            insert(identities::table, workspace, &met.identities)
                .column(identities::kind, Identity::kind)
                .column(identities::value, Identity::value)
                .column(identities::contact_id, |_| met.contact.id.uuid())
                .column(identities::recorded_at, |_| now)
                .or_change(identities::kind)
                .or_change(identities::value)
                .replacing(identities::contact_id)
                .replacing(identities::recorded_at),
        );
        let about: Vec<_> =
            conversations.into_iter().map(|id| (Some(ConversationId::from(id)), None)).collect();
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &about);
        recount(&mut flight, workspace, met.contact.id, &before, &after);
        transaction.commit_with(flight.counts()).await.map_err(raced)?;
        Ok(())
    }
}

fn found_by(met: &ContactMerge) -> String {
    searchable(met.name.as_deref(), met.phone.as_ref())
}

/// What the person is found by, locked, where they are still who they were when this was decided.
fn who<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    met: &ContactMerge,
) -> impl Future<Output = QueryResult<Vec<String>>> + Send + use<'c> {
    contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq(met.contact.id.uuid()))
        .filter(
            contacts::phone
                .is_not_distinct_from(met.contact.phone.as_ref().map(|phone| phone.as_str().to_owned())),
        )
        .filter(contacts::name.is_not_distinct_from(met.contact.name.clone()))
        .select(contacts::searchable)
        .for_update()
        .load(&mut { connection })
}

fn conversations<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    met: &ContactMerge,
) -> impl Future<Output = QueryResult<Vec<uuid::Uuid>>> + Send + use<'c> {
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq(met.contact.id.uuid()))
        .select(conversations::id)
        .load(&mut { connection })
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
