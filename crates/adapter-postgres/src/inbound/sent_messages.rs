//! Statuses of sent messages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, NullableExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper,
    sql_types::{Nullable, Timestamptz},
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    events::{Event, EventData},
    ids::{ConversationId, JournalId, MessageId, WorkspaceId},
    inbound::{MessageNames, SentMessage, StatusChange, ports::SentMessages},
    live::LiveKind,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::settle::held;
use crate::{
    broadcasts::StatusesTold,
    error::failed,
    inbound::PgInbound,
    live::tell,
    schema::{conversations, sends},
    sending::{LedgerRow, ledger_of},
    sql::{RunQueryDsl, storable, update},
    transaction::Transaction,
    webhooks::{Subscriber, enqueue, subscribers},
};

/// A send, the hash of its network id, and the time of its conversation's latest event or its settlement.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
struct FoundRow {
    #[diesel(embed)]
    row: LedgerRow,
    network_id_hash: Option<Vec<u8>>,
    stamped_at: Option<OffsetDateTime>,
    settled_at: Option<OffsetDateTime>,
}

/// Selects the time of the latest event in a send's conversation.
#[diesel::dsl::auto_type(no_type_alias)]
fn told_at(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let id: diesel::dsl::Nullable<conversations::id> = conversations::id.nullable();
    conversations::table
        .filter(conversations::workspace_id.eq(workspace))
        .filter(id.eq(sends::conversation_id))
        .select(conversations::stamped_at)
        .single_value()
}

/// A conversation, and the times of its first and last event.
type Stamp = (ConversationId, OffsetDateTime, OffsetDateTime);

type Changed = (uuid::Uuid, Option<uuid::Uuid>, Option<String>);

#[async_trait]
impl SentMessages for PgInbound {
    async fn find(
        &self,
        workspace: WorkspaceId,
        names: &[MessageNames],
    ) -> Result<Vec<Option<SentMessage>>, StoreError> {
        let mut found = Found::default();
        let mut hashes: Vec<Option<[u8; 32]>> = vec![None; names.len()];
        let tags = names.iter().filter_map(|names| names.tag).collect();
        // Networks echo our tags: a network id is looked up only without a tag, or if no send has it.
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
        let taken_in: BTreeSet<JournalId> = taken_in.iter().copied().collect();
        let taken_in: Vec<JournalId> = taken_in.into_iter().collect();
        if let ([], [update]) = (changes, taken_in.as_slice()) {
            let mut connection = self.database.connection().await?;
            let gone = diesel::delete(held(workspace, self.holder(), &[*update])).execute(&mut connection);
            return if gone.await.map_err(failed)? == 1 { Ok(()) } else { Err(StoreError::Stale) };
        }
        let mut changes: Vec<&StatusChange> = changes.iter().collect();
        changes.sort_unstable_by_key(|change| change.id);
        let events: Vec<&Event> = changes.iter().flat_map(|change| &change.events).collect();
        let stamps = stamps(&events);
        let transaction = self.database.transaction().await?;
        let out = self.take_in(&transaction, workspace, &changes, &taken_in);
        let told = tell_of(&transaction, workspace, &stamps, &events);
        let ((out, moved), (told, subscribers)) =
            transaction.begin_with(try_join(out, told)).await.map_err(failed)?;
        if (out, moved.len(), told) != (taken_in.len(), changes.len(), stamps.len()) {
            return Err(StoreError::Stale);
        }
        let deliveries = self.database.deliveries(workspace, &subscribers, events)?;
        let in_conversations: Vec<_> = moved
            .iter()
            .filter_map(|(id, conversation, _)| Some((Some((*conversation)?.into()), Some((*id).into()))))
            .collect();
        let references: HashMap<MessageId, &str> = moved
            .iter()
            .filter_map(|(id, _, reference)| Some(((*id).into(), reference.as_deref()?)))
            .collect();
        let told = changes.iter().filter_map(|change| Some((*change, *references.get(&change.id)?)));
        let told = StatusesTold::find(&transaction, workspace, told).await.map_err(failed)?;
        let mut flight = transaction.flight();
        told.write(&mut flight, workspace);
        tell(&mut flight, workspace, LiveKind::MessageStatus, &in_conversations);
        enqueue(&mut flight, workspace, &deliveries);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }
}

impl PgInbound {
    /// Takes updates out of the journal and changes sends; returns the number of the former and the latter.
    async fn take_in(
        &self,
        transaction: &Transaction,
        workspace: WorkspaceId,
        changes: &[&StatusChange],
        taken_in: &[JournalId],
    ) -> QueryResult<(usize, Vec<Changed>)> {
        let mut out = transaction.flight();
        if !taken_in.is_empty() {
            out.add(diesel::delete(held(workspace, self.holder(), taken_in)));
        }
        let moved = async {
            if changes.is_empty() { Ok(Vec::new()) } else { change(transaction, workspace, changes).await }
        };
        let (out, moved) = try_join(out.counts(), moved).await?;
        Ok((out.iter().sum(), moved))
    }
}

