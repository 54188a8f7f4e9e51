//! Recording of sends that the network accepted, with everything that follows.

use std::{collections::HashSet, sync::Arc};

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    sending::{AcceptedSend, SendState, ports::Recorded},
};
use futures_util::future::try_join;

use super::{
    accepted::{Accepted, SettleOutcome, SettleOutcomes, hearing, raced, settle},
    ledger::{LedgerRow, ledger_of},
};
use crate::{
    error::{failed, locked},
    places,
    schema::sends,
    sending::PgSends,
    sql::RunQueryDsl,
    transaction::Flight,
    webhooks::{Subscriber, enqueue},
};

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
            self.batches.settle_in_conversation.call(workspace, prepared, run).await?
        } else {
            let run = move |batch: Vec<Arc<Accepted>>| {
                let store = store.clone();
                async move { Ok(answers(&batch, store.settle_others(workspace, &once_each(&batch)).await?)) }
            };
            self.batches.settle.call(workspace, prepared, run).await?
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
