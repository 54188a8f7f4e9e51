//! Who wants no marketing.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::audit::AuditEntry,
    broadcasts::{MarketingStop, StopSource, ports::MarketingStopStore},
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::PgBroadcasts;
use crate::{
    access::audit,
    error::{failed, unreadable},
    schema::marketing_stops,
    sql::first_and_last,
};

#[async_trait]
impl MarketingStopStore for PgBroadcasts {
    async fn stop_of(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<MarketingStop>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(String, OffsetDateTime)> = marketing_stops::table
            .filter(marketing_stops::workspace_id.eq(workspace.uuid()))
            .filter(marketing_stops::phone.eq(phone.as_str()))
            .select((marketing_stops::source, marketing_stops::stopped_at))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((source, at)) = row else { return Ok(None) };
        let source = StopSource::read(&source).ok_or_else(|| unreadable("source of a stop"))?;
        Ok(Some(MarketingStop { source, at }))
    }

    async fn stopped(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<PhoneNumber>, StoreError> {
        let phones: Vec<&str> = phones.iter().map(PhoneNumber::as_str).collect();
        let Some((first, last)) = first_and_last(phones.iter().copied()) else { return Ok(Vec::new()) };
        let mut connection = self.database.connection().await?;
        let rows: Vec<String> = marketing_stops::table
            .filter(marketing_stops::workspace_id.eq(workspace.uuid()))
            .filter(marketing_stops::phone.between(first, last))
            .filter(marketing_stops::phone.eq_any(&phones))
            .select(marketing_stops::phone)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |phone: String| PhoneNumber::from_e164(&phone).map_err(|_| unreadable("number"));
        rows.into_iter().map(read).collect()
    }

    async fn stop(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        stop: MarketingStop,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let kept = diesel::insert_into(marketing_stops::table)
            .values((
                marketing_stops::workspace_id.eq(workspace.uuid()),
                marketing_stops::phone.eq(phone.as_str()),
                marketing_stops::source.eq(stop.source.as_str()),
                marketing_stops::stopped_at.eq(stop.at),
            ))
            .on_conflict((marketing_stops::workspace_id, marketing_stops::phone))
            .do_nothing()
            .execute(&mut connection);
        transaction.begin_with(kept).await.map_err(failed)?;
        let mut flight = transaction.flight();
        if let Some(entry) = &entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn resume(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let forgotten = diesel::delete(marketing_stops::table)
            .filter(marketing_stops::workspace_id.eq(workspace.uuid()))
            .filter(marketing_stops::phone.eq(phone.as_str()))
            .execute(&mut connection);
        transaction.begin_with(forgotten).await.map_err(failed)?;
        let mut flight = transaction.flight();
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}
