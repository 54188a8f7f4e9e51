//! Merging of contacts that turn out to be one person: everything of the others moves to the one that stays.

use std::collections::{BTreeMap, BTreeSet};

use diesel::{
    ExpressionMethods, IntoSql, NullableExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper, sql_types, upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    conversations::ConversationStatus,
    ids::{ContactId, WorkspaceId},
    inbound::ContactMerge,
};
use futures_util::future::try_join5;
use time::{Date, OffsetDateTime};

use crate::{
    Database,
    assistant::move_turn,
    consent::move_consent,
    contacts::uncount,
    places,
    schema::{
        contact_aliases, contact_signals, contacts, conversation_aliases, conversation_tags, conversations,
        identities, messages, notes, seen_conversations, sends, unread_messages, unseen_mentions,
    },
    sql::{greatest, insert},
    transaction::Flight,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = contacts)]
struct PersonRow {
    id: uuid::Uuid,
    searchable: String,
    channels: Vec<String>,
    last_active_at: Option<OffsetDateTime>,
    active_month: Option<Date>,
}

#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = conversations)]
struct ConversationRow {
    id: uuid::Uuid,
    channel_id: uuid::Uuid,
    status: String,
    announced: bool,
    version: i64,
    last_message_at: OffsetDateTime,
    created_at: OffsetDateTime,
    assigned_to: Option<uuid::Uuid>,
    group_id: Option<uuid::Uuid>,
    customer_wrote_at: Option<OffsetDateTime>,
    moved_at: Option<OffsetDateTime>,
    stamped_at: Option<OffsetDateTime>,
    waiting_since: Option<OffsetDateTime>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = contact_signals)]
struct SignalRow {
    contact_id: uuid::Uuid,
    channel_id: uuid::Uuid,
    kind: String,
    signal: serde_json::Value,
    at: OffsetDateTime,
}

/// A newest message whose network was not told that it is read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = unread_messages)]
struct UnreadRow {
    conversation_id: uuid::Uuid,
    message_id: uuid::Uuid,
    network_id_sealed: Vec<u8>,
}

pub(super) struct Absorption {
    workspace: WorkspaceId,
    survivor: uuid::Uuid,
    people: Vec<PersonRow>,
    conversations: Vec<ConversationRow>,
    signals: Vec<SignalRow>,
    unread: Vec<UnreadRow>,
}

