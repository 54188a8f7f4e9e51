//! Recording of a batch of updates in one transaction.

use std::collections::BTreeMap;

use diesel::{
    QueryResult,
    dsl::exists,
    result::{DatabaseErrorKind, Error},
    sql_types::{Bool, Nullable, Timestamptz},
};
use diesel_async::AsyncPgConnection;
use domain::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    inbound::{Active, ConversationChange, InboxBatch, Mark, NewContact},
    live::LiveKind,
    messages::{Message, Role},
    workspaces::Month,
};
use futures_util::future::try_join5;

use super::{merge::recorded_at, settle::held};
use crate::{
    assistant::{Spoken, answering_assistant, customers_waited, people_spoke},
    attachments::{AwaitedFile, attach_files},
    automations::{SetOff, rules_in_force, set_off},
    broadcasts::{self, MarkKind},
    consent::{CustomerWrote, customers_wrote},
    contacts::{count, searchable, with_contact},
    conversations::wrote as conversations_wrote,
    error::failed,
    inbound::PgInbound,
    live::tell,
    schema::{contacts, conversations, identities, messages},
    sql::{RunQueryDsl, insert, storable, update},
    stored::searchable_words,
    transaction::{Flight, Transaction},
    webhooks::{PendingDelivery, Subscriber, enqueue, subscribers},
};

pub(super) struct Locked {
    marked: Vec<(uuid::Uuid, uuid::Uuid)>,
    pub(super) subscribers: Vec<Subscriber>,
    has_rules: bool,
    has_assistant: bool,
    answered: broadcasts::Counts,
}

impl PgInbound {
    pub(super) fn write_batch(
        &self,
        flight: &mut Flight<'_>,
        workspace: WorkspaceId,
        batch: &InboxBatch,
        locked: &Locked,
        files: &[AwaitedFile],
        deliveries: &[PendingDelivery],
    ) {
        let new: Vec<_> =
            batch.conversations.iter().filter(|change| change.before_version.is_none()).collect();
        add_people(flight, workspace, &batch.new_contacts);
        add_conversations(flight, workspace, &new);
        self.add_messages(flight, workspace, batch);
        attach_files(flight, workspace, files);
        if locked.has_rules {
            set_off(flight, workspace, &may_set_off(batch));
        }
        conversations_wrote(flight, &self.database, workspace, batch);
        customers_wrote(flight, workspace, &written_to(batch));
        locked.answered.write(flight, workspace);
        if locked.has_assistant {
            customers_waited(flight, workspace, &spoken_by(batch, Spoke::Customer));
            people_spoke(flight, workspace, &spoken_by(batch, Spoke::Others));
        }
        let about = |message: &domain::inbound::NewMessage| {
            (Some(message.message.conversation), Some(message.message.id))
        };
        let recorded: Vec<_> = batch.messages.iter().map(about).collect();
        tell(flight, workspace, LiveKind::MessageRecorded, &recorded);
        let marked: Vec<_> = locked
            .marked
            .iter()
            .map(|(conversation, id)| (Some((*conversation).into()), Some((*id).into())))
            .collect();
        tell(flight, workspace, LiveKind::MessageChanged, &marked);
        enqueue(flight, workspace, deliveries);
        count_people(flight, workspace, &batch.new_contacts);
    }

    /// Takes the updates out of the journal, locks and changes the known rows, and reads what the rest needs.
    /// `None` if anything has changed meanwhile.
    pub(super) async fn lock(
        &self,
        transaction: &Transaction,
        workspace: WorkspaceId,
        batch: &InboxBatch,
    ) -> QueryResult<Option<Locked>> {
        let known: Vec<_> =
            batch.conversations.iter().filter(|change| change.before_version.is_some()).collect();
        let mut guards = transaction.flight();
        if !batch.done.is_empty() {
            guards.add(diesel::delete(held(workspace, self.holder(), &batch.done)));
        }
        add_activity(&mut guards, workspace, batch);
        add_moves(&mut guards, workspace, &known);
        let marked = async {
            if batch.marks.is_empty() {
                return Ok(Vec::new());
            }
            mark(transaction, workspace, &batch.marks).await
        };
        let subscribers = async {
            if batch.events.is_empty() {
                return Ok(Vec::new());
            }
            subscribers(transaction, workspace, &batch.events).await
        };
        let looks = async {
            if batch.messages.is_empty() {
                return Ok((false, false));
            }
            let rules = exists(rules_in_force(workspace));
            let assistant = exists(answering_assistant(workspace));
            diesel::select((rules, assistant)).get_result::<(bool, bool)>(&mut { &**transaction }).await
        };
        let wrote = wrote_over_whatsapp(batch);
        let answered = broadcasts::answered(transaction, workspace, &wrote, batch.at);
        let flight = try_join5(guards.counts(), marked, subscribers, looks, answered);
        let (counts, marked, subscribers, (has_rules, has_assistant), answered) =
            transaction.begin_with(flight).await?;
        if counts.iter().sum::<usize>() != batch.done.len() + batch.active.len() + known.len() {
            return Ok(None);
        }
        let answered =
            broadcasts::mark(transaction, workspace, MarkKind::Answered, answered, batch.at).await?;
        Ok(Some(Locked { marked, subscribers, has_rules, has_assistant, answered }))
    }

