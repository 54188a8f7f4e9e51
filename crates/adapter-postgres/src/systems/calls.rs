//! The log of calls.

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper};
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    paging::PageRequest,
    systems::{CallFilter, CallRecord, CallResult, RefusalMessage, Route, ports::CallLog},
};
use time::OffsetDateTime;

use crate::{
    error::{failed, locked, unreadable},
    places,
    schema::{system_calls, workspaces},
    sql::{RunQueryDsl, insert},
    systems::PgSystems,
};

const AT_ONCE: i64 = 1_000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = system_calls)]
struct CallRow {
    id: uuid::Uuid,
    route: String,
    result: String,
    status: Option<i32>,
    duration_ms: i64,
    bytes: Option<i64>,
    unusable: Vec<String>,
    message_sealed: Option<Vec<u8>>,
    created_at: OffsetDateTime,
}

impl PgSystems {
    fn call(&self, workspace: WorkspaceId, row: CallRow) -> Result<CallRecord, StoreError> {
        let id = row.id.into();
        let message = row.message_sealed.map(|sealed| {
            let message =
                self.database.vault.open(&sealed, &places::call_message(workspace, id)).map_err(locked)?;
            let message = String::from_utf8(message).ok().and_then(|said| RefusalMessage::read(&said));
            message.ok_or_else(|| unreadable("message of a call"))
        });
        Ok(CallRecord {
            id,
            route: Route::read(&row.route).ok_or_else(|| unreadable("route"))?,
            result: CallResult::read(&row.result).ok_or_else(|| unreadable("result of a call"))?,
            status: row.status.and_then(|status| u16::try_from(status).ok()),
            duration_ms: u32::try_from(row.duration_ms).unwrap_or_default(),
            bytes: row.bytes.and_then(|bytes| u32::try_from(bytes).ok()),
            unusable: row.unusable,
            message: message.transpose()?,
            at: row.created_at,
        })
    }
}

#[async_trait]
impl CallLog for PgSystems {
    async fn add(&self, workspace: WorkspaceId, call: &CallRecord) -> Result<(), StoreError> {
        let seal = |said: &RefusalMessage| {
            self.database.vault.seal(said.as_str().as_bytes(), &places::call_message(workspace, call.id))
        };
        let sealed = call.message.as_ref().map(seal).transpose().map_err(locked)?;
        let rows = [(call, sealed)];
        let mut connection = self.database.connection().await?;
        insert(system_calls::table, workspace, &rows)
            .column(system_calls::id, |(call, _)| call.id.uuid())
            .column(system_calls::route, |(call, _)| call.route.template())
            .column(system_calls::result, |(call, _)| call.result.as_str())
            .column(system_calls::status, |(call, _)| call.status.map(i32::from))
            .column(system_calls::duration_ms, |(call, _)| i64::from(call.duration_ms))
            .column(system_calls::bytes, |(call, _)| call.bytes.map(i64::from))
            .list(system_calls::unusable, |(call, _)| call.unusable.iter().collect())
            .column(system_calls::message_sealed, |(_, sealed)| sealed.as_deref())
            .column(system_calls::created_at, |(call, _)| call.at)
            .execute(&mut connection)
            .await
            .map_err(failed)
            .map(drop)
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: CallFilter,
        page: PageRequest,
    ) -> Result<Vec<CallRecord>, StoreError> {
        let mut query = system_calls::table
            .filter(system_calls::workspace_id.eq(workspace.uuid()))
            .select(CallRow::as_select())
            .order((system_calls::created_at.desc(), system_calls::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .into_boxed();
        if let Some(route) = filter.route {
            query = query.filter(system_calls::route.eq(route.template()));
        }
        if let Some(result) = filter.result {
            query = query.filter(system_calls::result.eq(result.as_str()));
        }
        let nothing = Vec::<String>::new();
        match filter.unusable {
            Some(true) => query = query.filter(system_calls::unusable.ne(nothing)),
            Some(false) => query = query.filter(system_calls::unusable.eq(nothing)),
            None => {}
        }
        if let Some(after) = page.after {
            let later = system_calls::created_at.eq(after.at).and(system_calls::id.lt(after.id));
            query = query
                .filter(system_calls::created_at.le(after.at))
                .filter(system_calls::created_at.lt(after.at).or(later));
        }
        let mut connection = self.database.connection().await?;
        let rows: Vec<CallRow> = query.load(&mut connection).await.map_err(failed)?;
        rows.into_iter().map(|row| self.call(workspace, row)).collect()
    }

    async fn workspaces_with_old_calls(
        &self,
        before: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up of the oldest call in each workspace.
        let oldest = system_calls::table
            .filter(system_calls::workspace_id.eq(workspaces::workspace_id))
            .order((system_calls::created_at, system_calls::id))
            .select(system_calls::created_at);
        self.database.workspaces(oldest.single_value().lt(before)).await
    }

    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let old: Vec<uuid::Uuid> = system_calls::table
            .filter(system_calls::workspace_id.eq(workspace.uuid()))
            .filter(system_calls::created_at.lt(before))
            .order((system_calls::created_at, system_calls::id))
            .limit(AT_ONCE)
            .select(system_calls::id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let forgotten = diesel::delete(system_calls::table)
            .filter(system_calls::workspace_id.eq(workspace.uuid()))
            .filter(system_calls::id.eq_any(old))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(i64::try_from(forgotten).is_ok_and(|forgotten| forgotten == AT_ONCE))
    }
}
