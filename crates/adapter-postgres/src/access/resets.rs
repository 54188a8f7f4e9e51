//! Links for another password.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Binary, Bool, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::{
        audit::AuditEntry,
        members::EmailAddress,
        resets::{
            NewReset, OpenReset, ResetHash,
            ports::{Reachable, ResetStore},
        },
        sessions::PasswordHash,
    },
    errors::StoreError,
    ids::WorkspaceId,
};
use time::OffsetDateTime;

use super::write_audit;
use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

pub(super) const REACHABLE: &str = "
    SELECT member.workspace_id, member.id, workspace.name AS workspace_name, workspace.locale
    FROM member_logins login
    JOIN members member ON member.workspace_id = login.workspace_id AND member.id = login.member_id
    JOIN workspaces workspace ON workspace.workspace_id = login.workspace_id
    WHERE login.email = $1 AND member.left_at IS NULL AND member.password_hash IS NOT NULL
      AND workspace.reset_by_mail
    ORDER BY member.mailbox_proven_at IS NULL, member.created_at, member.id LIMIT $2";

pub(super) const ADD: &str = "
    WITH known AS (
        SELECT id FROM members
        WHERE workspace_id = $2 AND id = $3 AND left_at IS NULL AND password_hash IS NOT NULL
    ), earlier AS (
        DELETE FROM password_resets USING known
        WHERE password_resets.workspace_id = $2 AND password_resets.member_id = known.id
    )
    INSERT INTO password_resets
        (token_hash, workspace_id, member_id, mailed, drops_factor, created_at, expires_at)
    SELECT $1, $2, known.id, $4, $5, $6, $7 FROM known";

pub(super) const FIND: &str = "
    SELECT reset.workspace_id, reset.member_id, reset.mailed, reset.expires_at, member.email,
           workspace.name AS workspace_name
    FROM password_resets reset
    JOIN members member ON member.workspace_id = reset.workspace_id AND member.id = reset.member_id
    JOIN workspaces workspace ON workspace.workspace_id = reset.workspace_id
    WHERE reset.token_hash = $1 AND reset.expires_at > $2 AND member.left_at IS NULL";

/// The link first and the member then, as whoever removes them.
pub(super) const COMPLETE: &str = "
    WITH used AS (
        DELETE FROM password_resets WHERE token_hash = $1 AND workspace_id = $2 AND expires_at > $3
        RETURNING member_id, mailed, drops_factor
    ), others AS (
        DELETE FROM password_resets other USING used
        WHERE other.workspace_id = $2 AND other.member_id = used.member_id AND other.token_hash <> $1
    ), member AS (
        UPDATE members SET
            password_hash = $4,
            mailbox_proven_at = CASE WHEN used.mailed THEN $3 ELSE mailbox_proven_at END,
            totp_sealed = CASE WHEN used.drops_factor THEN NULL ELSE totp_sealed END,
            totp_confirmed_at = CASE WHEN used.drops_factor THEN NULL ELSE totp_confirmed_at END,
            totp_step = CASE WHEN used.drops_factor THEN NULL ELSE totp_step END
        FROM used WHERE workspace_id = $2 AND id = used.member_id AND left_at IS NULL
        RETURNING id, used.drops_factor
    ), codes AS (
        DELETE FROM recovery_codes USING member
        WHERE recovery_codes.workspace_id = $2 AND recovery_codes.member_id = member.id AND member.drops_factor
    ), ended AS (
        DELETE FROM sessions USING member WHERE sessions.workspace_id = $2 AND sessions.member_id = member.id
    )
    SELECT id FROM member";

pub(super) const BY_MAIL: &str = "SELECT reset_by_mail FROM workspaces WHERE workspace_id = $1";

pub(super) const SET_BY_MAIL: &str = "
    WITH over AS (
        DELETE FROM password_resets WHERE workspace_id = $1 AND mailed AND NOT $2
    )
    UPDATE workspaces SET reset_by_mail = $2 WHERE workspace_id = $1";

#[derive(QueryableByName)]
struct ReachableRow {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    workspace_name: String,
    #[diesel(sql_type = Text)]
    locale: String,
}

impl ReachableRow {
    fn read(self) -> Reachable {
        let Self { workspace_id, id, workspace_name, locale } = self;
        Reachable { workspace: workspace_id.into(), member: id.into(), workspace_name, locale }
    }
}

#[derive(QueryableByName)]
struct OpenRow {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    member_id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    mailed: bool,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Text)]
    workspace_name: String,
}

impl OpenRow {
    fn read(self) -> OpenReset {
        OpenReset {
            workspace: self.workspace_id.into(),
            workspace_name: self.workspace_name,
            member: self.member_id.into(),
            email: EmailAddress::kept(self.email),
            mailed: self.mailed,
            expires_at: self.expires_at,
        }
    }
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = Uuid)]
    #[expect(dead_code, reason = "only its presence counts")]
    id: uuid::Uuid,
}

#[derive(QueryableByName)]
struct ByMail {
    #[diesel(sql_type = Bool)]
    reset_by_mail: bool,
}

#[async_trait]
impl ResetStore for PgStore {
    async fn reachable(&self, email: &EmailAddress, most: usize) -> Result<Vec<Reachable>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<ReachableRow> = sql(REACHABLE)
            .bind::<Text, _>(email.as_str())
            .bind::<BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX))
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(ReachableRow::read).collect())
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        reset: &NewReset,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let added = sql(ADD)
            .bind::<Binary, _>(reset.hash.0)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(reset.member.uuid())
            .bind::<Bool, _>(reset.mailed)
            .bind::<Bool, _>(reset.drops_factor)
            .bind::<Timestamptz, _>(reset.created_at)
            .bind::<Timestamptz, _>(reset.expires_at)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if added == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn find(&self, hash: ResetHash, now: OffsetDateTime) -> Result<Option<OpenReset>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND)
            .bind::<Binary, _>(hash.0)
            .bind::<Timestamptz, _>(now)
            .get_result::<OpenRow>(&mut connection)
            .await
            .optional();
        Ok(row.map_err(failed)?.map(OpenRow::read))
    }

    async fn complete(
        &self,
        workspace: WorkspaceId,
        hash: ResetHash,
        password: &PasswordHash,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let changed = sql(COMPLETE)
            .bind::<Binary, _>(hash.0)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(entry.at)
            .bind::<Text, _>(&password.0)
            .get_result::<Id>(&mut transaction)
            .await
            .optional();
        if changed.map_err(failed)?.is_none() {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn by_mail(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(BY_MAIL)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result::<ByMail>(&mut connection)
            .await
            .optional();
        Ok(row.map_err(failed)?.is_some_and(|row| row.reset_by_mail))
    }

    async fn set_by_mail(
        &self,
        workspace: WorkspaceId,
        by_mail: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sql(SET_BY_MAIL)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Bool, _>(by_mail)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await
    }
}