impl Absorption {
    /// Locks the contacts' sends, the contacts and their conversations, in the order used everywhere.
    pub(super) async fn locked(
        connection: &AsyncPgConnection,
        workspace: WorkspaceId,
        met: &ContactMerge,
    ) -> QueryResult<Self> {
        let survivor = met.contact.id.uuid();
        let all: Vec<uuid::Uuid> =
            met.absorbed.iter().map(|contact| contact.uuid()).chain([survivor]).collect();
        let sent = sends::table
            .filter(sends::workspace_id.eq(workspace.uuid()))
            .filter(sends::contact_id.eq_any(all.clone()))
            .order(sends::id)
            .select(sends::id)
            .for_no_key_update()
            .load::<uuid::Uuid>(&mut { connection });
        let people = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::id.eq_any(all.clone()))
            .order(contacts::id)
            .select(PersonRow::as_select())
            .for_update()
            .load(&mut { connection });
        let conversations = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::contact_id.eq_any(all.clone()))
            .order(conversations::id)
            .select(ConversationRow::as_select())
            .for_update()
            .load(&mut { connection });
        let signals = contact_signals::table
            .filter(contact_signals::workspace_id.eq(workspace.uuid()))
            .filter(contact_signals::contact_id.eq_any(all.clone()))
            .select(SignalRow::as_select())
            .load(&mut { connection });
        let theirs = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::contact_id.eq_any(all))
            .select(conversations::id);
        let unread = unread_messages::table
            .filter(unread_messages::workspace_id.eq(workspace.uuid()))
            .filter(unread_messages::conversation_id.eq_any(theirs))
            .select(UnreadRow::as_select())
            .load(&mut { connection });
        let (_, people, conversations, signals, unread) =
            try_join5(sent, people, conversations, signals, unread).await?;
        Ok(Self { workspace, survivor, people, conversations, signals, unread })
    }

    pub(super) fn is_of(&self, met: &ContactMerge) -> bool {
        let is_there = |contact: &ContactId| self.people.iter().any(|person| person.id == contact.uuid());
        is_there(&met.contact.id) && met.absorbed.iter().all(is_there)
    }

    pub(super) fn conversations(&self) -> impl Iterator<Item = uuid::Uuid> {
        self.conversations.iter().map(|conversation| conversation.id)
    }

    pub(super) fn write(&self, flight: &mut Flight<'_>, database: &Database) {
        let (gone, kept) = one_for_each_channel(&self.conversations);
        for (gone, kept) in &gone {
            self.move_messages(flight, *gone, *kept);
            self.move_seen(flight, *gone, *kept);
        }
        self.move_unread(flight, database, &gone);
        for conversation in &kept {
            self.keep(flight, conversation);
        }
        for (gone, _) in gone {
            flight.add(
                diesel::delete(conversations::table)
                    .filter(conversations::workspace_id.eq(self.workspace.uuid()))
                    .filter(conversations::id.eq(gone)),
            );
        }
        self.move_people(flight);
        self.move_signals(flight);
        flight.add(
            diesel::delete(contacts::table)
                .filter(contacts::workspace_id.eq(self.workspace.uuid()))
                .filter(contacts::id.eq_any(self.gone())),
        );
        self.keep_activity(flight);
    }

    pub(super) fn uncount(&self, flight: &mut Flight<'_>) {
        let gone: Vec<(ContactId, &str)> = self
            .people
            .iter()
            .filter(|person| person.id != self.survivor)
            .map(|person| (person.id.into(), person.searchable.as_str()))
            .collect();
        uncount(flight, self.workspace, &gone);
    }

    fn gone(&self) -> Vec<uuid::Uuid> {
        self.people.iter().map(|person| person.id).filter(|id| *id != self.survivor).collect()
    }

    /// Moves messages, sends and tags to the conversation that stays, which also answers to the other's id.
    fn move_messages(&self, flight: &mut Flight<'_>, gone: uuid::Uuid, kept: uuid::Uuid) {
        let workspace = self.workspace.uuid();
        flight.add(
            diesel::update(messages::table)
                .filter(messages::workspace_id.eq(workspace))
                .filter(messages::conversation_id.eq(gone))
                .set(messages::conversation_id.eq(kept)),
        );
        flight.add(
            diesel::update(sends::table)
                .filter(sends::workspace_id.eq(workspace))
                .filter(sends::conversation_id.eq(gone))
                .set(sends::conversation_id.eq(kept)),
        );
        flight.add(
            diesel::update(notes::table)
                .filter(notes::workspace_id.eq(workspace))
                .filter(notes::conversation_id.eq(gone))
                .set(notes::conversation_id.eq(kept)),
        );
        // Every mention is of a member, and few are unseen: found by the notes of the one that stays.
        let of_notes = notes::table
            .filter(notes::workspace_id.eq(workspace))
            .filter(notes::conversation_id.eq(kept))
            .select(notes::id);
        flight.add(
            diesel::update(unseen_mentions::table)
                .filter(unseen_mentions::workspace_id.eq(workspace))
                .filter(unseen_mentions::note_id.eq_any(of_notes))
                .set(unseen_mentions::conversation_id.eq(kept)),
        );
        move_turn(flight, self.workspace, gone.into(), kept.into());
        move_consent(flight, self.workspace, gone.into(), kept.into());
        let tags = conversation_tags::table
            .filter(conversation_tags::workspace_id.eq(workspace))
            .filter(conversation_tags::conversation_id.eq(gone))
            .select((
                conversation_tags::workspace_id,
                kept.into_sql::<sql_types::Uuid>(),
                conversation_tags::tag,
                conversation_tags::folded,
            ));
        flight.add(
            diesel::insert_into(conversation_tags::table)
                .values(tags)
                .into_columns((
                    conversation_tags::workspace_id,
                    conversation_tags::conversation_id,
                    conversation_tags::tag,
                    conversation_tags::folded,
                ))
                .on_conflict_do_nothing(),
        );
        flight.add(
            diesel::update(conversation_aliases::table)
                .filter(conversation_aliases::workspace_id.eq(workspace))
                .filter(conversation_aliases::conversation_id.eq(gone))
                .set(conversation_aliases::conversation_id.eq(kept)),
        );
        flight.add(diesel::insert_into(conversation_aliases::table).values((
            conversation_aliases::workspace_id.eq(workspace),
            conversation_aliases::id.eq(gone),
            conversation_aliases::conversation_id.eq(kept),
        )));
    }

    /// Keeps for each member the later time up to which they have read either conversation.
    fn move_seen(&self, flight: &mut Flight<'_>, gone: uuid::Uuid, kept: uuid::Uuid) {
        let seen = seen_conversations::table
            .filter(seen_conversations::workspace_id.eq(self.workspace.uuid()))
            .filter(seen_conversations::conversation_id.eq(gone))
            .select((
                seen_conversations::workspace_id,
                seen_conversations::member_id,
                kept.into_sql::<sql_types::Uuid>(),
                seen_conversations::seen_at,
            ));
        let (kept_at, other) = (seen_conversations::seen_at, excluded(seen_conversations::seen_at));
        flight.add(
            diesel::insert_into(seen_conversations::table)
                .values(seen)
                .into_columns((
                    seen_conversations::workspace_id,
                    seen_conversations::member_id,
                    seen_conversations::conversation_id,
                    seen_conversations::seen_at,
                ))
                .on_conflict((
                    seen_conversations::workspace_id,
                    seen_conversations::member_id,
                    seen_conversations::conversation_id,
                ))
                .do_update()
                .set(seen_conversations::seen_at.eq(greatest(kept_at, other.nullable()))),
        );
    }

    /// Keeps the newest unread message of each conversation, sealed for its new place.
    fn move_unread(&self, flight: &mut Flight<'_>, database: &Database, gone: &[(uuid::Uuid, uuid::Uuid)]) {
        let into = |of: uuid::Uuid| gone.iter().find(|(gone, _)| *gone == of).map_or(of, |(_, kept)| *kept);
        let mut newest: BTreeMap<uuid::Uuid, &UnreadRow> = BTreeMap::new();
        for row in &self.unread {
            let known = newest.entry(into(row.conversation_id)).or_insert(row);
            if known.message_id < row.message_id {
                *known = row;
            }
        }
        let moved: Vec<(uuid::Uuid, uuid::Uuid, Vec<u8>)> = newest
            .into_iter()
            .filter(|(kept, row)| *kept != row.conversation_id)
            .filter_map(|(kept, row)| {
                Some((kept, row.message_id, row.sealed_for(self.workspace, database, kept)?))
            })
            .collect();
        flight.insert(
            insert(unread_messages::table, self.workspace, &moved)
                .column(unread_messages::conversation_id, |(kept, ..)| *kept)
                .column(unread_messages::message_id, |(_, message, _)| *message)
                .column(unread_messages::network_id_sealed, |(_, _, sealed)| sealed.as_slice())
                .or_change(unread_messages::conversation_id)
                .replacing(unread_messages::message_id)
                .replacing(unread_messages::network_id_sealed),
        );
    }

    fn keep(&self, flight: &mut Flight<'_>, kept: &ConversationRow) {
        flight.add(
            diesel::update(conversations::table)
                .filter(conversations::workspace_id.eq(self.workspace.uuid()))
                .filter(conversations::id.eq(kept.id))
                .set((
                    conversations::status.eq(kept.status.clone()),
                    conversations::assigned_to.eq(kept.assigned_to),
                    conversations::group_id.eq(kept.group_id),
                    conversations::announced.eq(kept.announced),
                    conversations::version.eq(kept.version),
                    conversations::last_message_at.eq(kept.last_message_at),
                    conversations::customer_wrote_at.eq(kept.customer_wrote_at),
                    conversations::moved_at.eq(kept.moved_at),
                    conversations::stamped_at.eq(kept.stamped_at),
                    conversations::waiting_since.eq(kept.waiting_since),
                )),
        );
    }

    fn move_people(&self, flight: &mut Flight<'_>) {
        let (workspace, survivor, gone) = (self.workspace.uuid(), self.survivor, self.gone());
        flight.add(
            diesel::update(conversations::table)
                .filter(conversations::workspace_id.eq(workspace))
                .filter(conversations::contact_id.eq_any(gone.clone()))
                .set(conversations::contact_id.eq(survivor)),
        );
        flight.add(
            diesel::update(sends::table)
                .filter(sends::workspace_id.eq(workspace))
                .filter(sends::contact_id.eq_any(gone.clone()))
                .set(sends::contact_id.eq(survivor)),
        );
        flight.add(
            diesel::update(identities::table)
                .filter(identities::workspace_id.eq(workspace))
                .filter(identities::contact_id.eq_any(gone.clone()))
                .set(identities::contact_id.eq(survivor)),
        );
        flight.add(
            diesel::update(contact_aliases::table)
                .filter(contact_aliases::workspace_id.eq(workspace))
                .filter(contact_aliases::contact_id.eq_any(gone.clone()))
                .set(contact_aliases::contact_id.eq(survivor)),
        );
        flight.insert(
            insert(contact_aliases::table, self.workspace, &gone)
                .column(contact_aliases::id, |gone| *gone)
                .column(contact_aliases::contact_id, |_| survivor)
                .returning(contact_aliases::id),
        );
    }

    /// Keeps the latest signal of each kind.
    fn move_signals(&self, flight: &mut Flight<'_>) {
        let mut latest: BTreeMap<(uuid::Uuid, &str), &SignalRow> = BTreeMap::new();
        let (own, others): (Vec<_>, Vec<_>) =
            self.signals.iter().partition(|signal| signal.contact_id == self.survivor);
        for signal in own.into_iter().chain(others) {
            let known = latest.entry((signal.channel_id, &signal.kind)).or_insert(signal);
            if known.at < signal.at {
                *known = signal;
            }
        }
        let moved: Vec<&SignalRow> =
            latest.into_values().filter(|signal| signal.contact_id != self.survivor).collect();
        flight.add(
            diesel::delete(contact_signals::table)
                .filter(contact_signals::workspace_id.eq(self.workspace.uuid()))
                .filter(contact_signals::contact_id.eq_any(self.gone())),
        );
        flight.insert(
            insert(contact_signals::table, self.workspace, &moved)
                .column(contact_signals::contact_id, |_| self.survivor)
                .column(contact_signals::channel_id, |signal| signal.channel_id)
                .column(contact_signals::kind, |signal| signal.kind.as_str())
                .column(contact_signals::signal, |signal| &signal.signal)
                .column(contact_signals::at, |signal| signal.at)
                .or_change(contact_signals::contact_id)
                .or_change(contact_signals::channel_id)
                .or_change(contact_signals::kind)
                .replacing(contact_signals::signal)
                .replacing(contact_signals::at)
                .unless_later(contact_signals::at),
        );
    }

    /// Combines the contacts' channels, and keeps their latest activity.
    fn keep_activity(&self, flight: &mut Flight<'_>) {
        let channels: BTreeSet<&String> = self.people.iter().flat_map(|person| &person.channels).collect();
        flight.add(
            diesel::update(contacts::table)
                .filter(contacts::workspace_id.eq(self.workspace.uuid()))
                .filter(contacts::id.eq(self.survivor))
                .set((
                    contacts::channels.eq(channels.into_iter().cloned().collect::<Vec<_>>()),
                    contacts::last_active_at.eq(self
                        .people
                        .iter()
                        .filter_map(|person| person.last_active_at)
                        .max()),
                    contacts::active_month.eq(self
                        .people
                        .iter()
                        .filter_map(|person| person.active_month)
                        .max()),
                )),
        );
    }
}

