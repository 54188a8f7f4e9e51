//! Sends that leave something in the inbox: person, conversation and message.

use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::{ExpressionMethods, QueryDsl, QueryResult, sql_types::Timestamptz};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    live::LiveKind,
    phone::PhoneNumber,
    sending::ConversationEffect,
    workspaces::Month,
};
use futures_util::future::{try_join, try_join4};
use time::OffsetDateTime;

use super::record::{Accepted, SettleOutcome, Settled, hearing, named_before, settle};
use crate::{
    PgStore,
    contacts::{count, searchable},
    live::tell,
    schema::{contacts, conversations, messages, plan_reservations, sends},
    sql::{insert, update},
    transaction::{Flight, Transaction},
    webhooks::Subscriber,
};

/// An acceptance with what it leaves.
#[derive(Clone, Copy)]
pub(super) struct Notice<'a> {
    pub(super) accepted: &'a Accepted,
    pub(super) effect: &'a ConversationEffect,
}

/// What is known when the sends, the people and the conversations are locked.
struct Locked {
    in_flight: HashSet<uuid::Uuid>,
    contacts: HashSet<uuid::Uuid>,
    /// The latest time that was given to something in a conversation.
    conversations: HashMap<uuid::Uuid, Option<OffsetDateTime>>,
    subscribers: Vec<Subscriber>,
}

impl PgStore {
    /// All of a batch, or those of it that can be settled: each is in flight, its person is who they were, its
    /// conversation is the one that was read. Of two sends that make the same person or conversation, one is settled,
    /// and the other is decided again.
    ///
    /// Rows that others may wait for are locked in one order everywhere: sends, contacts, conversations, each by its
    /// key.
    pub(super) async fn settle_notices(
        &self,
        workspace: WorkspaceId,
        batch: &[&Accepted],
    ) -> Result<Settled, StoreError> {
        let transaction = self.transaction().await?;
        let notices: Vec<Notice<'_>> = batch.iter().filter_map(|accepted| Notice::of(accepted)).collect();
        let locked = lock(&transaction, workspace, &notices).await.map_err(named_before)?;
        let mut settled = Settled::new();
        let mut taken = Taken::default();
        let mut fit: Vec<Notice<'_>> = Vec::new();
        for notice in notices {
            if !locked.in_flight.contains(&notice.id()) {
                continue;
            }
            let fits = locked.fits(&notice) && taken.takes(&notice);
            let outcome = if fits { SettleOutcome::Now } else { SettleOutcome::Stale };
            settled.insert(notice.accepted.send.result.id, outcome);
            fit.extend(fits.then_some(notice));
        }
        let mut flight = transaction.flight();
        add_people(&mut flight, workspace, &fit);
        add_conversations(&mut flight, workspace, &fit);
        add_messages(&mut flight, workspace, &fit);
        let sent: Vec<&Accepted> = fit.iter().map(|notice| notice.accepted).collect();
        flight.add(
            diesel::delete(plan_reservations::table)
                .filter(plan_reservations::workspace_id.eq(workspace.uuid()))
                .filter(plan_reservations::send_id.eq_any(fit.iter().map(Notice::id).collect::<Vec<_>>())),
        );
        flight.update(settle(workspace, &sent, |accepted| Notice::of(accepted)));
        let about: Vec<_> = fit
            .iter()
            .map(|notice| (Some(notice.effect.conversation.id), Some(notice.accepted.send.result.id)))
            .collect();
        tell(&mut flight, workspace, LiveKind::MessageRecorded, &about);
        self.announce(&mut flight, workspace, &locked.subscribers, sent.iter().copied())?;
        let new = fit.iter().filter(|notice| notice.effect.contact_is_new);
        let new: Vec<_> = new.map(|notice| (notice.effect.contact.id, notice.searchable())).collect();
        count(&mut flight, workspace, &new);
        transaction.commit_with(flight.counts()).await.map_err(named_before)?;
        Ok(settled)
    }
}

