//! Sent messages, and what the network says of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Binary, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{ConversationId, JournalId, MessageId, WorkspaceId},
    inbound::{MessageNames, SentMessage, StatusChange, ports::SentMessages},
    webhooks::{Event, EventData},
};
use time::OffsetDateTime;

use super::settle::take_out;
use crate::{
    PgStore,
    error::failed,
    live::live_change,
    sending::{LedgerRow, ledger},
    sql::{Bind, Columns, sql, storable},
    webhooks::{Count, enqueue_deliveries, owing},
};

/// Each by its own look at an index. One that is found twice comes twice.
pub(super) const FIND: &str = ledger!(
    @ "(
        SELECT found.* FROM unnest($2) AS tag (id) CROSS JOIN LATERAL (
            SELECT * FROM sends WHERE sends.workspace_id = $1 AND sends.id = tag.id LIMIT 1
        ) found
        UNION ALL
        SELECT found.* FROM unnest($3) AS named (hash) CROSS JOIN LATERAL (
            SELECT * FROM sends WHERE sends.workspace_id = $1 AND sends.network_id_hash = named.hash LIMIT 1
        ) found
    )",
    ", send.network_id_hash,
       greatest(coalesce(send.stamped_at, send.settled_at),
                (SELECT conversation.stamped_at FROM conversations conversation
                 WHERE conversation.workspace_id = send.workspace_id AND conversation.id = send.conversation_id)) AS stamped_at"
);

/// All changes or none: they take place when every message is still where its change found it, nothing was told of their
/// conversations that has a later time, and what was taken in is in this process's hands.
pub(super) const COMMIT: &str = concat!(
    "WITH change AS MATERIALIZED (
        SELECT * FROM unnest($8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $20)
            AS change (id, status, delivered_at, read_at, failed_at, error,
                       old_status, old_delivered_at, old_read_at, old_failed_at, error_code, stamped_at)
    ), stamp AS MATERIALIZED (
        SELECT * FROM unnest($21, $22, $23) AS stamp (conversation_id, first, last)
    ), conversation AS MATERIALIZED (
        SELECT known.id FROM conversations known JOIN stamp ON stamp.conversation_id = known.id
        WHERE known.workspace_id = $1 AND known.id = ANY($21) AND (known.stamped_at >= stamp.first) IS NOT TRUE
        ORDER BY known.id FOR NO KEY UPDATE OF known
    ), held AS MATERIALIZED (
        SELECT send.id FROM sends send JOIN change ON change.id = send.id
        WHERE send.workspace_id = $1
          AND (send.status, send.delivered_at, send.read_at, send.failed_at) IS NOT DISTINCT FROM
              (change.old_status, change.old_delivered_at, change.old_read_at, change.old_failed_at)
        ORDER BY send.id FOR NO KEY UPDATE OF send
    ), owing AS MATERIALIZED (
        SELECT WHERE (SELECT count(*) FROM conversation) = cardinality($21)
                 AND (SELECT count(*) FROM held) = cardinality($8)
    ), changed AS (
        UPDATE sends SET status = change.status, delivered_at = change.delivered_at, read_at = change.read_at,
                         failed_at = change.failed_at, error = coalesce(change.error, sends.error),
                         error_code = coalesce(change.error_code, sends.error_code),
                         stamped_at = coalesce(change.stamped_at, sends.stamped_at)
        FROM change, owing WHERE sends.workspace_id = $1 AND sends.id = change.id
        RETURNING sends.id, sends.conversation_id
    ), stamped AS (
        UPDATE conversations known SET stamped_at = stamp.last
        FROM stamp, owing
        WHERE known.workspace_id = $1 AND known.id = stamp.conversation_id AND known.id = ANY($21)
    ), ",
    live_change!(
        "told",
        "message.status",
        "SELECT conversation_id, id AS message_id FROM changed WHERE conversation_id IS NOT NULL"
    ),
    ", taken_in AS (",
    take_out!("$7", "$19", "WHERE EXISTS (SELECT FROM owing)"),
    " RETURNING journal.id), ",
    enqueue_deliveries!(),
    " SELECT CASE WHEN (SELECT count(*) FROM taken_in) = cardinality($7) OR NOT EXISTS (SELECT FROM owing)
                  THEN (SELECT count(*) FROM owing) ELSE stale()::integer END AS count",
);

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Nullable<Binary>)]
    network_id_hash: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stamped_at: Option<OffsetDateTime>,
    #[diesel(embed)]
    row: LedgerRow,
}

