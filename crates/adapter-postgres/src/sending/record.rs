//! Recording of sends that the network accepted, with everything that follows.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, SelectableHelper,
    result::{DatabaseErrorKind, Error},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    sending::{AcceptedSend, SendState, ports::Recorded},
    webhooks::Event,
};
use futures_util::future::try_join;

use super::{
    conversation_sends::ConversationSend,
    ledger::{LedgerRow, ledger_of},
};
use crate::{
    error::{failed, locked},
    places,
    schema::sends,
    sending::PgSends,
    sql::{Update, update},
    transaction::{Flight, Transaction},
    webhooks::{Subscriber, enqueue, subscribers},
};

pub(crate) struct Accepted {
    pub(super) send: AcceptedSend,
    pub(super) network_id_hash: [u8; 32],
    pub(super) network_id_sealed: Vec<u8>,
    /// Trace of the request, since a batch is written by a task of its own.
    pub(super) trace_parent: Option<String>,
}

#[derive(Clone, Copy)]
pub(crate) enum SettleOutcome {
    Now,
    /// The contact or the conversation has changed since this was decided.
    Stale,
    NotInFlight,
}

/// Outcomes of a batch by the ids of its sends. Missing ones are not in flight.
pub(super) type SettleOutcomes = HashMap<MessageId, SettleOutcome>;

impl PgSends {
    pub(super) async fn record_send(
        &self,
        workspace: WorkspaceId,
        accepted: &AcceptedSend,
    ) -> Result<Recorded, StoreError> {
        let id = accepted.result.id;
        let revealed = accepted.network_id.reveal().as_bytes();
        let sealed =
            self.database.vault.seal(revealed, &places::network_id(workspace, id)).map_err(locked)?;
        let prepared = Arc::new(Accepted {
            send: accepted.clone(),
            network_id_hash: self.database.network_id_hash(&accepted.network_id),
            network_id_sealed: sealed,
            trace_parent: trace_context::current(),
        });
        let store = self.clone();
        let settled = if accepted.effect.is_some() {
            let run = move |batch: Vec<Arc<Accepted>>| {
                let store = store.clone();
                async move {
                    Ok(answers(&batch, store.settle_in_conversations(workspace, &once_each(&batch)).await?))
                }
            };
            self.database.batches.settle_in_conversation.call(workspace, prepared, run).await?
        } else {
            let run = move |batch: Vec<Arc<Accepted>>| {
                let store = store.clone();
                async move { Ok(answers(&batch, store.settle_others(workspace, &once_each(&batch)).await?)) }
            };
            self.database.batches.settle.call(workspace, prepared, run).await?
        };
        match settled {
            SettleOutcome::Now => Ok(Recorded::Now),
            SettleOutcome::Stale => Err(StoreError::Stale),
            SettleOutcome::NotInFlight => self.recorded_before(workspace, id).await,
        }
    }

    async fn recorded_before(&self, workspace: WorkspaceId, id: MessageId) -> Result<Recorded, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<LedgerRow> = ledger_of(workspace)
            .filter(sends::id.eq(id.uuid()))
            .select(LedgerRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(row) = row else { return Ok(Recorded::Released) };
        match row.entry(workspace)?.state {
            SendState::Sent(result) => Ok(Recorded::Before(result)),
            SendState::InFlight => Err(StoreError::Stale),
            SendState::Refused => Ok(Recorded::Released),
        }
    }

    /// Settles sends that leave nothing in the inbox.
    pub(super) async fn settle_others(
        &self,
        workspace: WorkspaceId,
        batch: &[&Accepted],
    ) -> Result<SettleOutcomes, StoreError> {
        let transaction = self.database.transaction().await?;
        let settled =
            async { settle(workspace, batch, |_| None).returning(sends::id).load(&mut &*transaction).await };
        let first = try_join(settled, hearing(&transaction, workspace, batch));
        let (settled, subscribers): (Vec<uuid::Uuid>, _) =
            transaction.begin_with(first).await.map_err(raced)?;
        let settled: SettleOutcomes = settled.into_iter().map(|id| (id.into(), SettleOutcome::Now)).collect();
        let now = batch.iter().filter(|accepted| settled.contains_key(&accepted.send.result.id));
        let mut flight = transaction.flight();
        self.announce(&mut flight, workspace, &subscribers, now.copied())?;
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(settled)
    }

