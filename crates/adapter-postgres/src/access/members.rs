//! Members.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::{
        audit::AuditEntry,
        members::{EmailAddress, Member, Role, ports::MemberStore},
    },
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use time::OffsetDateTime;

use super::write_audit;
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
    transaction::Transaction,
};

/// The columns of [`MemberRow`], of `member`.
macro_rules! member_columns {
    () => {
        "member.workspace_id, member.id, member.email, member.name, member.role,
         member.password_hash IS NOT NULL AS joined, member.totp_confirmed_at IS NOT NULL AS second_factor,
         member.created_at"
    };
}
pub(super) use member_columns;

pub(super) const TEAM: &str = concat!(
    "SELECT ",
    member_columns!(),
    " FROM members member WHERE workspace_id = $1 AND left_at IS NULL ORDER BY created_at, id"
);

pub(super) const RENAME: &str =
    "UPDATE members SET name = $3 WHERE workspace_id = $1 AND id = $2 AND left_at IS NULL";

/// Whoever takes an owner away waits for others who do.
pub(super) const LOCK_OWNERS: &str = "
    SELECT id FROM members WHERE workspace_id = $1 AND role = 'owner' AND left_at IS NULL ORDER BY id FOR UPDATE";

pub(super) const SET_ROLE: &str = "
    UPDATE members SET role = $3
    WHERE workspace_id = $1 AND id = $2 AND left_at IS NULL AND ($3 = 'owner' OR EXISTS (
        SELECT FROM members other
        WHERE other.workspace_id = $1 AND other.id <> $2 AND other.role = 'owner' AND other.left_at IS NULL))";

/// Before the member is touched, as whoever accepts a link takes it first and the member then. Whoever made a link
/// may know it.
pub(super) const VOID_LINKS: &str = "
    DELETE FROM invitations
    WHERE workspace_id = $1 AND (invited_by = $2 OR email = (
        SELECT email FROM members WHERE workspace_id = $1 AND id = $2))";

/// Links for another password.
pub(super) const VOID_RESETS: &str = "DELETE FROM password_resets WHERE workspace_id = $1 AND member_id = $2";

/// Those that somebody made as an owner.
pub(super) const VOID_MADE: &str = "DELETE FROM invitations WHERE workspace_id = $1 AND invited_by = $2";

pub(super) const REMOVE: &str = "
    WITH gone AS (
        UPDATE members SET left_at = $4, password_hash = NULL, totp_sealed = NULL, totp_confirmed_at = NULL,
            totp_step = NULL
        WHERE workspace_id = $1 AND id = $2 AND role = $3 AND left_at IS NULL AND ($3 <> 'owner' OR EXISTS (
            SELECT FROM members other
            WHERE other.workspace_id = $1 AND other.id <> $2 AND other.role = 'owner' AND other.left_at IS NULL))
        RETURNING id, email
    ), logins AS (
        DELETE FROM member_logins USING gone WHERE member_logins.email = gone.email AND workspace_id = $1
    ), codes AS (
        DELETE FROM recovery_codes USING gone WHERE workspace_id = $1 AND member_id = gone.id
    ), ended AS (
        DELETE FROM sessions USING gone WHERE workspace_id = $1 AND member_id = gone.id
    ), ungrouped AS (
        DELETE FROM group_members USING gone WHERE workspace_id = $1 AND member_id = gone.id
    ), departed AS (
        INSERT INTO departures (workspace_id, member_id, removed_by, left_at)
        SELECT $1, id, coalesce($5, id), $4 FROM gone
    )
    SELECT id FROM gone";

#[derive(QueryableByName)]
pub(super) struct MemberRow {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Bool)]
    joined: bool,
    #[diesel(sql_type = Bool)]
    second_factor: bool,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl MemberRow {
    pub(super) fn read(self) -> Result<Member, StoreError> {
        Ok(Member {
            id: self.id.into(),
            workspace: self.workspace_id.into(),
            email: EmailAddress::kept(self.email),
            name: self.name,
            role: Role::read(&self.role).ok_or_else(|| unreadable("role"))?,
            joined: self.joined,
            second_factor: self.second_factor,
            created_at: self.created_at,
        })
    }
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = Uuid)]
    #[expect(dead_code, reason = "only its presence counts")]
    id: uuid::Uuid,
}

/// Deletes links by `statement`.
pub(super) async fn void(
    transaction: &mut Transaction,
    statement: &'static str,
    workspace: WorkspaceId,
    member: MemberId,
) -> Result<(), StoreError> {
    let voided = sql(statement)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(member.uuid())
        .execute(transaction)
        .await;
    voided.map_err(failed).map(drop)
}

/// Lets nobody else take an owner away meanwhile.
async fn lock_owners(transaction: &mut Transaction, workspace: WorkspaceId) -> Result<(), StoreError> {
    let owners = sql(LOCK_OWNERS).bind::<Uuid, _>(workspace.uuid()).get_results::<Id>(transaction).await;
    owners.map_err(failed).map(drop)
}

#[async_trait]
impl MemberStore for PgStore {
    async fn team(&self, workspace: WorkspaceId) -> Result<Vec<Member>, StoreError> {
        let mut connection = self.connection().await?;
        let rows =
            sql(TEAM).bind::<Uuid, _>(workspace.uuid()).get_results::<MemberRow>(&mut connection).await;
        rows.map_err(failed)?.into_iter().map(MemberRow::read).collect()
    }

    async fn rename(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let renamed = sql(RENAME)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Text, _>(name)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if renamed == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn set_role(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        if role != Role::Owner {
            void(&mut transaction, VOID_MADE, workspace, member).await?;
        }
        lock_owners(&mut transaction, workspace).await?;
        let changed = sql(SET_ROLE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Text, _>(role.as_str())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if changed == 0 {
            return Err(StoreError::Stale);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        void(&mut transaction, VOID_LINKS, workspace, member).await?;
        void(&mut transaction, VOID_RESETS, workspace, member).await?;
        lock_owners(&mut transaction, workspace).await?;
        let gone = sql(REMOVE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Text, _>(role.as_str())
            .bind::<Timestamptz, _>(entry.at)
            .bind::<Nullable<Uuid>, _>(entry.actor.member().map(MemberId::uuid))
            .get_results::<Id>(&mut transaction)
            .await
            .map_err(failed)?;
        if gone.is_empty() {
            return Err(StoreError::Stale);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await
    }
}
