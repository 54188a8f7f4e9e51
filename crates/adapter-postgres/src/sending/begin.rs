//! Beginning a send: key, place under the plan and intent are written together or not at all.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, QueryResult,
    SelectableHelper,
    dsl::{exists, not},
    result::Error,
};
use diesel_async::AsyncPgConnection;
use domain::{
    attachments::UNUSED_FOR,
    errors::StoreError,
    fence::TurnEffect,
    ids::{MemberId, MessageId, UploadId, WorkspaceId},
    phone::PhoneNumber,
    sending::{
        Intent, KeyClaim, KeyHolder, Reply, TemplateSend,
        ports::{ReserveOutcome, SendReservation},
    },
};
use futures_util::future::{try_join, try_join3, try_join5};
use time::OffsetDateTime;

use super::{
    batches::BeginOutcome,
    ledger::{LedgerRow, ledger_of},
    plan_use::{is_active, plan_use, reserve},
};
use crate::{
    assistant::{Spoken, answer_of, holds, people_spoke},
    error::{failed, is_duplicate, unreadable},
    schema::{idempotency_keys, sends, uploads},
    sending::PgSends,
    sql::{RunQueryDsl, insert},
    transaction::Flight,
};

/// Attempts to get a key that changes hands between a lost claim and the look-up of its holder.
const TRIES: usize = 8;

struct Row<'a> {
    intent: &'a Intent,
    key: Option<&'a KeyClaim>,
    template_send: Option<&'a TemplateSend>,
    reply: Option<&'a Reply>,
}

impl<'a> Row<'a> {
    fn of(SendReservation { intent, key, .. }: &'a SendReservation) -> Self {
        let (template_send, reply) =
            (intent.conversation_entry.template_send(), intent.conversation_entry.reply());
        Self { intent, key: key.as_ref(), template_send, reply }
    }

    fn template_name(&self) -> Option<&'a str> {
        self.intent.template.as_ref().map(|template| template.name.as_str())
    }

    fn template_language(&self) -> Option<&'a str> {
        self.intent.template.as_ref().map(|template| template.language.as_str())
    }

    fn content(&self) -> Option<&'a str> {
        self.template_send.map(|send| send.content.as_str()).or(self.reply.map(|reply| reply.text.as_str()))
    }
}

impl PgSends {
    pub(super) async fn begin_send(
        &self,
        workspace: WorkspaceId,
        reservation: &SendReservation,
    ) -> Result<ReserveOutcome, StoreError> {
        let mut expired = None;
        for _ in 0..TRIES {
            match self.try_to_begin(workspace, reservation, expired).await? {
                BeginOutcome::Started => return Ok(ReserveOutcome::Started),
                BeginOutcome::PlanLimitReached => return Ok(ReserveOutcome::PlanLimitReached),
                BeginOutcome::FileTaken => return Ok(ReserveOutcome::FileTaken),
                BeginOutcome::Outdated => return Ok(ReserveOutcome::Outdated),
                BeginOutcome::IdTaken => return Ok(ReserveOutcome::AlreadyReserved),
                BeginOutcome::KeyTaken => {}
            }
            let Some(key) = reservation.key else { break };
            match self.find_holder(workspace, key.key_hash).await? {
                Some(holder) if holder.has_expired(reservation.intent.created_at) => {
                    expired = Some(holder.entry.intent.id);
                }
                Some(holder) => return Ok(ReserveOutcome::KeyTaken(Box::new(holder))),
                // The key was released in between.
                None => expired = None,
            }
        }
        Err(StoreError::Unavailable("the key keeps changing hands".to_owned()))
    }