    pub(super) fn announce<'e>(
        &self,
        flight: &mut Flight<'_>,
        workspace: WorkspaceId,
        subscribers: &[Subscriber],
        settled: impl Iterator<Item = &'e Accepted>,
    ) -> Result<(), StoreError> {
        let mut all = Vec::new();
        for accepted in settled {
            let pending = self.database.deliveries(workspace, subscribers, &accepted.send.events)?;
            all.extend(pending.into_iter().map(|it| it.traced(accepted.trace_parent.as_deref())));
        }
        enqueue(flight, workspace, &all);
        Ok(())
    }
}

pub(super) async fn hearing(
    transaction: &Transaction,
    workspace: WorkspaceId,
    batch: &[&Accepted],
) -> QueryResult<Vec<Subscriber>> {
    let events: Vec<&Event> = batch.iter().flat_map(|accepted| &accepted.send.events).collect();
    if events.is_empty() {
        return Ok(Vec::new());
    }
    subscribers(transaction, workspace, events).await
}

pub(super) fn settle<'a>(
    workspace: WorkspaceId,
    batch: &'a [&'a Accepted],
    of: impl Fn(&'a Accepted) -> Option<ConversationSend<'a>>,
) -> Update<'a, sends::table, &'a Accepted> {
    update(sends::table, workspace, batch)
        .key(sends::id, |accepted| accepted.send.result.id.uuid())
        .guard(sends::state, |_| "in_flight")
        .set(sends::state, |_| "sent")
        .set(sends::network_id_hash, |accepted| Some(accepted.network_id_hash))
        .set(sends::network_id_sealed, |accepted| Some(accepted.network_id_sealed.as_slice()))
        .set(sends::settled_at, |accepted| Some(accepted.send.accepted_at))
        .set(sends::stamped_at, |accepted| {
            Some(of(accepted).map_or(accepted.send.accepted_at, |send| send.effect.message.created_at))
        })
        .set_to(
            sends::contact_id,
            |accepted| of(accepted).map(|send| send.effect.contact.id.uuid()),
            "coalesce(new.contact_id, sends.contact_id)",
        )
        .set_to(
            sends::conversation_id,
            |accepted| of(accepted).map(|send| send.effect.conversation.id.uuid()),
            "coalesce(new.conversation_id, sends.conversation_id)",
        )
        .set(sends::notice_to, |_| None::<&str>)
        .set(sends::notice_name, |_| None::<&str>)
        .set(sends::notice_content, |_| None::<&str>)
}

/// Another send with this network id was recorded meanwhile, or a contact or a conversation made or merged.
pub(super) fn raced(error: Error) -> StoreError {
    match &error {
        Error::DatabaseError(
            DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
            _,
        ) => StoreError::Stale,
        _ => failed(error),
    }
}

/// Removes repeated sends, since an answer and a status may report one send at the same time; the first is
/// written. In the order of ids, in which sends are locked.
fn once_each(batch: &[Arc<Accepted>]) -> Vec<&Accepted> {
    let mut seen = HashSet::new();
    let mut first: Vec<&Accepted> = batch
        .iter()
        .map(|accepted| &**accepted)
        .filter(|accepted| seen.insert(accepted.send.result.id))
        .collect();
    first.sort_unstable_by_key(|accepted| accepted.send.result.id);
    first
}

/// Returns the outcome for each send of the batch; a repeated one counts as not in flight.
fn answers(batch: &[Arc<Accepted>], mut settled: SettleOutcomes) -> Vec<SettleOutcome> {
    let answer = |accepted: &Arc<Accepted>| {
        settled.remove(&accepted.send.result.id).unwrap_or(SettleOutcome::NotInFlight)
    };
    batch.iter().map(answer).collect()
}
