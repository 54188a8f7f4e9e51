//! Who wants no marketing.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl,
    sql_types::{Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::audit::AuditEntry,
    broadcasts::{MarketingStop, StopSource, ports::MarketingStopStore},
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::{PgBroadcasts, progress::person_stopped};
use crate::{
    access::audit,
    error::{failed, unreadable},
    schema::marketing_stops,
    sql::{first_and_last, statement},
};

/// Networks tell seconds. They are cut in one time zone, since a cluster refuses a condition that asks the session for
/// its own. A stop that there is stays, and whoever has wanted marketing again since is not stopped by what was said
/// before.
const STOP: &str = "INSERT INTO marketing_stops (workspace_id, phone, source, stopped_at)
    VALUES (:workspace, :phone, :source, :at)
    ON CONFLICT (workspace_id, phone) DO UPDATE
    SET source = excluded.source, stopped_at = excluded.stopped_at, resumed_at = NULL
    WHERE marketing_stops.resumed_at IS NOT NULL
      AND excluded.stopped_at AT TIME ZONE 'UTC' >= date_trunc('second', marketing_stops.resumed_at AT TIME ZONE 'UTC')";

/// Where there is no stop, it is remembered all the same: what is told late, of before, is none.
const RESUME: &str = "INSERT INTO marketing_stops (workspace_id, phone, source, stopped_at, resumed_at)
    VALUES (:workspace, :phone, :source, :at, :at)
    ON CONFLICT (workspace_id, phone) DO UPDATE SET resumed_at = excluded.resumed_at
    WHERE excluded.resumed_at AT TIME ZONE 'UTC'
      >= date_trunc('second', coalesce(marketing_stops.resumed_at, marketing_stops.stopped_at) AT TIME ZONE 'UTC')";

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
            .filter(marketing_stops::resumed_at.is_null())
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
            .filter(marketing_stops::resumed_at.is_null())
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
        let kept = statement(STOP)
            .of(workspace)
            .bind::<Text, _>("phone", phone.as_str())
            .bind::<Text, _>("source", stop.source.as_str())
            .bind::<Timestamptz, _>("at", stop.at)
            .execute(&mut connection);
        let kept = transaction.begin_with(kept).await.map_err(failed)?;
        let mut flight = transaction.flight();
        if kept > 0 {
            person_stopped(&mut flight, workspace, phone, stop.at);
        }
        if let Some(entry) = &entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn resume(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        at: OffsetDateTime,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let resumed = statement(RESUME)
            .of(workspace)
            .bind::<Text, _>("phone", phone.as_str())
            .bind::<Text, _>("source", StopSource::Customer.as_str())
            .bind::<Timestamptz, _>("at", at)
            .execute(&mut connection);
        transaction.begin_with(resumed).await.map_err(failed)?;
        let mut flight = transaction.flight();
        if let Some(entry) = &entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}