    /// Makes one attempt; `expired` is the send whose hold on the key has expired.
    async fn try_to_begin(
        &self,
        workspace: WorkspaceId,
        reservation: &SendReservation,
        expired: Option<MessageId>,
    ) -> Result<BeginOutcome, StoreError> {
        let entry = &reservation.intent.conversation_entry;
        let place = reservation.limit.zip(entry.person());
        let upload = entry.reply().and_then(|reply| reply.upload);
        let is_fenced = matches!(reservation.turn, TurnEffect::Answers(_) | TurnEffect::Accompanies(_));
        if place.is_none() && upload.is_none() && expired.is_none() && !is_fenced {
            return self.start_with_others(workspace, reservation).await;
        }
        let id = reservation.intent.id;
        let transaction = self.database.transaction().await?;
        let mut sends = transaction.flight();
        add_sends(&mut sends, workspace, &[Row::of(reservation)]);
        let key = async {
            let Some(key) = &reservation.key else { return Ok(true) };
            match expired {
                Some(from) => take_over(&transaction, workspace, key, &reservation.intent, from).await,
                None => claim(&transaction, workspace, &[(key, &reservation.intent)])
                    .await
                    .map(|won| !won.is_empty()),
            }
        };
        let active = async {
            let Some(((month, _), _)) = &place else { return Ok(true) };
            is_active(&transaction, workspace, entry, *month).await
        };
        let file = async {
            let Some(upload) = upload else { return Ok(true) };
            take_file(&transaction, workspace, upload, &reservation.intent).await
        };
        let unpassed = async {
            match reservation.turn {
                TurnEffect::None | TurnEffect::Silences => Ok(true),
                TurnEffect::Answers(fence) => {
                    answer_of(&transaction, workspace, fence, id, reservation.intent.created_at).await
                }
                TurnEffect::Accompanies(fence) => holds(&transaction, workspace, fence).await,
            }
        };
        let first = try_join5(unpassed, sends.counts(), key, active, file);
        let (unpassed, _, has_key, is_active, has_file) = match transaction.begin_with(first).await {
            Ok(answers) => answers,
            Err(error) => return begun_before(&error, reservation).ok_or_else(|| failed(error)),
        };
        // The send that holds this key has passed the fence itself.
        if !has_key {
            return Ok(BeginOutcome::KeyTaken);
        }
        if !unpassed {
            return Ok(BeginOutcome::Outdated);
        }
        let mut last = transaction.flight();
        people_spoke(&mut last, workspace, &silences(&[reservation]));
        if let Some(((month, limit), person)) = place
            && !is_active
        {
            let plan_use = plan_use(&transaction, workspace, &person, month);
            if !transaction.send(plan_use).await.map_err(failed)?.admits(limit) {
                return Ok(BeginOutcome::PlanLimitReached);
            }
            reserve(&mut last, workspace, id, &person, month);
        }
        if !has_file {
            return Ok(BeginOutcome::FileTaken);
        }
        transaction.commit_with(last.counts()).await.map_err(failed)?;
        Ok(BeginOutcome::Started)
    }

    async fn start_with_others(
        &self,
        workspace: WorkspaceId,
        reservation: &SendReservation,
    ) -> Result<BeginOutcome, StoreError> {
        let store = self.clone();
        let run = move |batch: Vec<Arc<SendReservation>>| {
            let store = store.clone();
            async move { store.start_many(workspace, &batch).await }
        };
        self.batches.begin.call(workspace, Arc::new(reservation.clone()), run).await
    }