impl UnreadRow {
    /// Reseals the network's id for the conversation that stays; empty if receipts name no message. `None` if
    /// it cannot be opened, so that no receipt is sent.
    fn sealed_for(&self, workspace: WorkspaceId, database: &Database, kept: uuid::Uuid) -> Option<Vec<u8>> {
        if self.network_id_sealed.is_empty() {
            return Some(Vec::new());
        }
        let place = |conversation: uuid::Uuid| places::unread_message(workspace, conversation.into());
        let id = database.vault.open(&self.network_id_sealed, &place(self.conversation_id)).ok()?;
        database.vault.seal(&id, &place(kept)).ok()
    }
}

/// Decides which of several conversations over one connection stays, namely the oldest. Returns those that
/// go, each with the one it is merged into, and the resulting rows of those that stay.
fn one_for_each_channel(all: &[ConversationRow]) -> (Vec<(uuid::Uuid, uuid::Uuid)>, Vec<ConversationRow>) {
    let mut all = all.to_vec();
    all.sort_by_key(|conversation| (conversation.created_at, conversation.id));
    let (mut gone, mut kept): (Vec<(uuid::Uuid, uuid::Uuid)>, Vec<ConversationRow>) =
        (Vec::new(), Vec::new());
    for conversation in all {
        match kept.iter_mut().find(|kept| kept.channel_id == conversation.channel_id) {
            Some(kept) => {
                gone.push((conversation.id, kept.id));
                kept.take_in(conversation);
            }
            None => kept.push(conversation),
        }
    }
    kept.retain(|kept| gone.iter().any(|(_, into)| *into == kept.id));
    (gone, kept)
}

impl ConversationRow {
    /// Merges another conversation into this one. The state of the one that is still attended to wins.
    fn take_in(&mut self, gone: Self) {
        let is = |row: &Self, status: ConversationStatus| row.status == status.as_str();
        let attended = is(self, ConversationStatus::Closed) && !is(&gone, ConversationStatus::Closed)
            || is(self, ConversationStatus::Bot) && is(&gone, ConversationStatus::Open);
        if attended {
            self.status = gone.status;
            self.assigned_to = gone.assigned_to;
            self.group_id = gone.group_id.or(self.group_id);
        } else {
            self.group_id = self.group_id.or(gone.group_id);
        }
        self.announced |= gone.announced;
        self.version = self.version.max(gone.version).saturating_add(1);
        self.last_message_at = self.last_message_at.max(gone.last_message_at);
        self.customer_wrote_at = self.customer_wrote_at.max(gone.customer_wrote_at);
        self.moved_at = self.moved_at.max(gone.moved_at);
        self.stamped_at = self.stamped_at.max(gone.stamped_at);
        // The customer waits until both are answered.
        self.waiting_since = [self.waiting_since, gone.waiting_since].into_iter().flatten().min();
    }
}
