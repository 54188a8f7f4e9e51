//! One step of re-sending a window.

use std::collections::HashSet;

use diesel::{BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable};
use diesel_async::AsyncPgConnection;
use domain::{ids::WorkspaceId, webhooks::AddressState};
use futures_util::future::try_join4;
use time::OffsetDateTime;

use super::{
    first_and_last,
    mark::LogKey,
    requeue::{Again, last_attempt, requeue},
};
use crate::{
    schema::{delivery_log, delivery_queue, webhook_addresses, webhook_resends},
    sql::RunQueryDsl,
    transaction::Transaction,
};

/// A re-send of a window, with its progress.
#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_resends)]
pub(super) struct JobRow {
    id: uuid::Uuid,
    address_id: uuid::Uuid,
    since: OffsetDateTime,
    until: OffsetDateTime,
    resent: i64,
    reached_at: Option<OffsetDateTime>,
    reached_id: Option<uuid::Uuid>,
}

struct Stretch {
    workspace: uuid::Uuid,
    address: uuid::Uuid,
    from: OffsetDateTime,
    until: OffsetDateTime,
    after: uuid::Uuid,
    most: i64,
}

struct Found {
    enabled: bool,
    missed: Vec<Again>,
    waiting: Vec<LogKey>,
    /// Those that wait, are not locked, and are due later than now.
    later: HashSet<uuid::Uuid>,
}

impl JobRow {
    /// Runs a step, which goes through deliveries that failed, were held or wait, in the order of the log and
    /// never back: it ignores later failures. Waiting deliveries become due at once; running attempts are
    /// left alone. The re-send ends when a step finds fewer deliveries than it may take, or when the address
    /// is disabled.
    pub(super) async fn step(
        self,
        transaction: &Transaction,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        limit: u32,
    ) -> QueryResult<()> {
        let stretch = Stretch {
            workspace: workspace.uuid(),
            address: self.address_id,
            from: self.reached_at.unwrap_or(self.since),
            until: self.until,
            after: self.reached_id.unwrap_or_default(),
            most: i64::from(limit),
        };
        let found = transaction.send(stretch.find(transaction, now)).await?;
        let (again, hastened, owed) = found.up_to(usize::try_from(limit).unwrap_or(usize::MAX));
        let mut flight = transaction.flight();
        requeue(&mut flight, workspace, &again, now, false);
        if let Some((first, last)) = first_and_last(hastened.iter().copied()) {
            flight.add(
                diesel::update(delivery_queue::table)
                    .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
                    .filter(delivery_queue::delivery_id.between(first, last))
                    .filter(delivery_queue::delivery_id.eq_any(hastened))
                    .set(delivery_queue::due_at.eq(now)),
            );
        }
        let taken = i64::try_from(owed.len()).unwrap_or(i64::MAX);
        let last = owed.last();
        flight.add(
            diesel::update(webhook_resends::table)
                .filter(webhook_resends::workspace_id.eq(workspace.uuid()))
                .filter(webhook_resends::id.eq(self.id))
                .set((
                    webhook_resends::resent.eq(self.resent.saturating_add(taken)),
                    webhook_resends::reached_at.eq(last.map(|key| key.created_at).or(self.reached_at)),
                    webhook_resends::reached_id.eq(last.map(|key| key.delivery_id).or(self.reached_id)),
                    webhook_resends::ended_at.eq((taken < i64::from(limit)).then_some(now)),
                    webhook_resends::stopped.eq((!found.enabled).then_some("the address is disabled")),
                )),
        );
        transaction.commit_with(flight.counts()).await.map(drop)
    }
}

impl Found {
    /// Returns what to requeue and what to hasten, with the keys of both; nothing if disabled.
    fn up_to(&self, most: usize) -> (Vec<Again>, Vec<uuid::Uuid>, Vec<LogKey>) {
        if !self.enabled {
            return (Vec::new(), Vec::new(), Vec::new());
        }
        let mut owed: Vec<LogKey> = self.missed.iter().map(Again::place).collect();
        owed.extend(&self.waiting);
        owed.sort_unstable_by_key(|key| (key.created_at, key.delivery_id));
        owed.truncate(most);
        let taken: HashSet<_> = owed.iter().map(|key| key.delivery_id).collect();
        let again = self.missed.iter().filter(|again| taken.contains(&again.id)).cloned().collect();
        (again, taken.intersection(&self.later).copied().collect(), owed)
    }
}

impl Stretch {
    async fn find(&self, connection: &AsyncPgConnection, now: OffsetDateTime) -> QueryResult<Found> {
        let state = webhook_addresses::table
            .filter(webhook_addresses::workspace_id.eq(self.workspace))
            .filter(webhook_addresses::id.eq(self.address))
            .select(webhook_addresses::state)
            .load::<String>(&mut { connection });
        let missed = delivery_log::table
            .filter(delivery_log::workspace_id.eq(self.workspace))
            .filter(delivery_log::address_id.eq(self.address))
            .filter(delivery_log::undelivered.is_not_null())
            .filter(delivery_log::created_at.ge(self.from))
            .filter(delivery_log::created_at.lt(self.until))
            .filter(delivery_log::created_at.gt(self.from).or(delivery_log::id.gt(self.after)))
            .order((delivery_log::created_at, delivery_log::id))
            .limit(self.most)
            .select((
                delivery_log::id,
                delivery_log::address_id,
                delivery_log::created_at,
                last_attempt(self.workspace),
            ))
            .load(&mut { connection });
        let in_queue = delivery_queue::table
            .filter(delivery_queue::workspace_id.eq(self.workspace))
            .filter(delivery_queue::address_id.eq(self.address))
            .filter(delivery_queue::created_at.ge(self.from))
            .filter(delivery_queue::created_at.lt(self.until))
            .filter(delivery_queue::created_at.gt(self.from).or(delivery_queue::delivery_id.gt(self.after)))
            .order((delivery_queue::created_at, delivery_queue::delivery_id))
            .limit(self.most);
        let waiting = in_queue
            .select((delivery_queue::delivery_id, delivery_queue::created_at))
            .load(&mut { connection });
        // Skips rows that are being attempted. The due time is checked here, since a condition on it would
        // read on past everything that is already due.
        let free = in_queue
            .select((delivery_queue::delivery_id, delivery_queue::due_at))
            .for_no_key_update()
            .skip_locked()
            .load::<(uuid::Uuid, OffsetDateTime)>(&mut { connection });
        let (state, missed, waiting, free) = try_join4(state, missed, waiting, free).await?;
        let later =
            free.into_iter().filter(|(_, due_at)| *due_at > now).map(|(delivery, _)| delivery).collect();
        let enabled = state.iter().any(|state| state == AddressState::Enabled.as_str());
        Ok(Found { enabled, missed, waiting, later })
    }
}
