//! Outcomes of a broadcast's messages: the rare ones are marks, and all are counted.

use std::collections::{BTreeMap, BTreeSet};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult, Queryable, QueryableByName,
    dsl::exists,
    sql_types::{Array, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    broadcasts::{ANSWERED_WITHIN, PersonState},
    ids::{BroadcastId, ContactId, WorkspaceId},
    inbound::StatusChange,
    messages::DeliveryStatus,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::progress::PARTS;
use crate::{
    schema::{broadcast_counts, broadcast_marks, broadcast_people, sends},
    sql::{RunQueryDsl, insert, statement, update},
    transaction::{Flight, Transaction},
};

/// Selects those messages that belong to the broadcast named with them, since any sender may use any
/// reference. One look-up by key for each.
pub(super) const OF_BROADCASTS: &str = "SELECT told.broadcast_id, told.message_id
    FROM unnest(:broadcasts, :messages) AS told (broadcast_id, message_id)
    WHERE EXISTS (SELECT 1 FROM broadcast_people WHERE workspace_id = :workspace
                  AND broadcast_id = told.broadcast_id AND message_id = told.message_id OFFSET 0)";

/// Messages of broadcasts that these people answer by writing soon after, perhaps not yet recorded as sent.
pub(super) const ANSWERED: &str = "SELECT person.broadcast_id, person.message_id
    FROM unnest(:contacts) AS wrote (contact)
    CROSS JOIN LATERAL (
        SELECT phone FROM contacts WHERE workspace_id = :workspace AND id = wrote.contact OFFSET 0
    ) contact
    CROSS JOIN LATERAL (
        SELECT broadcast_id, message_id, state, changed_at FROM broadcast_people
        WHERE workspace_id = :workspace AND phone = contact.phone OFFSET 0
    ) person
    WHERE person.changed_at > :since
      AND (person.state IN ('sent', 'unconfirmed') OR EXISTS (
          SELECT 1 FROM sends WHERE workspace_id = :workspace AND id = person.message_id))";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Queryable, QueryableByName)]
pub(crate) struct BroadcastMessage {
    #[diesel(sql_type = Uuid)]
    broadcast_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    message_id: uuid::Uuid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkKind {
    Undelivered,
    Answered,
    Stopped,
}

impl MarkKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Undelivered => "undelivered",
            Self::Answered => "answered",
            Self::Stopped => "stopped",
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    delivered: i64,
    read: i64,
    undelivered: i64,
    answered: i64,
    stopped: i64,
}

impl Counted {
    fn mark(&mut self, kind: MarkKind) {
        *match kind {
            MarkKind::Undelivered => &mut self.undelivered,
            MarkKind::Answered => &mut self.answered,
            MarkKind::Stopped => &mut self.stopped,
        } += 1;
    }
}

#[derive(Default)]
pub(crate) struct Counts {
    broadcasts: BTreeMap<uuid::Uuid, Counted>,
    part: i16,
}

impl Counts {
    /// Creates empty increments; the message picks the part.
    fn by(message: &BroadcastMessage) -> Self {
        let last = message.message_id.as_bytes().last().copied().unwrap_or_default();
        Self { broadcasts: BTreeMap::new(), part: i16::from(last % PARTS) }
    }

    fn of(&mut self, broadcast: uuid::Uuid) -> &mut Counted {
        self.broadcasts.entry(broadcast).or_default()
    }

    pub(crate) fn write(&self, flight: &mut Flight<'_>, workspace: WorkspaceId) {
        let counts: Vec<_> = self.broadcasts.iter().collect();
        flight.update(
            update(broadcast_counts::table, workspace, &counts)
                .key(broadcast_counts::broadcast_id, |(broadcast, _)| **broadcast)
                .key(broadcast_counts::part, |_| self.part)
                .add(broadcast_counts::delivered, |(_, counted)| counted.delivered)
                .add(broadcast_counts::read, |(_, counted)| counted.read)
                .add(broadcast_counts::undelivered, |(_, counted)| counted.undelivered)
                .add(broadcast_counts::answered, |(_, counted)| counted.answered)
                .add(broadcast_counts::stopped, |(_, counted)| counted.stopped),
        );
    }
}

pub(crate) async fn answered(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    contacts: &[ContactId],
    at: OffsetDateTime,
) -> QueryResult<Vec<BroadcastMessage>> {
    if contacts.is_empty() {
        return Ok(Vec::new());
    }
    let contacts: Vec<uuid::Uuid> = contacts.iter().copied().map(ContactId::uuid).collect();
    statement(ANSWERED)
        .of(workspace)
        .bind::<Array<Uuid>, _>("contacts", contacts)
        .bind::<Timestamptz, _>("since", lately(at))
        .load(&mut { connection })
        .await
}

pub(super) fn came_to<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    phone: &PhoneNumber,
    at: OffsetDateTime,
) -> impl Future<Output = QueryResult<Vec<BroadcastMessage>>> + Send + use<'c> {
    let is_sent = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.eq(broadcast_people::message_id));
    broadcast_people::table
        .filter(broadcast_people::workspace_id.eq(workspace.uuid()))
        .filter(broadcast_people::phone.eq(phone.as_str().to_owned()))
        .filter(broadcast_people::changed_at.gt(lately(at)))
        .filter(
            broadcast_people::state
                .eq_any([PersonState::Sent.as_str(), PersonState::Unconfirmed.as_str()])
                .or(exists(is_sent)),
        )
        .select((broadcast_people::broadcast_id, broadcast_people::message_id))
        .load(&mut { connection })
}