#[async_trait]
impl SentMessages for PgStore {
    async fn find(
        &self,
        workspace: WorkspaceId,
        names: &[MessageNames],
    ) -> Result<Vec<Option<SentMessage>>, StoreError> {
        let mut found = Found::default();
        let mut hashes: Vec<Option<[u8; 32]>> = vec![None; names.len()];
        let tags = names.iter().filter_map(|names| names.tag).collect();
        // The network echoes our tags: what it calls a message is asked only where it did not, or where a tag is
        // nobody's.
        let untagged = self.hash_where(&mut hashes, names, |names| names.tag.is_none());
        self.find_into(&mut found, workspace, tags, untagged).await?;
        let strange = self.hash_where(&mut hashes, names, |names| {
            names.tag.is_some_and(|tag| !found.by_tag.contains_key(&tag))
        });
        if !strange.is_empty() {
            self.find_into(&mut found, workspace, Vec::new(), strange).await?;
        }
        let find = |(names, hash): (&MessageNames, Option<[u8; 32]>)| {
            let by_network_id = || found.by_tag.get(found.tags.get(hash?.as_slice())?);
            names.tag.and_then(|tag| found.by_tag.get(&tag)).or_else(by_network_id).cloned()
        };
        Ok(names.iter().zip(hashes).map(find).collect())
    }

    async fn commit(
        &self,
        workspace: WorkspaceId,
        changes: &[StatusChange],
        taken_in: &[JournalId],
    ) -> Result<(), StoreError> {
        let events: Vec<&Event> = changes.iter().flat_map(|change| &change.events).collect();
        let taken_in: BTreeSet<uuid::Uuid> = taken_in.iter().map(|id| id.uuid()).collect();
        let mut connection = self.connection().await?;
        let owed = self.owed(&mut connection, workspace, &events).await?;
        let column = Columns(changes);
        let stamped = stamped(&events);
        let conversations = Columns(&stamped);
        let written: Count = owing(COMMIT, workspace, &owed)
            .bind::<Array<Uuid>, _>(taken_in.into_iter().collect::<Vec<_>>())
            .bind::<Array<Uuid>, _>(column.of(|change| change.id.uuid()))
            .bind::<Array<Text>, _>(column.of(|change| change.after.status.as_str()))
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(|change| change.after.delivered_at))
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(|change| change.after.read_at))
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(|change| change.after.failed_at))
            .bind::<Array<Nullable<Text>>, _>(column.of(|change| change.kept_error.as_deref().map(storable)))
            .bind::<Array<Text>, _>(column.of(|change| change.before.status.as_str()))
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(|change| change.before.delivered_at))
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(|change| change.before.read_at))
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(|change| change.before.failed_at))
            .bind::<Array<Nullable<BigInt>>, _>(column.of(|change| change.error_code))
            .bind::<Integer, _>(self.holder())
            .bind::<Array<Nullable<Timestamptz>>, _>(column.of(StatusChange::stamped_at))
            .bind::<Array<Uuid>, _>(conversations.of(|conversation| conversation.0.uuid()))
            .bind::<Array<Timestamptz>, _>(conversations.of(|conversation| conversation.1))
            .bind::<Array<Timestamptz>, _>(conversations.of(|conversation| conversation.2))
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        if written.count == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }
}

/// The conversations that these events are about, with the times of the first and the last of each.
fn stamped(events: &[&Event]) -> Vec<(ConversationId, OffsetDateTime, OffsetDateTime)> {
    let mut times: BTreeMap<ConversationId, (OffsetDateTime, OffsetDateTime)> = BTreeMap::new();
    for event in events {
        let EventData::Status { conversation: Some(conversation), .. } = event.data else { continue };
        let (first, last) = times.entry(conversation).or_insert((event.created_at, event.created_at));
        (*first, *last) = ((*first).min(event.created_at), (*last).max(event.created_at));
    }
    times.into_iter().map(|(conversation, (first, last))| (conversation, first, last)).collect()
}

/// Sends by their ids, and these by the hashes of what the network calls them.
#[derive(Default)]
struct Found {
    by_tag: HashMap<MessageId, SentMessage>,
    tags: HashMap<Vec<u8>, MessageId>,
}

impl PgStore {
    /// Fills in the hashes of those names that `wanted` picks, and answers them.
    fn hash_where(
        &self,
        hashes: &mut [Option<[u8; 32]>],
        names: &[MessageNames],
        wanted: impl Fn(&MessageNames) -> bool,
    ) -> Vec<[u8; 32]> {
        let wanted = names.iter().zip(hashes).filter(|(names, _)| wanted(names));
        wanted.map(|(names, hash)| *hash.insert(self.network_id_hash(&names.network_id))).collect()
    }

    async fn find_into(
        &self,
        found: &mut Found,
        workspace: WorkspaceId,
        tags: Vec<MessageId>,
        hashes: Vec<[u8; 32]>,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<FoundRow> = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(tags.iter().map(|tag| tag.uuid()).collect::<Vec<_>>())
            .bind::<Array<Binary>, _>(hashes)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        for FoundRow { network_id_hash, stamped_at, row } in rows {
            let customer = row.customer()?;
            let entry = row.entry(workspace)?;
            let id = entry.intent.id;
            found.tags.extend(network_id_hash.map(|hash| (hash, id)));
            found.by_tag.insert(id, SentMessage { entry, customer, stamped_at });
        }
        Ok(())
    }
}
