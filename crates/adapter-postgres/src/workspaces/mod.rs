//! Workspaces, their owners and plans.

mod days;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use domain::{
    access::members::Role,
    audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    phone::Region,
    workspaces::{Month, Plan, Workspace, WorkspaceSettings, ports::WorkspaceStore},
    zone::Zone,
};

use crate::{
    Database,
    audit::audit,
    error::{failed, unreadable},
    schema::{contacts, members, workspaces},
    sql::{RunQueryDsl, coalesce},
};

/// Workspaces and their plans.
#[derive(Clone)]
pub struct PgWorkspaces {
    pub(crate) database: Database,
}

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = workspaces)]
pub(crate) struct WorkspaceRow {
    name: String,
    locale: String,
    region: String,
    time_zone: String,
    active_customer_limit: Option<i32>,
    paused: bool,
}

impl WorkspaceRow {
    pub(crate) fn read(self, id: WorkspaceId) -> Result<Workspace, StoreError> {
        let limit = self.active_customer_limit.map(u32::try_from).transpose();
        Ok(Workspace {
            id,
            name: self.name,
            locale: self.locale,
            region: self.region.parse().map_err(|_| unreadable("region"))?,
            time_zone: Zone::read(&self.time_zone).map_err(|_| unreadable("time zone"))?,
            plan: Plan {
                active_customer_limit: limit.map_err(|_| unreadable("limit of a plan"))?,
                paused: self.paused,
            },
        })
    }
}

/// Converts the plan's limit; one beyond the column's range is stored as its maximum, which nobody reaches.
fn stored_limit(plan: Plan) -> Option<i32> {
    plan.active_customer_limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX))
}

#[async_trait]
impl WorkspaceStore for PgWorkspaces {
    async fn create(
        &self,
        workspace: &Workspace,
        owner: MemberId,
        owner_email: &str,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.add(diesel::insert_into(workspaces::table).values((
            workspaces::workspace_id.eq(workspace.id.uuid()),
            workspaces::name.eq(&workspace.name),
            workspaces::locale.eq(&workspace.locale),
            workspaces::region.eq(workspace.region.as_str()),
            workspaces::time_zone.eq(workspace.time_zone.name()),
            workspaces::active_customer_limit.eq(stored_limit(workspace.plan)),
            workspaces::paused.eq(workspace.plan.paused),
            workspaces::created_at.eq(entry.at),
        )));
        flight.add(diesel::insert_into(members::table).values((
            members::workspace_id.eq(workspace.id.uuid()),
            members::id.eq(owner.uuid()),
            members::email.eq(owner_email),
            members::role.eq(Role::Owner.as_str()),
            members::created_at.eq(entry.at),
        )));
        audit(&mut flight, workspace.id, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }

    async fn find(&self, workspace: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .select(WorkspaceRow::as_select())
            .get_result(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| row.read(workspace)).transpose()
    }

    async fn list(&self, after: Option<WorkspaceId>, most: u32) -> Result<Vec<Workspace>, StoreError> {
        let mut connection = self.database.connection().await?;
        let after = after.map_or_else(uuid::Uuid::nil, WorkspaceId::uuid);
        let rows = workspaces::table
            .filter(workspaces::workspace_id.gt(after))
            .order(workspaces::workspace_id)
            .limit(i64::from(most))
            .select((workspaces::workspace_id, WorkspaceRow::as_select()))
            .load::<(uuid::Uuid, WorkspaceRow)>(&mut connection)
            .await;
        rows.map_err(failed)?.into_iter().map(|(id, row)| row.read(id.into())).collect()
    }

    async fn owner(&self, workspace: WorkspaceId) -> Result<Option<MemberId>, StoreError> {
        let mut connection = self.database.connection().await?;
        let owner = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::role.eq(Role::Owner.as_str()))
            .filter(members::left_at.is_null())
            .order((members::created_at, members::id))
            .limit(1)
            .select(members::id)
            .get_result::<uuid::Uuid>(&mut connection)
            .await;
        Ok(owner.optional().map_err(failed)?.map(MemberId::from))
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        wanted: &WorkspaceSettings,
        entry: &AuditEntry,
    ) -> Result<Option<Workspace>, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &diesel_async::AsyncPgConnection = &transaction;
        let this = workspaces::table.filter(workspaces::workspace_id.eq(workspace.uuid()));
        let change = diesel::update(this)
            .set((
                workspaces::name.eq(coalesce(wanted.name.as_deref(), workspaces::name)),
                workspaces::locale.eq(coalesce(wanted.locale.as_deref(), workspaces::locale)),
                workspaces::region
                    .eq(coalesce(wanted.region.as_ref().map(Region::as_str), workspaces::region)),
                workspaces::time_zone
                    .eq(coalesce(wanted.time_zone.as_ref().map(Zone::name), workspaces::time_zone)),
            ))
            .returning(WorkspaceRow::as_returning())
            .get_result::<WorkspaceRow>(&mut connection);
        let row = transaction.begin_with(change).await.optional();
        let Some(row) = row.map_err(failed)? else { return Ok(None) };
        let mut flight = transaction.flight();
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        row.read(workspace).map(Some)
    }

    async fn active_customers(&self, workspace: WorkspaceId, month: Month) -> Result<u64, StoreError> {
        let mut connection = self.database.connection().await?;
        let active: i64 = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::active_month.eq(month.first_day()))
            .count()
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        u64::try_from(active).map_err(|_| unreadable("count of customers"))
    }

    async fn set_plan(
        &self,
        workspace: WorkspaceId,
        plan: Plan,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let this = workspaces::table.filter(workspaces::workspace_id.eq(workspace.uuid()));
        let set = diesel::update(this).set((
            workspaces::active_customer_limit.eq(stored_limit(plan)),
            workspaces::paused.eq(plan.paused),
        ));
        Ok(self.database.change_audited(set, workspace, entry).await? > 0)
    }
}
