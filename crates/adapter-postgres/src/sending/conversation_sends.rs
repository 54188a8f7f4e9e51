//! Settlement of sends that leave a contact, a conversation and a message in the inbox.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult,
    sql_types::{Nullable, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    live::LiveKind,
};
use futures_util::future::try_join4;
use time::{Date, OffsetDateTime};

use super::accepted::{Accepted, ConversationSend, SettleOutcome, SettleOutcomes, hearing, raced, settle};
use crate::{
    assistant::{Spoken, people_spoke},
    contacts::{count, with_contact},
    live::tell,
    schema::{contacts, conversations, messages, plan_reservations, sends},
    sending::PgSends,
    sql::{RunQueryDsl, first_and_last, insert, update},
    stored::searchable_words,
    transaction::{Flight, Transaction},
    webhooks::Subscriber,
};

struct Locked {
    in_flight: HashSet<uuid::Uuid>,
    /// Contacts that may not yet be active in the month of their sends.
    moving: HashSet<uuid::Uuid>,
    /// Latest time stamped on something in each conversation.
    conversations: HashMap<uuid::Uuid, Option<OffsetDateTime>>,
    subscribers: Vec<Subscriber>,
}

impl PgSends {
    /// Settles the sends of a batch that are in flight and whose contacts and conversations have not changed
    /// since they were read. Of two sends that create the same contact or conversation, one is settled, and
    /// the other is decided again.
    ///
    /// Rows are locked in the order used everywhere: sends, contacts, conversations, each by its key.
    pub(super) async fn settle_in_conversations(
        &self,
        workspace: WorkspaceId,
        batch: &[&Accepted],
    ) -> Result<SettleOutcomes, StoreError> {
        let transaction = self.database.transaction().await?;
        let recorded: Vec<ConversationSend<'_>> =
            batch.iter().filter_map(|accepted| ConversationSend::of(accepted)).collect();
        let locked = lock(&transaction, workspace, &recorded).await.map_err(raced)?;
        let mut settled = SettleOutcomes::new();
        let mut taken = Taken::default();
        let mut fit: Vec<ConversationSend<'_>> = Vec::new();
        for send in recorded {
            if !locked.in_flight.contains(&send.id()) {
                continue;
            }
            let fits = locked.fits(&send) && taken.takes(&send);
            let outcome = if fits { SettleOutcome::Now } else { SettleOutcome::Stale };
            settled.insert(send.accepted.send.result.id, outcome);
            fit.extend(fits.then_some(send));
        }
        if fit.is_empty() {
            return Ok(settled);
        }
        let mut flight = transaction.flight();
        add_contacts(&mut flight, workspace, &fit);
        move_contacts(&mut flight, workspace, &locked.moving, &fit);
        add_conversations(&mut flight, workspace, &fit);
        move_conversations(&mut flight, workspace, &fit);
        add_messages(&mut flight, workspace, &fit);
        give_places_back(&mut flight, workspace, &fit);
        let sent: Vec<&Accepted> = fit.iter().map(|send| send.accepted).collect();
        flight.update(settle(workspace, &sent, ConversationSend::of));
        people_spoke(&mut flight, workspace, &templates_of_members(&fit));
        let about = |send: &ConversationSend<'_>| {
            (Some(send.effect.conversation.id), Some(send.accepted.send.result.id))
        };
        let about: Vec<_> = fit.iter().map(about).collect();
        tell(&mut flight, workspace, LiveKind::MessageRecorded, &about);
        self.announce(&mut flight, workspace, &locked.subscribers, sent.iter().copied())?;
        let new = fit.iter().filter(|send| send.effect.contact_is_new);
        let new: Vec<_> = new.map(|send| (send.effect.contact.id, send.searchable())).collect();
        count(&mut flight, workspace, &new);
        transaction.commit_with(flight.counts()).await.map_err(raced)?;
        Ok(settled)
    }
}

