//! Workspaces, their owners and plans.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Bool, Date, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    phone::Region,
    workspaces::{Month, Plan, Workspace, WorkspaceSettings, ports::WorkspaceStore},
};

use crate::{
    PgStore,
    access::write_audit,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

const CREATE: &str = "
    WITH workspace AS (
        INSERT INTO workspaces
            (workspace_id, name, locale, region, active_customer_limit, paused, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
    )
    INSERT INTO members (workspace_id, id, email, role, created_at) VALUES ($1, $8, $9, 'owner', $7)";

const FIND: &str =
    "SELECT name, locale, region, active_customer_limit, paused FROM workspaces WHERE workspace_id = $1";

const OWNER: &str = "
    SELECT id FROM members WHERE workspace_id = $1 AND role = 'owner' AND left_at IS NULL
    ORDER BY created_at, id LIMIT 1";

const CHANGE: &str = "
    UPDATE workspaces SET name = coalesce($2, name), locale = coalesce($3, locale), region = coalesce($4, region)
    WHERE workspace_id = $1
    RETURNING name, locale, region, active_customer_limit, paused";

const ACTIVE: &str = "SELECT count(*) AS active FROM contacts WHERE workspace_id = $1 AND active_month = $2";

const SET_PLAN: &str =
    "UPDATE workspaces SET active_customer_limit = $2, paused = $3 WHERE workspace_id = $1";

#[derive(QueryableByName)]
pub(crate) struct WorkspaceRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    locale: String,
    #[diesel(sql_type = Text)]
    region: String,
    #[diesel(sql_type = Nullable<Integer>)]
    active_customer_limit: Option<i32>,
    #[diesel(sql_type = Bool)]
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
            plan: Plan {
                active_customer_limit: limit.map_err(|_| unreadable("limit of a plan"))?,
                paused: self.paused,
            },
        })
    }
}

#[derive(QueryableByName)]
struct ActiveRow {
    #[diesel(sql_type = BigInt)]
    active: i64,
}

/// A limit past what the column holds is one that nobody reaches.
fn stored_limit(plan: Plan) -> Option<i32> {
    plan.active_customer_limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX))
}

#[derive(QueryableByName)]
struct Owner {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[async_trait]
impl WorkspaceStore for PgStore {
    async fn create(
        &self,
        workspace: &Workspace,
        owner: MemberId,
        owner_email: &str,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sql(CREATE)
            .bind::<Uuid, _>(workspace.id.uuid())
            .bind::<Text, _>(&workspace.name)
            .bind::<Text, _>(&workspace.locale)
            .bind::<Text, _>(workspace.region.as_str())
            .bind::<Nullable<Integer>, _>(stored_limit(workspace.plan))
            .bind::<Bool, _>(workspace.plan.paused)
            .bind::<Timestamptz, _>(entry.at)
            .bind::<Uuid, _>(owner.uuid())
            .bind::<Text, _>(owner_email)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        write_audit(&mut transaction, workspace.id, entry).await?;
        transaction.commit().await
    }

    async fn find(&self, workspace: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result::<WorkspaceRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| row.read(workspace)).transpose()
    }

    async fn owner(&self, workspace: WorkspaceId) -> Result<Option<MemberId>, StoreError> {
        let mut connection = self.connection().await?;
        let owner = sql(OWNER).bind::<Uuid, _>(workspace.uuid()).get_result::<Owner>(&mut connection).await;
        Ok(owner.optional().map_err(failed)?.map(|owner| owner.id.into()))
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        wanted: &WorkspaceSettings,
        entry: &AuditEntry,
    ) -> Result<Option<Workspace>, StoreError> {
        let mut transaction = self.begin().await?;
        let row = sql(CHANGE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Text>, _>(wanted.name.as_deref())
            .bind::<Nullable<Text>, _>(wanted.locale.as_deref())
            .bind::<Nullable<Text>, _>(wanted.region.as_ref().map(Region::as_str))
            .get_result::<WorkspaceRow>(&mut transaction)
            .await
            .optional();
        let Some(row) = row.map_err(failed)? else { return Ok(None) };
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        row.read(workspace).map(Some)
    }

    async fn active_customers(&self, workspace: WorkspaceId, month: Month) -> Result<u64, StoreError> {
        let mut connection = self.connection().await?;
        let row: ActiveRow = sql(ACTIVE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Date, _>(month.first_day())
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        u64::try_from(row.active).map_err(|_| unreadable("count of customers"))
    }

    async fn set_plan(
        &self,
        workspace: WorkspaceId,
        plan: Plan,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let found = sql(SET_PLAN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Integer>, _>(stored_limit(plan))
            .bind::<Bool, _>(plan.paused)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if found == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
