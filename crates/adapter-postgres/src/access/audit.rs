//! The log of changes.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::audit::{Action, Actor, AuditEntry, AuditFilter, AuditStore},
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    live::LiveKind,
    paging::PageRequest,
};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// Also tells browsers, where the change is one of the workspace as a whole.
pub(super) const RECORD: &str = "
    WITH told AS (
        INSERT INTO live_changes (workspace_id, kind, conversations, messages)
        SELECT $1, $9, ARRAY[NULL]::uuid[], ARRAY[NULL]::uuid[] WHERE $9 IS NOT NULL
    )
    INSERT INTO audit_log (workspace_id, id, member_id, action, subject, details, address, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// A page: $2 and $3 are the place that it comes after, $4 the rows. What else is asked for has a statement of its
/// own with its own index.
macro_rules! page_of {
    ($filter:literal) => {
        concat!(
            "SELECT id, member_id, action, subject, details, address, created_at FROM audit_log
             WHERE workspace_id = $1",
            $filter,
            " AND (created_at, id)
                < (coalesce($2, 'infinity'), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
              ORDER BY created_at DESC, id DESC LIMIT $4"
        )
    };
}

pub(super) const ALL: &str = page_of!("");
pub(super) const OF_MEMBER: &str = page_of!(" AND member_id = $5 AND ($6 IS NULL OR action = $6)");
pub(super) const OF_ACTION: &str = page_of!(" AND action = $6");

/// The statement for a filter. Each is given every value.
pub(super) const fn statement(filter: &AuditFilter) -> &'static str {
    match (filter.member, filter.action) {
        (Some(_), _) => OF_MEMBER,
        (None, Some(_)) => OF_ACTION,
        (None, None) => ALL,
    }
}

/// Writes an entry of the log, in the transaction of the change that it tells of.
pub(crate) async fn write_audit(
    transaction: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    entry: &AuditEntry,
) -> Result<(), StoreError> {
    sql(RECORD)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(entry.id.uuid())
        .bind::<Nullable<Uuid>, _>(entry.actor.member().map(MemberId::uuid))
        .bind::<Text, _>(entry.action.as_str())
        .bind::<Nullable<Text>, _>(entry.subject.as_deref())
        .bind::<Jsonb, _>(Value::Object(entry.details.clone()))
        .bind::<Nullable<Text>, _>(address_of(entry))
        .bind::<Timestamptz, _>(entry.at)
        .bind::<Nullable<Text>, _>(LiveKind::of(entry.action).map(LiveKind::as_str))
        .execute(transaction)
        .await
        .map_err(failed)?;
    Ok(())
}

/// The client's address, as the log has it.
pub(super) fn address_of(entry: &AuditEntry) -> Option<String> {
    entry.address.map(|address| address.to_canonical().to_string())
}

#[derive(QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Uuid>)]
    member_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Text)]
    action: String,
    #[diesel(sql_type = Nullable<Text>)]
    subject: Option<String>,
    #[diesel(sql_type = Jsonb)]
    details: Value,
    #[diesel(sql_type = Nullable<Text>)]
    address: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl Row {
    pub(super) fn read(self) -> Result<AuditEntry, StoreError> {
        let action = Action::read(&self.action).ok_or_else(|| unreadable("action"))?;
        let actor = self.member_id.map_or(action.without_member(), |member| Actor::Member(member.into()));
        let address = self.address.map(|address| address.parse()).transpose();
        let Value::Object(details) = self.details else { return Err(unreadable("details of a change")) };
        Ok(AuditEntry {
            id: self.id.into(),
            actor,
            address: address.map_err(|_| unreadable("address"))?,
            action,
            subject: self.subject,
            details,
            at: self.created_at,
        })
    }
}

#[async_trait]
impl AuditStore for PgStore {
    async fn add(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        write_audit(&mut connection, workspace, entry).await
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: AuditFilter,
        page: PageRequest,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Row> = sql(statement(&filter))
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Timestamptz>, _>(page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>(page.after.map(|after| after.id))
            .bind::<BigInt, _>(i64::from(page.limit.rows()) + 1)
            .bind::<Nullable<Uuid>, _>(filter.member.map(MemberId::uuid))
            .bind::<Nullable<Text>, _>(filter.action.map(Action::as_str))
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(Row::read).collect()
    }
}