/// Locks the sends, moves the people who are known into the month, and locks the conversations that are known.
async fn lock(
    transaction: &Transaction,
    workspace: WorkspaceId,
    notices: &[Notice<'_>],
) -> QueryResult<Locked> {
    let mut connection = &**transaction;
    let ids: Vec<_> = notices.iter().map(Notice::id).collect();
    let in_flight = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.eq_any(ids))
        .filter(sends::state.eq("in_flight"))
        .order(sends::id)
        .select(sends::id)
        .for_update()
        .load::<uuid::Uuid>(&mut connection);
    let mut known: Vec<&Notice<'_>> = notices.iter().filter(|notice| !notice.effect.contact_is_new).collect();
    known.sort_unstable_by_key(|notice| notice.effect.contact.id);
    known.dedup_by_key(|notice| notice.effect.contact.id);
    let mut months = transaction.flight();
    months.update(
        update(contacts::table, workspace, &known)
            .key(contacts::id, |notice| notice.effect.contact.id.uuid())
            .set(contacts::active_month, |notice| Some(notice.month()))
            .when("(contacts.active_month IS NULL OR contacts.active_month < new.active_month)"),
    );
    let people: Vec<_> = known.iter().map(|notice| notice.effect.contact.id.uuid()).collect();
    let people = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq_any(people))
        .select(contacts::id)
        .load::<uuid::Uuid>(&mut connection);
    let known = notices.iter().filter(|notice| !notice.effect.conversation_is_new);
    let known: Vec<_> = known.map(|notice| notice.effect.conversation.id.uuid()).collect();
    let known = conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq_any(known))
        .order(conversations::id)
        .select((conversations::id, conversations::stamped_at))
        .for_no_key_update()
        .load::<(uuid::Uuid, Option<OffsetDateTime>)>(&mut connection);
    let batch: Vec<&Accepted> = notices.iter().map(|notice| notice.accepted).collect();
    let hearing = hearing(transaction, workspace, &batch);
    let flight = try_join4(in_flight, try_join(months.counts(), people), known, hearing);
    let (in_flight, (_, people), conversations, subscribers) = transaction.begin_with(flight).await?;
    Ok(Locked {
        in_flight: in_flight.into_iter().collect(),
        contacts: people.into_iter().collect(),
        conversations: conversations.into_iter().collect(),
        subscribers,
    })
}

impl Locked {
    /// Whether person and conversation, where they were known, are still there, and nothing was told of the
    /// conversation that has a later time.
    fn fits(&self, notice: &Notice<'_>) -> bool {
        let effect = notice.effect;
        let person = effect.contact_is_new || self.contacts.contains(&effect.contact.id.uuid());
        let conversation = effect.conversation_is_new
            || self.conversations.get(&effect.conversation.id.uuid()).is_some_and(|stamped_at| {
                stamped_at.is_none_or(|stamped_at| stamped_at < effect.message.created_at)
            });
        person && conversation
    }
}

/// What sends of one batch make, each of which one of them makes.
#[derive(Default)]
struct Taken {
    phones: HashSet<String>,
    conversations: HashSet<(uuid::Uuid, uuid::Uuid)>,
    times: HashSet<(ConversationId, OffsetDateTime)>,
}

impl Taken {
    fn takes(&mut self, notice: &Notice<'_>) -> bool {
        let effect = notice.effect;
        let phone = effect.contact.phone.as_ref().filter(|_| effect.contact_is_new);
        let conversation = (effect.contact.id.uuid(), effect.conversation.channel.uuid());
        phone.is_none_or(|phone| self.phones.insert(phone.as_str().to_owned()))
            && (!effect.conversation_is_new || self.conversations.insert(conversation))
            && self.times.insert((effect.conversation.id, effect.message.created_at))
    }
}

impl<'a> Notice<'a> {
    pub(super) fn of(accepted: &'a Accepted) -> Option<Self> {
        Some(Self { accepted, effect: accepted.send.notice.as_ref()? })
    }

    fn id(&self) -> uuid::Uuid {
        self.accepted.send.result.id.uuid()
    }

    fn month(&self) -> time::Date {
        Month::of(self.accepted.send.accepted_at).first_day()
    }