    fn add_messages(&self, flight: &mut Flight<'_>, workspace: WorkspaceId, batch: &InboxBatch) {
        flight.insert(
            insert(messages::table, workspace, &batch.messages)
                .column(messages::id, |new| new.message.id.uuid())
                .column(messages::conversation_id, |new| new.message.conversation.uuid())
                .column(messages::role, |new| new.message.role.as_str())
                .column(messages::sender_id, |new| new.message.sender_id.as_deref())
                .column(messages::content, |new| storable(&new.message.content))
                .column(messages::searchable, |new| Some(searchable_words(&new.message.content, None)))
                .column(messages::context, |new| {
                    (!new.message.context.is_empty()).then(|| serde_json::json!(new.message.context))
                })
                .column(messages::network_id_hash, |new| Some(self.database.network_id_hash(&new.network_id)))
                .column(messages::created_at, |new| new.message.created_at)
                .column(messages::sent_at, |new| new.message.sent_at)
                .returning(messages::id),
        );
    }
}

/// Returns the known contacts who wrote over the network of broadcasts.
fn wrote_over_whatsapp(batch: &InboxBatch) -> Vec<ContactId> {
    let network = ChannelKind::Whatsapp.as_str();
    let wrote = batch.active.iter().filter(|active| active.activity.wrote_from.contains(network));
    wrote.map(|active| active.contact).collect()
}

fn add_activity(flight: &mut Flight<'_>, workspace: WorkspaceId, batch: &InboxBatch) {
    let mut active: Vec<&Active> = batch.active.iter().collect();
    active.sort_unstable_by_key(|active| active.contact);
    let month = Month::of(batch.at).first_day();
    flight.update(
        update(contacts::table, workspace, &active)
            .key(contacts::id, |active| active.contact.uuid())
            .set_greatest(contacts::active_month, |_| Some(month))
            .set_greatest(contacts::last_active_at, |active| active.activity.wrote_at)
            .set_list_to(
                contacts::channels,
                |active| active.activity.wrote_from.iter().copied().collect(),
                r"CASE WHEN contacts.channels @> string_to_array(new.channels, E'\x1f') THEN contacts.channels
                 ELSE ARRAY(SELECT unnest(contacts.channels)
                            UNION SELECT unnest(string_to_array(new.channels, E'\x1f'))) END",
            ),
    );
}

fn add_moves(flight: &mut Flight<'_>, workspace: WorkspaceId, known: &[&ConversationChange]) {
    let mut known = known.to_vec();
    known.sort_unstable_by_key(|change| change.conversation.id);
    flight.update(
        update(conversations::table, workspace, &known)
            .key(conversations::id, |change| change.conversation.id.uuid())
            .guard(conversations::version, |change| change.before_version.unwrap_or_default())
            .set(conversations::status, |change| change.conversation.status.as_str())
            .set(conversations::announced, |change| change.conversation.announced)
            .set(conversations::version, |change| change.conversation.version)
            .set_greatest(conversations::last_message_at, |change| change.conversation.last_message_at)
            .set_greatest(conversations::customer_wrote_at, |change| change.customer_wrote_at)
            .set_greatest(conversations::stamped_at, |change| change.conversation.stamped_at)
            .set_to(
                conversations::waiting_since,
                |change| change.waiting.since,
                "CASE WHEN new.answered THEN new.waiting_since
                 ELSE coalesce(conversations.waiting_since, new.waiting_since) END",
            )
            .value::<Bool, _>("answered", |change| change.waiting.answered)
            .value::<Nullable<Timestamptz>, _>("first_stamp", |change| change.first_stamp)
            .when("(conversations.stamped_at >= new.first_stamp) IS NOT TRUE"),
    );
}

/// Marks messages. The latest mark of each kind wins, by the network's clock.
fn mark<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    marks: &[Mark],
) -> impl Future<Output = QueryResult<Vec<(uuid::Uuid, uuid::Uuid)>>> + Send + use<'c> {
    update(messages::table, workspace, marks)
        .key(messages::id, |mark| mark.message.uuid())
        .set_to(
            messages::reaction,
            |mark| mark.reaction.as_ref().and_then(|(reaction, _)| reaction.as_deref().map(storable)),
            "CASE WHEN new.reacted_at >= coalesce(messages.reacted_at, '-infinity')
             THEN new.reaction ELSE messages.reaction END",
        )
        .set_greatest(messages::reacted_at, |mark| mark.reaction.as_ref().map(|(_, at)| *at))
        .set_to(
            messages::content,
            |mark| mark.edited.as_ref().map(|(words, _)| storable(words)).unwrap_or_default(),
            "CASE WHEN new.edited_at >= coalesce(messages.edited_at, '-infinity')
             THEN new.content ELSE messages.content END",
        )
        .set_greatest(messages::edited_at, |mark| mark.edited.as_ref().map(|(_, at)| *at))
        .set_to(
            messages::searchable,
            |_| None::<&str>,
            "CASE WHEN new.edited_at IS NULL AND new.deleted_at IS NULL THEN messages.searchable END",
        )
        .set_to(messages::deleted_at, |mark| mark.deleted_at, "coalesce(messages.deleted_at, new.deleted_at)")
        .returning((messages::conversation_id, messages::id))
        .load(&mut { connection })
}

