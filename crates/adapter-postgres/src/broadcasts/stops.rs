//! Marketing opt-outs.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, upsert::excluded};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    broadcasts::{MarketingStop, StopSource, ports::MarketingStopStore},
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use futures_util::future::try_join;
use time::{Duration, OffsetDateTime};

use super::{
    PgBroadcasts,
    marks::{Counts, MarkKind, came_to, mark},
};
use crate::{
    audit::audit,
    error::{failed, unreadable},
    schema::marketing_stops,
    sql::{RunQueryDsl, coalesce, first_and_last},
};

/// Returns the start of the next second. Networks report whole seconds, so a row written within the same
/// second may be older than the report.
fn next_second(at: OffsetDateTime) -> OffsetDateTime {
    let into = Duration::nanoseconds(at.nanosecond().into());
    at.checked_add(Duration::SECOND - into).unwrap_or(at)
}

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
        use diesel::query_dsl::methods::FilterDsl;

        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        // An existing opt-out stays. One from before the customer's latest opt-in has no effect.
        let resumed_before = marketing_stops::resumed_at.lt(next_second(stop.at));
        let kept = diesel::insert_into(marketing_stops::table)
            .values((
                marketing_stops::workspace_id.eq(workspace.uuid()),
                marketing_stops::phone.eq(phone.as_str()),
                marketing_stops::source.eq(stop.source.as_str()),
                marketing_stops::stopped_at.eq(stop.at),
            ))
            .on_conflict((marketing_stops::workspace_id, marketing_stops::phone))
            .do_update()
            .set((
                marketing_stops::source.eq(excluded(marketing_stops::source)),
                marketing_stops::stopped_at.eq(excluded(marketing_stops::stopped_at)),
                marketing_stops::resumed_at.eq(None::<OffsetDateTime>),
            ))
            .filter(resumed_before)
            .execute(&mut connection);
        let came = came_to(&transaction, workspace, phone, stop.at);
        let (kept, came) = transaction.begin_with(try_join(kept, came)).await.map_err(failed)?;
        let counts = if kept > 0 {
            let marked = mark(&transaction, workspace, MarkKind::Stopped, came, stop.at);
            marked.await.map_err(failed)?
        } else {
            Counts::default()
        };
        let mut flight = transaction.flight();
        counts.write(&mut flight, workspace);
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
        use diesel::query_dsl::methods::FilterDsl;

        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let said_before =
            coalesce(marketing_stops::resumed_at, marketing_stops::stopped_at).lt(next_second(at));
        // Recorded without an opt-out too, so that late news of an earlier one has no effect.
        let resumed = diesel::insert_into(marketing_stops::table)
            .values((
                marketing_stops::workspace_id.eq(workspace.uuid()),
                marketing_stops::phone.eq(phone.as_str()),
                marketing_stops::source.eq(StopSource::Customer.as_str()),
                marketing_stops::stopped_at.eq(at),
                marketing_stops::resumed_at.eq(at),
            ))
            .on_conflict((marketing_stops::workspace_id, marketing_stops::phone))
            .do_update()
            .set(marketing_stops::resumed_at.eq(excluded(marketing_stops::resumed_at)))
            .filter(said_before)
            .execute(&mut connection);
        transaction.begin_with(resumed).await.map_err(failed)?;
        let mut flight = transaction.flight();
        if let Some(entry) = &entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::next_second;

    #[test]
    fn the_next_second_is_behind_all_of_this_one() {
        let wanted = datetime!(2026-11-22 10:00:01 UTC);
        assert_eq!(next_second(datetime!(2026-11-22 10:00 UTC)), wanted);
        assert_eq!(next_second(datetime!(2026-11-22 10:00:00.999_999 UTC)), wanted);
    }
}