    fn searchable(&self) -> String {
        searchable(self.effect.contact.name.as_deref(), self.effect.contact.phone.as_ref())
    }
}

fn add_people(flight: &mut Flight<'_>, workspace: WorkspaceId, notices: &[Notice<'_>]) {
    let mut new: Vec<&Notice<'_>> = notices.iter().filter(|notice| notice.effect.contact_is_new).collect();
    new.sort_unstable_by_key(|notice| notice.effect.contact.phone.as_ref().map(PhoneNumber::as_str));
    flight.insert(
        insert(contacts::table, workspace, &new)
            .column(contacts::id, |notice| notice.effect.contact.id.uuid())
            .column(contacts::name, |notice| notice.effect.contact.name.as_deref())
            .column(contacts::phone, |notice| notice.effect.contact.phone.as_ref().map(PhoneNumber::as_str))
            .column(contacts::source, |notice| notice.effect.contact.source.as_str())
            .column(contacts::active_month, |notice| Some(notice.month()))
            .column(contacts::created_at, |notice| notice.effect.contact.created_at)
            .column(contacts::searchable, |notice| notice.searchable()),
    );
}

fn add_conversations(flight: &mut Flight<'_>, workspace: WorkspaceId, notices: &[Notice<'_>]) {
    let (mut new, known): (Vec<&Notice<'_>>, Vec<_>) =
        notices.iter().partition(|notice| notice.effect.conversation_is_new);
    new.sort_unstable_by_key(|notice| (notice.effect.contact.id, notice.effect.conversation.channel));
    flight.insert(
        insert(conversations::table, workspace, &new)
            .column(conversations::id, |notice| notice.effect.conversation.id.uuid())
            .column(conversations::contact_id, |notice| notice.effect.contact.id.uuid())
            .column(conversations::channel_id, |notice| notice.effect.conversation.channel.uuid())
            .column(conversations::channel, |notice| notice.effect.conversation.channel_kind.as_str())
            .column(conversations::status, |notice| notice.effect.conversation.status.as_str())
            .column(conversations::last_message_at, |notice| notice.effect.conversation.last_message_at)
            .column(conversations::created_at, |notice| notice.effect.conversation.created_at)
            .column(conversations::stamped_at, |notice| Some(notice.effect.message.created_at)),
    );
    let mut moved: BTreeMap<ConversationId, OffsetDateTime> = BTreeMap::new();
    for notice in known {
        let at = moved.entry(notice.effect.conversation.id).or_insert(notice.effect.conversation.last_message_at);
        *at = (*at).max(notice.effect.conversation.last_message_at);
    }
    let moved: Vec<_> = moved.into_iter().collect();
    flight.update(
        update(conversations::table, workspace, &moved)
            .key(conversations::id, |(id, _)| id.uuid())
            .set_greatest(conversations::last_message_at, |(_, at)| *at)
            .set_greatest(conversations::stamped_at, |(_, at)| Some(*at)),
    );
}

fn add_messages(flight: &mut Flight<'_>, workspace: WorkspaceId, notices: &[Notice<'_>]) {
    flight.insert(
        insert(messages::table, workspace, notices)
            .column(messages::id, Notice::id)
            .column(messages::conversation_id, |notice| notice.effect.conversation.id.uuid())
            .column(messages::role, |notice| notice.effect.message.role.as_str())
            .column(messages::sender_id, |notice| notice.effect.message.sender_id.as_deref())
            .column(messages::content, |notice| notice.effect.message.content.as_str())
            .column(messages::template_name, |notice| {
                notice.effect.message.meta.as_ref().map(|meta| meta.template.name.as_str())
            })
            .column(messages::template_language, |notice| {
                notice.effect.message.meta.as_ref().map(|meta| meta.template.language.as_str())
            })
            .column(messages::reference, |notice| {
                notice.effect.message.meta.as_ref().and_then(|meta| meta.reference.as_deref())
            })
            .column(messages::created_at, |notice| notice.effect.message.created_at),
    );
}
