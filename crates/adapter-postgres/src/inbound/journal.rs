//! Updates between their arrival and their handling.

use std::{collections::HashSet, sync::Arc};

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, QueryDsl};
use domain::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::{
        Claimed, HandedOver, HeldUpdate, JournalEntry, Settlement, UnreadableEntry,
        ports::{Journal, NumberRoute},
    },
};
use time::OffsetDateTime;

use super::{
    batches::{Appended, KeptUpdates},
    claim::Due,
    settle::held,
};
use crate::{
    error::{failed, locked},
    inbound::PgInbound,
    places,
    schema::{journal, quarantine, workspaces},
    sql::RunQueryDsl,
};

#[async_trait]
impl Journal for PgInbound {
    async fn number_routes(&self, network_ids: &[String]) -> Result<Vec<Option<NumberRoute>>, StoreError> {
        let store = self.clone();
        let run = move |asked: Vec<Arc<[String]>>| {
            let store = store.clone();
            async move { store.find_number_routes(&asked).await }
        };
        self.batches.number_routes.call((), network_ids.into(), run).await
    }

    async fn account_routes(&self, network_ids: &[String]) -> Result<Vec<Option<WorkspaceId>>, StoreError> {
        self.find_account_routes(network_ids).await
    }

    async fn append(
        &self,
        workspace: WorkspaceId,
        entries: &[JournalEntry],
        take_up: bool,
    ) -> Result<HandedOver, StoreError> {
        let sealed: Result<Arc<[Appended]>, StoreError> =
            entries.iter().map(|entry| Ok((self.sealed_entry(entry)?, take_up))).collect();
        let store = self.clone();
        let run = move |batch: Vec<Arc<[Appended]>>| {
            let store = store.clone();
            async move { store.append_sealed(workspace, &batch).await }
        };
        let kept: KeptUpdates = self.batches.append.call(workspace, sealed?, run).await?;
        let held = |entry: &JournalEntry| {
            let place = *kept.places.get(&entry.id)?;
            Some(HeldUpdate {
                entry: JournalEntry { attempts: 1, ..entry.clone() },
                place,
                late: false,
                failures: 0,
            })
        };
        let updates = entries.iter().filter_map(held).collect();
        Ok(HandedOver { updates, holder: kept.holder, behind: kept.behind })
    }

    async fn quarantine(
        &self,
        webhook: &str,
        payload: &[u8],
        network: Option<ChannelKind>,
        reason: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        // The seal is bound to the row, so the row comes first.
        let transaction = self.database.transaction().await?;
        let row = diesel::insert_into(quarantine::table)
            .values((
                quarantine::reason.eq(reason),
                quarantine::payload_sealed.eq(Vec::new()),
                quarantine::received_at.eq(now),
                quarantine::network.eq(network.map(ChannelKind::as_str)),
                quarantine::webhook.eq(webhook),
            ))
            .returning(quarantine::id)
            .get_result::<i64>(&mut &*transaction);
        let id = transaction.begin_with(row).await.map_err(failed)?;
        let sealed = self.database.vault.seal(payload, &places::quarantined_post(id)).map_err(locked)?;
        let mut flight = transaction.flight();
        flight.add(diesel::update(quarantine::table.find(id)).set(quarantine::payload_sealed.eq(sealed)));
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn workspaces_with_work(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // A few look-ups in an index for each workspace, however much there is. Updates held by others count,
        // as their holders may be gone.
        let updates = journal::table.filter(journal::workspace_id.eq(workspaces::workspace_id));
        let in_place = updates.filter(journal::due_at.is_null()).select(journal::id);
        let before_own = in_place.filter(journal::holder.lt(self.holder())).single_value();
        let behind_own = in_place.filter(journal::holder.gt(self.holder())).single_value();
        let late = updates.filter(journal::due_at.le(now)).select(journal::id).single_value();
        let have_work = before_own.is_not_null().or(behind_own.is_not_null()).or(late.is_not_null());
        self.database.workspaces(have_work).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Claimed, StoreError> {
        let own = self.own_number()?;
        let due = Due { workspace, now, lease_until, limit: i64::from(limit) };
        let rows = match self.take_up(own, &due).await? {
            Some(rows) => rows,
            None if self.take_hold(workspace, own).await? => {
                self.take_up(own, &due).await?.unwrap_or_default()
            }
            None => return Ok(Claimed { elsewhere: true, ..Claimed::default() }),
        };
        let mut claimed = Claimed::default();
        for row in rows {
            let id = JournalId::from(row.id);
            let attempts = u32::try_from(row.attempts).unwrap_or_default();
            let (received_at, place, late) = (row.received_at, row.place, row.due_at.is_some());
            match self.open_item(workspace, id, &row.item_sealed) {
                Ok(item) => {
                    let entry = JournalEntry { id, workspace, received_at, attempts, item };
                    claimed.entries.push(HeldUpdate { entry, place, late, failures: 0 });
                }
                Err(error) => {
                    claimed.unreadable.push(UnreadableEntry { id, attempts, reason: error.to_string() });
                }
            }
        }
        claimed.entries.sort_unstable_by_key(|held| held.place);
        Ok(claimed)
    }

    async fn in_hand(
        &self,
        workspace: WorkspaceId,
        updates: &[JournalId],
    ) -> Result<HashSet<JournalId>, StoreError> {
        let mut connection = self.database.connection().await?;
        let ids: Vec<uuid::Uuid> = held(workspace, self.holder(), updates)
            .select(journal::id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(ids.into_iter().map(Into::into).collect())
    }

    async fn let_go(&self, workspace: WorkspaceId) -> Result<(), StoreError> {
        self.leave_to_others(workspace).await
    }

    async fn settle(&self, workspace: WorkspaceId, settlement: &Settlement) -> Result<(), StoreError> {
        self.settle_held(workspace, settlement).await
    }
}
