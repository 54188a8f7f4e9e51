//! Merging of contacts that turn out to be one person: everything of the others moves to the one that stays.

use diesel::{
    ExpressionMethods, IntoSql, NullableExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper, result::Error, sql_types, upsert::excluded,
};
use diesel_async::AsyncPgConnection;
use domain::{
    contacts::{ContactActivity, MergedSignal, merge_activity, signals_to_move},
    conversation::ConversationStatus,
    conversations::{ConversationMerge, MergedConversation, merge},
    ids::{ContactId, ConversationId, GroupId, MemberId, WorkspaceId},
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
    sql::{RunQueryDsl, greatest, insert},
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

#[derive(Queryable, Selectable)]
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
    conversations: Vec<uuid::Uuid>,
    merge: ConversationMerge,
    signals: Vec<MergedSignal<serde_json::Value>>,
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
            .load::<ConversationRow>(&mut { connection });
        let signals = contact_signals::table
            .filter(contact_signals::workspace_id.eq(workspace.uuid()))
            .filter(contact_signals::contact_id.eq_any(all.clone()))
            .select(SignalRow::as_select())
            .load::<SignalRow>(&mut { connection });
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
        let ids = conversations.iter().map(|conversation| conversation.id).collect();
        let conversations: QueryResult<Vec<_>> =
            conversations.into_iter().map(ConversationRow::read).collect();
        Ok(Self {
            workspace,
            survivor,
            people,
            conversations: ids,
            merge: merge(conversations?),
            signals: signals.into_iter().map(SignalRow::read).collect(),
            unread,
        })
    }

    pub(super) fn is_of(&self, met: &ContactMerge) -> bool {
        let is_there = |contact: &ContactId| self.people.iter().any(|person| person.id == contact.uuid());
        is_there(&met.contact.id) && met.absorbed.iter().all(is_there)
    }

    pub(super) fn conversations(&self) -> impl Iterator<Item = uuid::Uuid> {
        self.conversations.iter().copied()
    }

    pub(super) fn write(&self, flight: &mut Flight<'_>, database: &Database) {
        for (gone, kept) in &self.merge.gone {
            self.move_messages(flight, *gone, *kept);
            self.move_seen(flight, gone.uuid(), kept.uuid());
        }
        self.move_unread(flight, database);
        for conversation in &self.merge.kept {
            self.keep(flight, conversation);
        }
        for (gone, _) in &self.merge.gone {
            flight.add(
                diesel::delete(conversations::table)
                    .filter(conversations::workspace_id.eq(self.workspace.uuid()))
                    .filter(conversations::id.eq(gone.uuid())),
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
    fn move_messages(&self, flight: &mut Flight<'_>, from: ConversationId, to: ConversationId) {
        let (workspace, gone, kept) = (self.workspace.uuid(), from.uuid(), to.uuid());
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
        move_turn(flight, self.workspace, from, to);
        move_consent(flight, self.workspace, from, to);
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

    /// Writes the newest unread message of each conversation, sealed for its new place.
    fn move_unread(&self, flight: &mut Flight<'_>, database: &Database) {
        let unread = self.unread.iter().map(|row| (row.conversation_id.into(), row.message_id.into()));
        let newest = self.merge.newest_unread(unread).into_iter();
        let moved: Vec<(uuid::Uuid, uuid::Uuid, Vec<u8>)> = newest
            .filter_map(|(kept, message)| {
                let row = self.unread.iter().find(|row| row.message_id == message.uuid())?;
                let is_moved = row.conversation_id != kept.uuid();
                let sealed = is_moved.then(|| row.sealed_for(self.workspace, database, kept.uuid()))??;
                Some((kept.uuid(), row.message_id, sealed))
            })
            .collect();
        flight.insert(
            insert(unread_messages::table, self.workspace, &moved)
                .column(unread_messages::conversation_id, |(kept, ..)| *kept)
                .column(unread_messages::message_id, |(_, message, _)| *message)
                .column(unread_messages::network_id_sealed, |(_, _, sealed)| sealed.as_slice())
                .on_conflict((unread_messages::conversation_id,))
                .set_excluded(unread_messages::message_id)
                .set_excluded(unread_messages::network_id_sealed),
        );
    }

    fn keep(&self, flight: &mut Flight<'_>, kept: &MergedConversation) {
        flight.add(
            diesel::update(conversations::table)
                .filter(conversations::workspace_id.eq(self.workspace.uuid()))
                .filter(conversations::id.eq(kept.id.uuid()))
                .set((
                    conversations::status.eq(kept.status.as_str()),
                    conversations::assigned_to.eq(kept.assigned_to.map(MemberId::uuid)),
                    conversations::group_id.eq(kept.group.map(GroupId::uuid)),
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

    /// Writes the signals that the survivor gets, and deletes those of the others.
    fn move_signals(&self, flight: &mut Flight<'_>) {
        let moved = signals_to_move(self.survivor.into(), &self.signals);
        flight.add(
            diesel::delete(contact_signals::table)
                .filter(contact_signals::workspace_id.eq(self.workspace.uuid()))
                .filter(contact_signals::contact_id.eq_any(self.gone())),
        );
        flight.insert(
            insert(contact_signals::table, self.workspace, &moved)
                .column(contact_signals::contact_id, |_| self.survivor)
                .column(contact_signals::channel_id, |signal| signal.channel.uuid())
                .column(contact_signals::kind, |signal| signal.kind.as_str())
                .column(contact_signals::signal, |signal| &signal.signal)
                .column(contact_signals::at, |signal| signal.at)
                .on_conflict((
                    contact_signals::contact_id,
                    contact_signals::channel_id,
                    contact_signals::kind,
                ))
                .set_excluded(contact_signals::signal)
                .set_excluded(contact_signals::at)
                .where_not_later(contact_signals::at),
        );
    }

    fn keep_activity(&self, flight: &mut Flight<'_>) {
        let activity = merge_activity(self.people.iter().map(PersonRow::activity));
        flight.add(
            diesel::update(contacts::table)
                .filter(contacts::workspace_id.eq(self.workspace.uuid()))
                .filter(contacts::id.eq(self.survivor))
                .set((
                    contacts::channels.eq(Vec::from_iter(activity.networks)),
                    contacts::last_active_at.eq(activity.last_active_at),
                    contacts::active_month.eq(activity.active_month),
                )),
        );
    }
}

impl PersonRow {
    fn activity(&self) -> ContactActivity {
        ContactActivity {
            networks: self.channels.iter().cloned().collect(),
            last_active_at: self.last_active_at,
            active_month: self.active_month,
        }
    }
}

impl ConversationRow {
    fn read(self) -> QueryResult<MergedConversation> {
        let status = ConversationStatus::read(&self.status);
        Ok(MergedConversation {
            id: self.id.into(),
            channel: self.channel_id.into(),
            status: status.ok_or_else(|| Error::DeserializationError("status".into()))?,
            assigned_to: self.assigned_to.map(Into::into),
            group: self.group_id.map(Into::into),
            announced: self.announced,
            version: self.version,
            created_at: self.created_at,
            last_message_at: self.last_message_at,
            customer_wrote_at: self.customer_wrote_at,
            moved_at: self.moved_at,
            stamped_at: self.stamped_at,
            waiting_since: self.waiting_since,
        })
    }
}

impl SignalRow {
    fn read(self) -> MergedSignal<serde_json::Value> {
        MergedSignal {
            contact: self.contact_id.into(),
            channel: self.channel_id.into(),
            kind: self.kind,
            at: self.at,
            signal: self.signal,
        }
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