/// Returns the earliest time of a message that somebody may answer at `at`.
fn lately(at: OffsetDateTime) -> OffsetDateTime {
    at.checked_sub(ANSWERED_WITHIN).unwrap_or(at)
}

/// Marks these messages, and returns the increments for newly marked ones. Concurrent marks of them wait.
pub(crate) async fn mark(
    transaction: &Transaction,
    workspace: WorkspaceId,
    kind: MarkKind,
    mut messages: Vec<BroadcastMessage>,
    at: OffsetDateTime,
) -> QueryResult<Counts> {
    messages.sort_unstable();
    let Some(first) = messages.as_slice().first() else { return Ok(Counts::default()) };
    let mut counts = Counts::by(first);
    let marked = insert(broadcast_marks::table, workspace, &messages)
        .column(broadcast_marks::broadcast_id, |message| message.broadcast_id)
        .column(broadcast_marks::kind, |_| kind.as_str())
        .column(broadcast_marks::message_id, |message| message.message_id)
        .column(broadcast_marks::marked_at, |_| at)
        .on_conflict_do_nothing()
        .returning(broadcast_marks::broadcast_id)
        .load::<uuid::Uuid>(&mut &**transaction);
    for broadcast in transaction.send(marked).await? {
        counts.of(broadcast).mark(kind);
    }
    Ok(counts)
}

/// Status changes of broadcasts' messages. Each counts once, since the change of its send was written before.
pub(crate) struct StatusesTold<'c> {
    told: BTreeMap<BroadcastMessage, &'c StatusChange>,
}

impl<'c> StatusesTold<'c> {
    /// Keeps the changes whose reference is the broadcast that sent the message.
    pub(crate) async fn find(
        transaction: &Transaction,
        workspace: WorkspaceId,
        changes: impl Iterator<Item = (&'c StatusChange, &'c str)>,
    ) -> QueryResult<Self> {
        let named = changes.filter_map(|(change, reference)| {
            let broadcast_id = reference.parse::<BroadcastId>().ok()?.uuid();
            Some((BroadcastMessage { broadcast_id, message_id: change.id.uuid() }, change))
        });
        let mut told: BTreeMap<_, _> = named.collect();
        if told.is_empty() {
            return Ok(Self { told });
        }
        let (broadcasts, messages): (Vec<_>, Vec<_>) =
            told.keys().map(|message| (message.broadcast_id, message.message_id)).unzip();
        let of_broadcasts = statement(OF_BROADCASTS)
            .of(workspace)
            .bind::<Array<Uuid>, _>("broadcasts", broadcasts)
            .bind::<Array<Uuid>, _>("messages", messages)
            .load::<BroadcastMessage>(&mut &**transaction);
        let found: BTreeSet<_> = transaction.send(of_broadcasts).await?.into_iter().collect();
        told.retain(|message, _| found.contains(message));
        Ok(Self { told })
    }

    /// Marks undelivered messages, removes the mark of those that arrived after all, and counts everything.
    pub(crate) fn write(&self, flight: &mut Flight<'_>, workspace: WorkspaceId) {
        let Some(first) = self.told.keys().next() else { return };
        let (mut counts, mut undelivered, mut arrived) = (Counts::by(first), Vec::new(), Vec::new());
        for (message, change) in &self.told {
            let (before, after) = (&change.before, &change.after);
            let came = |delivered: Option<OffsetDateTime>, read: Option<OffsetDateTime>| {
                delivered.or(read).is_some()
            };
            let counted = counts.of(message.broadcast_id);
            counted.delivered += i64::from(
                came(after.delivered_at, after.read_at) && !came(before.delivered_at, before.read_at),
            );
            counted.read += i64::from(after.read_at.is_some() && before.read_at.is_none());
            match (before.status == DeliveryStatus::Failed, after.status == DeliveryStatus::Failed) {
                (false, true) => {
                    counted.mark(MarkKind::Undelivered);
                    undelivered.extend(after.failed_at.map(|failed_at| (*message, failed_at)));
                }
                (true, false) => {
                    counted.undelivered -= 1;
                    arrived.push(*message);
                }
                (false, false) | (true, true) => {}
            }
        }
        if !arrived.is_empty() {
            let (broadcasts, messages): (Vec<_>, Vec<_>) =
                arrived.iter().map(|message| (message.broadcast_id, message.message_id)).unzip();
            flight.add(
                diesel::delete(broadcast_marks::table)
                    .filter(broadcast_marks::workspace_id.eq(workspace.uuid()))
                    .filter(broadcast_marks::broadcast_id.eq_any(broadcasts))
                    .filter(broadcast_marks::kind.eq(MarkKind::Undelivered.as_str()))
                    .filter(broadcast_marks::message_id.eq_any(messages)),
            );
        }
        flight.insert(
            insert(broadcast_marks::table, workspace, &undelivered)
                .column(broadcast_marks::broadcast_id, |(message, _)| message.broadcast_id)
                .column(broadcast_marks::kind, |_| MarkKind::Undelivered.as_str())
                .column(broadcast_marks::message_id, |(message, _)| message.message_id)
                .column(broadcast_marks::marked_at, |(_, failed_at)| *failed_at)
                .on_conflict_do_nothing(),
        );
        counts.write(flight, workspace);
    }
}