fn add_people(flight: &mut Flight<'_>, workspace: WorkspaceId, people: &[NewContact]) {
    flight.insert(
        with_contact(insert(contacts::table, workspace, people), |new| &new.contact)
            .column(contacts::avatar_url, |new| new.avatar_url.as_deref().map(storable))
            .column(contacts::active_month, |new| Some(Month::of(new.contact.created_at).first_day()))
            .column(contacts::last_active_at, |new| new.activity.wrote_at)
            .list(contacts::channels, |new| new.activity.wrote_from.iter().copied().collect())
            .column(contacts::searchable, found_by)
            .returning(contacts::id),
    );
    let tied: Vec<_> =
        people.iter().flat_map(|new| new.identities.iter().map(move |identity| (identity, new))).collect();
    flight.insert(
        insert(identities::table, workspace, &tied)
            .column(identities::kind, |(identity, _)| identity.kind())
            .column(identities::value, |(identity, _)| identity.value())
            .column(identities::contact_id, |(_, new)| new.contact.id.uuid())
            .column(identities::recorded_at, |(identity, new)| {
                recorded_at(new.lesser.contains(*identity), new.contact.created_at)
            })
            .column(identities::profile_due_at, |(identity, new)| {
                identity.names_when_asked().then_some(new.contact.created_at)
            })
            .returning(identities::contact_id),
    );
}

fn found_by(new: &NewContact) -> String {
    searchable(new.contact.name.as_deref(), new.contact.phone.as_ref())
}

fn count_people(flight: &mut Flight<'_>, workspace: WorkspaceId, people: &[NewContact]) {
    let people: Vec<_> = people.iter().map(|new| (new.contact.id, found_by(new))).collect();
    count(flight, workspace, &people);
}

fn add_conversations(flight: &mut Flight<'_>, workspace: WorkspaceId, new: &[&ConversationChange]) {
    flight.insert(
        insert(conversations::table, workspace, new)
            .column(conversations::id, |change| change.conversation.id.uuid())
            .column(conversations::contact_id, |change| change.conversation.contact.uuid())
            .column(conversations::channel_id, |change| change.conversation.channel.uuid())
            .column(conversations::channel, |change| change.conversation.channel_kind.as_str())
            .column(conversations::status, |change| change.conversation.status.as_str())
            .column(conversations::announced, |change| change.conversation.announced)
            .column(conversations::version, |change| change.conversation.version)
            .column(conversations::last_message_at, |change| change.conversation.last_message_at)
            .column(conversations::created_at, |change| change.conversation.created_at)
            .column(conversations::customer_wrote_at, |change| change.customer_wrote_at)
            .column(conversations::stamped_at, |change| change.conversation.stamped_at)
            .column(conversations::waiting_since, |change| change.waiting.since)
            .returning(conversations::id),
    );
}

/// Each conversation once, in the order in which drafts are locked everywhere.
fn written_to(batch: &InboxBatch) -> Vec<CustomerWrote> {
    let spoken = spoken_by(batch, Spoke::Customer).into_iter();
    spoken.map(|Spoken { conversation, at }| CustomerWrote { conversation, at }).collect()
}

/// The author of a message, as far as it matters to whoever would answer it here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spoke {
    Customer,
    /// The team, or a customer whose conversation another app holds, so that nothing here answers it.
    Others,
}

impl Spoke {
    fn of(message: &Message) -> Self {
        let is_ours = message.role == Role::Customer && !message.context.held_elsewhere;
        if is_ours { Self::Customer } else { Self::Others }
    }
}

/// Returns the time of the last message by such an author in each conversation, in order.
fn spoken_by(batch: &InboxBatch, spoke: Spoke) -> Vec<Spoken> {
    let mut latest = BTreeMap::new();
    for new in batch.messages.iter().filter(|new| Spoke::of(&new.message) == spoke) {
        let at = latest.entry(new.message.conversation).or_insert(new.message.created_at);
        *at = new.message.created_at.max(*at);
    }
    latest.into_iter().map(|(conversation, at)| Spoken { conversation, at }).collect()
}

fn may_set_off(batch: &InboxBatch) -> Vec<SetOff> {
    let from_customers = batch.messages.iter().filter(|new| Spoke::of(&new.message) == Spoke::Customer);
    from_customers
        .map(|new| SetOff { message: new.message.id, began: new.began, created_at: new.message.created_at })
        .collect()
}

/// Another process recorded or merged this person, conversation or message meanwhile.
pub(crate) fn raced(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(
            DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
            _,
        ) => StoreError::Stale,
        error => failed(error),
    }
}
