//! Groups and who is in them.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    groups::{TeamGroup, ports::GroupStore},
    ids::{GroupId, MemberId, WorkspaceId},
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    access::write_audit,
    error::{failed, is_missing_reference},
    live::live_change,
    sql::{Bind, sql},
    transaction::Transaction,
};

const LIST: &str = "
    SELECT id, name, created_at, ARRAY(
        SELECT member_id FROM group_members
        WHERE group_members.workspace_id = $1 AND group_members.group_id = groups.id ORDER BY member_id
    ) AS members
    FROM groups WHERE workspace_id = $1 ORDER BY name, id";

const ADD: &str = "INSERT INTO groups (workspace_id, id, name, created_at) VALUES ($1, $2, $3, $4)";

const RENAME: &str = "UPDATE groups SET name = $3 WHERE workspace_id = $1 AND id = $2";

const RELEASE_CONVERSATIONS: &str = concat!(
    "WITH released AS (
        UPDATE conversations SET group_id = NULL, version = version + 1 WHERE workspace_id = $1 AND group_id = $2
        RETURNING id
    ), ",
    live_change!("told", "conversation.changed", "SELECT id AS conversation_id, NULL::uuid AS message_id FROM released"),
    " SELECT FROM released"
);

const DELETE: &str = "DELETE FROM groups WHERE workspace_id = $1 AND id = $2";

const PUT: &str = "
    WITH known AS (
        SELECT FROM groups
        JOIN members member ON member.workspace_id = $1 AND member.id = $3 AND member.left_at IS NULL
        WHERE groups.workspace_id = $1 AND groups.id = $2
    ), put AS (
        INSERT INTO group_members (workspace_id, group_id, member_id) SELECT $1, $2, $3 FROM known
        ON CONFLICT DO NOTHING
    )
    SELECT count(*) AS count FROM known";

const TAKE: &str = "DELETE FROM group_members WHERE workspace_id = $1 AND group_id = $2 AND member_id = $3";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Array<Uuid>)]
    members: Vec<uuid::Uuid>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Writes the entry and makes both last, if something was changed.
async fn made(
    mut transaction: Transaction,
    workspace: WorkspaceId,
    changed: bool,
    entry: &AuditEntry,
) -> Result<bool, StoreError> {
    if changed {
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
    }
    Ok(changed)
}

/// Runs a statement about a group; how many rows it changed.
async fn about(
    statement: &'static str,
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    group: GroupId,
) -> Result<usize, StoreError> {
    let statement = sql(statement).bind::<Uuid, _>(workspace.uuid()).bind::<Uuid, _>(group.uuid());
    let changed = statement.execute(connection).await;
    changed.map_err(|error| if is_missing_reference(&error) { StoreError::Stale } else { failed(error) })
}

#[async_trait]
impl GroupStore for PgStore {
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<TeamGroup>, StoreError> {
        let mut connection = self.connection().await?;
        let rows = sql(LIST).bind::<Uuid, _>(workspace.uuid()).get_results::<Row>(&mut connection).await;
        let read = |row: Row| TeamGroup {
            id: row.id.into(),
            name: row.name,
            members: row.members.into_iter().map(MemberId::from).collect(),
            created_at: row.created_at,
        };
        Ok(rows.map_err(failed)?.into_iter().map(read).collect())
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        group: &TeamGroup,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sql(ADD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(group.id.uuid())
            .bind::<Text, _>(&group.name)
            .bind::<Timestamptz, _>(group.created_at)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        made(transaction, workspace, true, entry).await.map(drop)
    }

    async fn rename(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let renamed = sql(RENAME)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(group.uuid())
            .bind::<Text, _>(name)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        made(transaction, workspace, renamed > 0, entry).await
    }

    async fn delete(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        about(RELEASE_CONVERSATIONS, &mut transaction, workspace, group).await?;
        let deleted = about(DELETE, &mut transaction, workspace, group).await?;
        made(transaction, workspace, deleted > 0, entry).await
    }

    async fn put(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let known = sql(PUT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(group.uuid())
            .bind::<Uuid, _>(member.uuid())
            .get_result::<Count>(&mut transaction)
            .await
            .map_err(failed)?;
        made(transaction, workspace, known.count > 0, entry).await
    }

    async fn take(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let taken = sql(TAKE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(group.uuid())
            .bind::<Uuid, _>(member.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        made(transaction, workspace, taken > 0, entry).await
    }
}
