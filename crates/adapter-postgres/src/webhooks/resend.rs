//! Re-sending of logged deliveries.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, NullableExpressionMethods, OptionalExtension, QueryDsl,
    Queryable, Selectable, SelectableHelper,
    dsl::{auto_type, exists},
};
use domain::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
    paging::PageRequest,
    webhooks::{
        AddressState, Delivery, DeliveryDetail, DeliveryFilter, DeliverySubject, Resend, ResendError,
        ResendWindow,
        ports::{DeliveryLog, ResendStep},
    },
};
use futures_util::future::try_join5;
use time::OffsetDateTime;

use super::{
    log,
    requeue::{Again, last_attempt, requeue},
    search,
    step::JobRow,
};
use crate::{
    audit::{audit, commit_audited},
    bounds,
    error::failed,
    schema::{delivery_log, delivery_queue, webhook_addresses, webhook_resends, workspaces},
    sql::RunQueryDsl,
    webhooks::PgWebhooks,
};

const LISTED: i64 = 50;

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_resends)]
struct ResendRow {
    id: uuid::Uuid,
    address_id: uuid::Uuid,
    since: OffsetDateTime,
    until: OffsetDateTime,
    total: i64,
    resent: i64,
    created_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
    stopped: Option<String>,
}

#[derive(Queryable, Default)]
struct Progress {
    in_queue: Option<i64>,
    refused: Option<i64>,
    held: Option<i64>,
}

#[auto_type]
fn progress(workspace: uuid::Uuid) -> _ {
    let in_queue = delivery_queue::table
        .filter(delivery_queue::workspace_id.eq(workspace))
        .filter(delivery_queue::address_id.eq(webhook_resends::address_id))
        .filter(delivery_queue::created_at.ge(webhook_resends::since))
        .filter(delivery_queue::created_at.nullable().le(webhook_resends::reached_at))
        .filter(
            delivery_queue::created_at
                .nullable()
                .lt(webhook_resends::reached_at)
                .or(delivery_queue::delivery_id.nullable().le(webhook_resends::reached_id)),
        )
        .count()
        .single_value();
    let refused: undelivered = undelivered(workspace, "failed");
    let held: undelivered = undelivered(workspace, "held");
    (in_queue, refused, held)
}

#[auto_type]
fn undelivered(workspace: uuid::Uuid, state: &'static str) -> _ {
    delivery_log::table
        .filter(delivery_log::workspace_id.eq(workspace))
        .filter(delivery_log::address_id.eq(webhook_resends::address_id))
        .filter(delivery_log::undelivered.is_not_null())
        .filter(delivery_log::undelivered.eq(state))
        .filter(delivery_log::created_at.ge(webhook_resends::since))
        .filter(delivery_log::created_at.nullable().le(webhook_resends::reached_at))
        .filter(
            delivery_log::created_at
                .nullable()
                .lt(webhook_resends::reached_at)
                .or(delivery_log::id.nullable().le(webhook_resends::reached_id)),
        )
        .count()
        .single_value()
}

impl ResendRow {
    fn read(self, progress: &Progress) -> Resend {
        let count = |count: i64| u64::try_from(count).unwrap_or_default();
        Resend {
            id: self.id.into(),
            window: ResendWindow { address: self.address_id.into(), since: self.since, until: self.until },
            total: count(self.total),
            queued: count(self.resent),
            in_queue: count(progress.in_queue.unwrap_or_default()),
            refused: count(progress.refused.unwrap_or_default()),
            held: count(progress.held.unwrap_or_default()),
            created_at: self.created_at,
            ended_at: self.ended_at,
            stopped: self.stopped,
        }
    }
}

#[async_trait]
impl DeliveryLog for PgWebhooks {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError> {
        log::list(&self.database, workspace, filter, page).await
    }