    /// Begins sends without a plan limit and with new keys, in one flight. Keys reference their sends, so the
    /// sends come first, and those whose keys are taken are deleted again.
    async fn start_many(
        &self,
        workspace: WorkspaceId,
        batch: &[Arc<SendReservation>],
    ) -> Result<Vec<BeginOutcome>, StoreError> {
        let mut rows: Vec<Row<'_>> = batch.iter().map(|reservation| Row::of(reservation)).collect();
        // In one order, so that two nodes that begin the same sends cannot deadlock.
        rows.sort_unstable_by_key(|row| row.intent.id);
        let mut keys: Vec<(&KeyClaim, &Intent)> =
            rows.iter().filter_map(|row| Some((row.key?, row.intent))).collect();
        keys.sort_unstable_by_key(|(key, _)| key.key_hash);
        let transaction = self.database.transaction().await?;
        let mut sends = transaction.flight();
        add_sends(&mut sends, workspace, &rows);
        let claimed = async {
            if keys.is_empty() {
                return Ok(Vec::new());
            }
            let claimed = claim(&transaction, workspace, &keys);
            Ok(try_join(claimed, drop_sends_without_key(&transaction, workspace, &keys)).await?.0)
        };
        let mut silent = transaction.flight();
        let reservations: Vec<&SendReservation> = batch.iter().map(|reservation| &**reservation).collect();
        people_spoke(&mut silent, workspace, &silences(&reservations));
        let flight = try_join3(sends.counts(), claimed, silent.counts());
        let claimed = match (transaction.commit_with(flight).await, batch) {
            (Ok((_, claimed, _)), _) => claimed,
            (Err(error), [alone]) => {
                return begun_before(&error, alone).map(|begun| vec![begun]).ok_or_else(|| failed(error));
            }
            // A failed batch is tried again one by one.
            (Err(error), _) => return Err(failed(error)),
        };
        let claimed: HashSet<uuid::Uuid> = claimed.into_iter().collect();
        let begun = |reservation: &Arc<SendReservation>| {
            let is_ours = reservation.key.is_none() || claimed.contains(&reservation.intent.id.uuid());
            if is_ours { BeginOutcome::Started } else { BeginOutcome::KeyTaken }
        };
        Ok(batch.iter().map(begun).collect())
    }

    pub(super) async fn find_holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<KeyHolder>, StoreError> {
        let mut connection = self.database.connection().await?;
        let held = idempotency_keys::workspace_id
            .eq(workspace.uuid())
            .and(idempotency_keys::key_hash.eq(key_hash))
            .and(idempotency_keys::send_id.eq(sends::id));
        let row: Option<(Vec<u8>, OffsetDateTime, Option<OffsetDateTime>, LedgerRow)> = ledger_of(workspace)
            .inner_join(idempotency_keys::table.on(held))
            .select((
                idempotency_keys::request_hash,
                idempotency_keys::claimed_at,
                sends::settled_at,
                LedgerRow::as_select(),
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((request_hash, claimed_at, settled_at, entry)) = row else { return Ok(None) };
        Ok(Some(KeyHolder {
            request_hash: request_hash.try_into().map_err(|_| unreadable("hash"))?,
            // A key is remembered from the settlement of its send: counted from the claim, a key settled late
            // would already have expired, and a repeat would send again.
            claimed_at: settled_at.map_or(claimed_at, |settled_at| settled_at.max(claimed_at)),
            entry: entry.entry(workspace)?,
        }))
    }
}

/// Returns the outcome of a reservation whose send already exists; with a key, its holder tells the rest.
fn begun_before(error: &Error, reservation: &SendReservation) -> Option<BeginOutcome> {
    let begun = if reservation.key.is_some() { BeginOutcome::KeyTaken } else { BeginOutcome::IdTaken };
    is_duplicate(error).then_some(begun)
}

/// Returns the conversations in which people speak, once each and in order. If a send does not begin since
/// its key is taken, the key's holder has spoken there.
fn silences(reservations: &[&SendReservation]) -> Vec<Spoken> {
    let mut spoken = BTreeMap::new();
    for reservation in reservations {
        if let (TurnEffect::Silences, Some(reply)) =
            (reservation.turn, reservation.intent.conversation_entry.reply())
        {
            spoken.insert(reply.conversation, reservation.intent.created_at);
        }
    }
    spoken.into_iter().map(|(conversation, at)| Spoken { conversation, at }).collect()
}

fn add_sends(flight: &mut Flight<'_>, workspace: WorkspaceId, rows: &[Row<'_>]) {
    flight.insert(
        insert(sends::table, workspace, rows)
            .column(sends::id, |row| row.intent.id.uuid())
            .column(sends::channel_id, |row| row.intent.channel.uuid())
            .column(sends::from_phone, |row| row.intent.from.as_ref().map(PhoneNumber::as_str))
            .column(sends::template_name, Row::template_name)
            .column(sends::template_language, Row::template_language)
            .column(sends::reference, |row| row.intent.reference.as_deref())
            .column(sends::state, |_| "in_flight")
            .column(sends::notice_to, |row| row.template_send.map(|send| send.to.as_str()))
            .column(sends::notice_name, |row| row.template_send.and_then(|send| send.name.as_deref()))
            .column(sends::notice_content, Row::content)
            .column(sends::contact_id, |row| row.reply.map(|reply| reply.contact.uuid()))
            .column(sends::conversation_id, |row| row.reply.map(|reply| reply.conversation.uuid()))
            .column(sends::author_id, |row| row.intent.conversation_entry.author().map(MemberId::uuid))
            .column(sends::created_at, |row| row.intent.created_at)
            .returning(sends::id),
    );
}

fn claim<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    keys: &[(&KeyClaim, &Intent)],
) -> impl Future<Output = QueryResult<Vec<uuid::Uuid>>> + Send + use<'c> {
    insert(idempotency_keys::table, workspace, keys)
        .column(idempotency_keys::key_hash, |(key, _)| key.key_hash)
        .column(idempotency_keys::request_hash, |(key, _)| key.request_hash)
        .column(idempotency_keys::send_id, |(_, intent)| intent.id.uuid())
        .column(idempotency_keys::claimed_at, |(_, intent)| intent.created_at)
        .in_order_of(idempotency_keys::key_hash)
        .on_conflict_do_nothing()
        .returning(idempotency_keys::send_id)
        .load(&mut { connection })
}