/// Returns where members have spoken by a template. Their replies were noted when those began.
fn templates_of_members(recorded: &[ConversationSend<'_>]) -> Vec<Spoken> {
    let by_member = recorded.iter().filter(|send| {
        let message = &send.effect.message;
        message.meta.is_some() && message.sender_id.is_some()
    });
    let spoken: BTreeMap<_, _> =
        by_member.map(|send| (send.effect.conversation.id, send.effect.message.created_at)).collect();
    spoken.into_iter().map(|(conversation, at)| Spoken { conversation, at }).collect()
}

async fn lock(
    transaction: &Transaction,
    workspace: WorkspaceId,
    recorded: &[ConversationSend<'_>],
) -> QueryResult<Locked> {
    let sends = lock_sends(transaction, workspace, recorded);
    let contacts = lock_contacts(transaction, workspace, recorded);
    let conversations = lock_conversations(transaction, workspace, recorded);
    let batch: Vec<&Accepted> = recorded.iter().map(|send| send.accepted).collect();
    let hearing = hearing(transaction, workspace, &batch);
    let (sends, contacts, conversations, subscribers) =
        transaction.begin_with(try_join4(sends, contacts, conversations, hearing)).await?;
    Ok(Locked {
        in_flight: sends.into_iter().collect(),
        moving: contacts.into_iter().collect(),
        conversations: conversations.into_iter().collect(),
        subscribers,
    })
}

async fn lock_sends(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    recorded: &[ConversationSend<'_>],
) -> QueryResult<Vec<uuid::Uuid>> {
    let ids: Vec<_> = recorded.iter().map(ConversationSend::id).collect();
    let Some((first, last)) = first_and_last(ids.iter().copied()) else { return Ok(Vec::new()) };
    sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.between(first, last))
        .filter(sends::id.eq_any(ids))
        .filter(sends::state.eq("in_flight"))
        .order(sends::id)
        .select(sends::id)
        .for_update()
        .load(&mut connection)
        .await
}

/// Locks the known contacts that were not active in the month of their sends.
async fn lock_contacts(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    recorded: &[ConversationSend<'_>],
) -> QueryResult<Vec<uuid::Uuid>> {
    let known = recorded.iter().filter(|send| !send.effect.contact_is_new);
    let Some(month) = known.clone().map(ConversationSend::month).max() else { return Ok(Vec::new()) };
    let ids: BTreeSet<_> = known.map(|send| send.effect.contact.id.uuid()).collect();
    contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq_any(Vec::from_iter(ids)))
        .filter(contacts::active_month.is_null().or(contacts::active_month.lt(month)))
        .order(contacts::id)
        .select(contacts::id)
        .for_no_key_update()
        .load(&mut connection)
        .await
}

/// Locks the known conversations, and loads the latest time stamped on something in each.
async fn lock_conversations(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    recorded: &[ConversationSend<'_>],
) -> QueryResult<Vec<(uuid::Uuid, Option<OffsetDateTime>)>> {
    let known = recorded.iter().filter(|send| !send.effect.conversation_is_new);
    let ids: BTreeSet<_> = known.map(|send| send.effect.conversation.id.uuid()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq_any(Vec::from_iter(ids)))
        .order(conversations::id)
        .select((conversations::id, conversations::stamped_at))
        .for_no_key_update()
        .load(&mut connection)
        .await
}

impl Locked {
    /// Whether the conversation, unless it is new, still exists without a later stamp. Foreign keys ensure
    /// that the contact still exists.
    fn fits(&self, send: &ConversationSend<'_>) -> bool {
        let effect = send.effect;
        effect.conversation_is_new
            || self.conversations.get(&effect.conversation.id.uuid()).is_some_and(|stamped_at| {
                stamped_at.is_none_or(|stamped_at| stamped_at < effect.message.created_at)
            })
    }
}

#[derive(Default)]
struct Taken {
    phones: HashSet<String>,
    conversations: HashSet<(uuid::Uuid, uuid::Uuid)>,
    times: HashSet<(ConversationId, OffsetDateTime)>,
}

impl Taken {
    fn takes(&mut self, send: &ConversationSend<'_>) -> bool {
        let effect = send.effect;
        let phone = effect.contact.phone.as_ref().filter(|_| effect.contact_is_new);
        let conversation = (effect.contact.id.uuid(), effect.conversation.channel.uuid());
        phone.is_none_or(|phone| self.phones.insert(phone.as_str().to_owned()))
            && (!effect.conversation_is_new || self.conversations.insert(conversation))
            && self.times.insert((effect.conversation.id, effect.message.created_at))
    }
}

fn add_contacts(flight: &mut Flight<'_>, workspace: WorkspaceId, recorded: &[ConversationSend<'_>]) {
    let mut new: Vec<&ConversationSend<'_>> =
        recorded.iter().filter(|send| send.effect.contact_is_new).collect();
    new.sort_unstable_by_key(|send| send.effect.contact.phone.as_ref());
    flight.insert(
        with_contact(insert(contacts::table, workspace, &new), |send| &send.effect.contact)
            .column(contacts::active_month, |send| Some(send.month()))
            .column(contacts::searchable, |send| send.searchable())
            .returning(contacts::id),
    );
}

fn move_contacts(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    moving: &HashSet<uuid::Uuid>,
    recorded: &[ConversationSend<'_>],
) {
    let mut months: BTreeMap<uuid::Uuid, Date> = BTreeMap::new();
    for send in recorded.iter().filter(|send| moving.contains(&send.effect.contact.id.uuid())) {
        let month = months.entry(send.effect.contact.id.uuid()).or_insert(send.month());
        *month = (*month).max(send.month());
    }
    let months: Vec<_> = months.into_iter().collect();
    flight.update(
        update(contacts::table, workspace, &months)
            .key(contacts::id, |(contact, _)| *contact)
            .set_greatest(contacts::active_month, |(_, month)| Some(*month)),
    );
}

fn add_conversations(flight: &mut Flight<'_>, workspace: WorkspaceId, recorded: &[ConversationSend<'_>]) {
    let mut new: Vec<&ConversationSend<'_>> =
        recorded.iter().filter(|send| send.effect.conversation_is_new).collect();
    new.sort_unstable_by_key(|send| (send.effect.contact.id, send.effect.conversation.channel));
    flight.insert(
        insert(conversations::table, workspace, &new)
            .column(conversations::id, |send| send.effect.conversation.id.uuid())
            .column(conversations::contact_id, |send| send.effect.contact.id.uuid())
            .column(conversations::channel_id, |send| send.effect.conversation.channel.uuid())
            .column(conversations::channel, |send| send.effect.conversation.channel_kind.as_str())
            .column(conversations::status, |send| send.effect.conversation.status.as_str())
            .column(conversations::last_message_at, |send| send.effect.conversation.last_message_at)
            .column(conversations::created_at, |send| send.effect.conversation.created_at)
            .column(conversations::stamped_at, |send| Some(send.effect.message.created_at))
            .returning(conversations::id),
    );
}

fn move_conversations(flight: &mut Flight<'_>, workspace: WorkspaceId, recorded: &[ConversationSend<'_>]) {
    let mut moved: BTreeMap<ConversationId, (OffsetDateTime, Option<uuid::Uuid>)> = BTreeMap::new();
    for send in recorded.iter().filter(|send| !send.effect.conversation_is_new) {
        let last_message_at = send.effect.conversation.last_message_at;
        let (at, answer) = moved.entry(send.effect.conversation.id).or_insert((last_message_at, None));
        *at = (*at).max(last_message_at);
        *answer = (*answer).max(send.answers().then(|| send.id()));
    }
    let moved: Vec<_> = moved.into_iter().collect();
    flight.update(
        update(conversations::table, workspace, &moved)
            .key(conversations::id, |(id, _)| id.uuid())
            .set_greatest(conversations::last_message_at, |(_, (at, _))| *at)
            .set_greatest(conversations::stamped_at, |(_, (at, _))| Some(*at))
            .set_to(
                conversations::waiting_since,
                |_| None::<OffsetDateTime>,
                // That an answer takes a moment is none.
                "CASE WHEN new.answer IS NOT NULL AND new.answer IS DISTINCT FROM conversations.wait_message_id \
                 THEN new.waiting_since ELSE conversations.waiting_since END",
            )
            .value::<Nullable<Uuid>, _>("answer", |(_, (_, answer))| *answer),
    );
}

/// Adds the release of places under a limited plan, which customers who are active now no longer need.
fn give_places_back(flight: &mut Flight<'_>, workspace: WorkspaceId, recorded: &[ConversationSend<'_>]) {
    let ids: Vec<_> = recorded.iter().map(ConversationSend::id).collect();
    let Some((first, last)) = first_and_last(ids.iter().copied()) else { return };
    flight.add(
        diesel::delete(plan_reservations::table)
            .filter(plan_reservations::workspace_id.eq(workspace.uuid()))
            .filter(plan_reservations::send_id.between(first, last))
            .filter(plan_reservations::send_id.eq_any(ids)),
    );
}

fn add_messages(flight: &mut Flight<'_>, workspace: WorkspaceId, recorded: &[ConversationSend<'_>]) {
    flight.insert(
        insert(messages::table, workspace, recorded)
            .column(messages::id, ConversationSend::id)
            .column(messages::conversation_id, |send| send.effect.conversation.id.uuid())
            .column(messages::role, |send| send.effect.message.role.as_str())
            .column(messages::sender_id, |send| send.effect.message.sender_id.as_deref())
            .column(messages::content, |send| send.effect.message.content.as_str())
            .column(messages::searchable, |send| Some(searchable_words(&send.effect.message.content, None)))
            .column(messages::template_name, |send| {
                send.effect.message.meta.as_ref().map(|meta| meta.template.name.as_str())
            })
            .column(messages::template_language, |send| {
                send.effect.message.meta.as_ref().map(|meta| meta.template.language.as_str())
            })
            .column(messages::reference, |send| {
                send.effect.message.meta.as_ref().and_then(|meta| meta.reference.as_deref())
            })
            .column(messages::created_at, |send| send.effect.message.created_at)
            .returning(messages::id),
    );
}