    async fn search(
        &self,
        workspace: WorkspaceId,
        subject: &DeliverySubject,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError> {
        search::search(&self.database, workspace, subject, page).await
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Option<DeliveryDetail>, StoreError> {
        log::find(&self.database, workspace, delivery).await
    }

    async fn resend(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
        entry: &AuditEntry,
    ) -> Result<(), ResendError> {
        let state = webhook_addresses::table
            .filter(webhook_addresses::workspace_id.eq(workspace.uuid()))
            .filter(webhook_addresses::id.eq(delivery_log::address_id))
            .select(webhook_addresses::state)
            .single_value();
        let logged = (
            delivery_log::id,
            delivery_log::address_id,
            delivery_log::created_at,
            last_attempt(workspace.uuid()),
        );
        let transaction = self.database.transaction_delivering().await?;
        let found = delivery_log::table
            .filter(delivery_log::workspace_id.eq(workspace.uuid()))
            .filter(delivery_log::id.eq(delivery.uuid()))
            .select((logged, state))
            .get_result::<(Again, Option<String>)>(&mut &*transaction);
        let found = transaction.begin_with(found).await.optional().map_err(failed)?;
        let Some((again, Some(state))) = found.filter(|(_, state)| state.as_deref() != Some("deleted"))
        else {
            return Err(ResendError::Unknown);
        };
        let mut flight = transaction.flight();
        requeue(&mut flight, workspace, &[again], entry.at, state != AddressState::Enabled.as_str());
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn begin_resend(
        &self,
        workspace: WorkspaceId,
        id: ResendId,
        window: &ResendWindow,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<Resend, ResendError> {
        let transaction = self.database.transaction_delivering().await?;
        let held = bounds::in_turn(&transaction, workspace);
        let state = webhook_addresses::table
            .filter(webhook_addresses::workspace_id.eq(workspace.uuid()))
            .filter(webhook_addresses::id.eq(window.address.uuid()))
            .filter(webhook_addresses::state.ne("deleted"))
            .select(webhook_addresses::state)
            .load::<String>(&mut &*transaction);
        let missed = delivery_log::table
            .filter(delivery_log::workspace_id.eq(workspace.uuid()))
            .filter(delivery_log::address_id.eq(window.address.uuid()))
            .filter(delivery_log::created_at.ge(window.since))
            .filter(delivery_log::created_at.lt(window.until))
            .filter(delivery_log::undelivered.is_not_null())
            .count()
            .get_result::<i64>(&mut &*transaction);
        let waiting = delivery_queue::table
            .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
            .filter(delivery_queue::address_id.eq(window.address.uuid()))
            .filter(delivery_queue::created_at.ge(window.since))
            .filter(delivery_queue::created_at.lt(window.until))
            .count()
            .get_result::<i64>(&mut &*transaction);
        let under_way = webhook_resends::table
            .filter(webhook_resends::workspace_id.eq(workspace.uuid()))
            .filter(webhook_resends::ended_at.is_null())
            .select(webhook_resends::id)
            .limit(i64::from(most))
            .load::<uuid::Uuid>(&mut &*transaction);
        let found = transaction.begin_with(try_join5(held, state, missed, waiting, under_way)).await;
        let (_, state, missed, waiting, under_way) = found.map_err(failed)?;
        match state.as_slice().first() {
            None => return Err(ResendError::Unknown),
            Some(state) if state != AddressState::Enabled.as_str() => return Err(ResendError::Disabled),
            Some(_) => {}
        }
        if under_way.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
            return Err(ResendError::TooMany);
        }
        let new = diesel::insert_into(webhook_resends::table)
            .values((
                webhook_resends::workspace_id.eq(workspace.uuid()),
                webhook_resends::id.eq(id.uuid()),
                webhook_resends::address_id.eq(window.address.uuid()),
                webhook_resends::since.eq(window.since),
                webhook_resends::until.eq(window.until),
                webhook_resends::total.eq(missed.saturating_add(waiting)),
                webhook_resends::created_at.eq(entry.at),
            ))
            .returning(ResendRow::as_returning())
            .get_result(&mut &*transaction);
        let row = transaction.send(new).await.map_err(failed)?;
        commit_audited(&transaction, workspace, entry).await?;
        Ok(row.read(&Progress::default()))
    }

    async fn find_resend(
        &self,
        workspace: WorkspaceId,
        resend: ResendId,
    ) -> Result<Option<Resend>, StoreError> {
        let mut connection = self.database.delivering().await?;
        let found: Option<(ResendRow, Progress)> = webhook_resends::table
            .filter(webhook_resends::workspace_id.eq(workspace.uuid()))
            .filter(webhook_resends::id.eq(resend.uuid()))
            .select((ResendRow::as_select(), progress(workspace.uuid())))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(found.map(|(row, progress)| row.read(&progress)))
    }

    async fn list_resends(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Vec<Resend>, StoreError> {
        let mut connection = self.database.delivering().await?;
        let found: Vec<(ResendRow, Progress)> = webhook_resends::table
            .filter(webhook_resends::workspace_id.eq(workspace.uuid()))
            .filter(webhook_resends::address_id.eq(address.uuid()))
            .order(webhook_resends::created_at.desc())
            .limit(LISTED)
            .select((ResendRow::as_select(), progress(workspace.uuid())))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(found.into_iter().map(|(row, progress)| row.read(&progress)).collect())
    }

    async fn workspaces_resending(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        let going_on = webhook_resends::table
            .filter(webhook_resends::workspace_id.eq(workspaces::workspace_id))
            .filter(webhook_resends::ended_at.is_null())
            .select(webhook_resends::id);
        self.database.workspaces(exists(going_on)).await
    }

    async fn step_resend(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<ResendStep, StoreError> {
        let transaction = self.database.transaction_delivering().await?;
        let job = webhook_resends::table
            .filter(webhook_resends::workspace_id.eq(workspace.uuid()))
            .filter(webhook_resends::ended_at.is_null())
            .order(webhook_resends::created_at)
            .limit(1)
            .select(JobRow::as_select())
            .for_no_key_update()
            .skip_locked()
            .get_result(&mut &*transaction);
        let Some(job) = transaction.begin_with(job).await.optional().map_err(failed)? else {
            return Ok(ResendStep::Nothing);
        };
        job.step(&transaction, workspace, now, limit).await.map_err(failed)?;
        Ok(ResendStep::More)
    }
}