/// Deletes those sends that came with a key and did not get it.
fn drop_sends_without_key<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    keys: &[(&KeyClaim, &Intent)],
) -> impl Future<Output = QueryResult<usize>> + Send + use<'c> {
    let key = idempotency_keys::table
        .filter(idempotency_keys::workspace_id.eq(workspace.uuid()))
        .filter(idempotency_keys::send_id.eq(sends::id))
        .select(idempotency_keys::send_id);
    let ids: Vec<_> = keys.iter().map(|(_, intent)| intent.id.uuid()).collect();
    diesel::delete(sends::table)
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.eq_any(ids))
        .filter(not(exists(key)))
        .execute(&mut { connection })
}

/// Takes over the key of a send whose hold has expired; `false` if it belongs to another send by now.
async fn take_over(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    key: &KeyClaim,
    intent: &Intent,
    from: MessageId,
) -> QueryResult<bool> {
    let taken = diesel::update(idempotency_keys::table)
        .filter(idempotency_keys::workspace_id.eq(workspace.uuid()))
        .filter(idempotency_keys::key_hash.eq(key.key_hash))
        .filter(idempotency_keys::send_id.eq(from.uuid()))
        .set((
            idempotency_keys::request_hash.eq(key.request_hash),
            idempotency_keys::send_id.eq(intent.id.uuid()),
            idempotency_keys::claimed_at.eq(intent.created_at),
        ))
        .execute(&mut { connection })
        .await?;
    Ok(taken > 0)
}

/// Assigns the uploaded file to the send; `false` if it is missing or was sent already.
async fn take_file(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    upload: UploadId,
    intent: &Intent,
) -> QueryResult<bool> {
    let taken = diesel::update(uploads::table)
        .filter(uploads::workspace_id.eq(workspace.uuid()))
        .filter(uploads::id.eq(upload.uuid()))
        .filter(uploads::message_id.is_null())
        .filter(uploads::bytes.is_not_null())
        .filter(uploads::created_at.gt(intent.created_at - UNUSED_FOR))
        .set(uploads::message_id.eq(intent.id.uuid()))
        .execute(&mut { connection })
        .await?;
    Ok(taken > 0)
}