/// Stamps conversations with the times of their events, unless they have a later stamp, and loads the
/// subscribers. Returns the number of stamped conversations.
async fn tell_of(
    transaction: &Transaction,
    workspace: WorkspaceId,
    stamps: &[Stamp],
    events: &[&Event],
) -> QueryResult<(usize, Vec<Subscriber>)> {
    let mut told = transaction.flight();
    told.update(
        update(conversations::table, workspace, stamps)
            .key(conversations::id, |(conversation, ..)| conversation.uuid())
            .set(conversations::stamped_at, |(.., last)| Some(*last))
            .value::<Timestamptz, _>("first_stamp", |(_, first, _)| *first)
            .when("(conversations.stamped_at >= new.first_stamp) IS NOT TRUE"),
    );
    let events = events.to_vec();
    let subscribers = async {
        if events.is_empty() { Ok(Vec::new()) } else { subscribers(transaction, workspace, events).await }
    };
    let (told, subscribers) = try_join(told.counts(), subscribers).await?;
    Ok((told.iter().sum(), subscribers))
}

/// Applies the changes to sends that are still in the state it was decided on.
fn change<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    changes: &[&StatusChange],
) -> impl Future<Output = QueryResult<Vec<Changed>>> + Send + use<'c> {
    update(sends::table, workspace, changes)
        .key(sends::id, |change| change.id.uuid())
        .guard(sends::status, |change| change.before.status.as_str())
        .value::<Nullable<Timestamptz>, _>("delivered_before", |change| change.before.delivered_at)
        .value::<Nullable<Timestamptz>, _>("read_before", |change| change.before.read_at)
        .value::<Nullable<Timestamptz>, _>("failed_before", |change| change.before.failed_at)
        .when(
            "(sends.delivered_at, sends.read_at, sends.failed_at)
             IS NOT DISTINCT FROM (new.delivered_before, new.read_before, new.failed_before)",
        )
        .set(sends::status, |change| change.after.status.as_str())
        .set(sends::delivered_at, |change| change.after.delivered_at)
        .set(sends::read_at, |change| change.after.read_at)
        .set(sends::failed_at, |change| change.after.failed_at)
        .set_to(
            sends::error,
            |change| change.kept_error.as_deref().map(storable),
            "coalesce(new.error, sends.error)",
        )
        .set_to(sends::error_code, |change| change.error_code, "coalesce(new.error_code, sends.error_code)")
        .set_to(sends::stamped_at, |change| change.stamped_at(), "coalesce(new.stamped_at, sends.stamped_at)")
        .returning((sends::id, sends::conversation_id, sends::reference))
        .load(&mut { connection })
}

fn stamps(events: &[&Event]) -> Vec<Stamp> {
    let mut times: BTreeMap<ConversationId, (OffsetDateTime, OffsetDateTime)> = BTreeMap::new();
    for event in events {
        let EventData::Status { conversation: Some(conversation), .. } = event.data else { continue };
        let (first, last) = times.entry(conversation).or_insert((event.created_at, event.created_at));
        (*first, *last) = ((*first).min(event.created_at), (*last).max(event.created_at));
    }
    times.into_iter().map(|(conversation, (first, last))| (conversation, first, last)).collect()
}

/// Sends by their ids, and their ids by the hashes of their network ids.
#[derive(Default)]
struct Found {
    by_tag: HashMap<MessageId, SentMessage>,
    tags: HashMap<Vec<u8>, MessageId>,
}

impl PgInbound {
    /// Computes the hashes of those network ids that `wanted` picks, and returns them.
    fn hash_where(
        &self,
        hashes: &mut [Option<[u8; 32]>],
        names: &[MessageNames],
        wanted: impl Fn(&MessageNames) -> bool,
    ) -> Vec<[u8; 32]> {
        let wanted = names.iter().zip(hashes).filter(|(names, _)| wanted(names));
        wanted.map(|(names, hash)| *hash.insert(self.database.network_id_hash(&names.network_id))).collect()
    }

    async fn find_into(
        &self,
        found: &mut Found,
        workspace: WorkspaceId,
        tags: Vec<MessageId>,
        hashes: Vec<[u8; 32]>,
    ) -> Result<(), StoreError> {
        let connection = self.database.connection().await?;
        let by_tag = async {
            if tags.is_empty() {
                return Ok(Vec::new());
            }
            let tags: Vec<uuid::Uuid> = tags.iter().map(|tag| tag.uuid()).collect();
            let sends = ledger_of(workspace)
                .filter(sends::id.eq_any(tags))
                .select((FoundRow::as_select(), told_at(workspace)));
            sends.load(&mut &*connection).await
        };
        let by_hash = async {
            if hashes.is_empty() {
                return Ok(Vec::new());
            }
            let sends = ledger_of(workspace).filter(sends::network_id_hash.eq_any(hashes));
            sends.select((FoundRow::as_select(), told_at(workspace))).load(&mut &*connection).await
        };
        let (by_tag, by_hash): (Vec<(FoundRow, Option<OffsetDateTime>)>, Vec<_>) =
            try_join(by_tag, by_hash).await.map_err(failed)?;
        drop(connection);
        for (FoundRow { row, network_id_hash, stamped_at, settled_at }, told_at) in
            by_tag.into_iter().chain(by_hash)
        {
            let customer = row.customer()?;
            let entry = row.entry(workspace)?;
            let id = entry.intent.id;
            found.tags.extend(network_id_hash.map(|hash| (hash, id)));
            let stamped_at = stamped_at.or(settled_at).max(told_at);
            found.by_tag.insert(id, SentMessage { entry, customer, stamped_at });
        }
        Ok(())
    }
}
