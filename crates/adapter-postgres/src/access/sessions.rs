//! Sessions, and tries at signing in.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::{
        audit::AuditEntry,
        members::{EmailAddress, Role},
        sessions::{
            ListedSession, NewSession, PasswordHash, Session, SessionHash, TotpSecret, Validity,
            ports::{Credentials, Proof, SessionStore},
        },
    },
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};
use time::{Duration, OffsetDateTime};

use super::{credentials::use_proof, write_audit};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// Uses within so long of one another are not told apart, so that not every request writes.
const SEEN_EVERY: Duration = Duration::MINUTE;

/// How long counts of tries are kept.
const FORGET_ATTEMPTS_AFTER: Duration = Duration::DAY;

pub(super) const RESUME: &str = "
    WITH session AS (
        SELECT id, workspace_id, member_id FROM sessions
        WHERE token_hash = $1 AND seen_at > $3 AND created_at > $4
    ), seen AS (
        UPDATE sessions SET seen_at = $2
        WHERE token_hash = $1 AND seen_at > $3 AND created_at > $4 AND seen_at <= $5
    )
    SELECT session.id, session.workspace_id, session.member_id, member.role, workspace.region
    FROM session
    JOIN members member ON member.workspace_id = session.workspace_id AND member.id = session.member_id
    JOIN workspaces workspace ON workspace.workspace_id = session.workspace_id
    WHERE member.left_at IS NULL";

pub(super) const ADD: &str = "
    INSERT INTO sessions (token_hash, id, workspace_id, member_id, address, user_agent, created_at, seen_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";

/// Sessions that are over, and some of the counts that nobody needs: more of them than a sign-in makes.
pub(super) const CLEAN: &str = "
    WITH over AS (
        DELETE FROM sessions
        WHERE workspace_id = $1 AND member_id = $2 AND (seen_at <= $3 OR created_at <= $4)
    )
    DELETE FROM attempt_windows WHERE key_hash = ANY(ARRAY(
        SELECT key_hash FROM attempt_windows WHERE started_at < $5
        ORDER BY started_at LIMIT 100 FOR UPDATE SKIP LOCKED))";

pub(super) const LIST: &str = "
    SELECT id, address, user_agent, created_at, seen_at FROM sessions
    WHERE workspace_id = $1 AND member_id = $2 AND seen_at > $3 AND created_at > $4
    ORDER BY created_at DESC, id DESC";

pub(super) const END: &str = "DELETE FROM sessions WHERE workspace_id = $1 AND member_id = $2 AND id = $3";

pub(super) const END_OTHERS: &str =
    "DELETE FROM sessions WHERE workspace_id = $1 AND member_id = $2 AND id <> $3";

#[derive(QueryableByName)]
struct SessionRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    member_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Text)]
    region: String,
}

impl SessionRow {
    fn read(self) -> Result<Session, StoreError> {
        Ok(Session {
            id: self.id.into(),
            workspace: self.workspace_id.into(),
            member: self.member_id.into(),
            role: Role::read(&self.role).ok_or_else(|| unreadable("role"))?,
            region: self.region.parse().map_err(|_| unreadable("region"))?,
        })
    }
}

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    address: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    user_agent: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    seen_at: OffsetDateTime,
}

/// Keeps a session, in the transaction that begins it.
pub(super) async fn add(
    transaction: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
    session: &NewSession,
) -> Result<(), StoreError> {
    let address = session.origin.address.map(|address| address.to_canonical().to_string());
    sql(ADD)
        .bind::<Binary, _>(session.hash.0)
        .bind::<Uuid, _>(session.id.uuid())
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Uuid, _>(member.uuid())
        .bind::<Nullable<Text>, _>(address)
        .bind::<Nullable<Text>, _>(session.origin.user_agent.as_deref())
        .bind::<Timestamptz, _>(session.began_at)
        .execute(transaction)
        .await
        .map_err(failed)?;
    Ok(())
}

impl PgStore {
    /// Deletes sessions of the member by `statement`; `false` when there was none.
    async fn end_by(
        &self,
        statement: &'static str,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let ended = sql(statement)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Uuid, _>(session.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if ended == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

#[async_trait]
impl SessionStore for PgStore {
    async fn resume(&self, hash: SessionHash, validity: Validity) -> Result<Option<Session>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(RESUME)
            .bind::<Binary, _>(hash.0)
            .bind::<Timestamptz, _>(validity.now)
            .bind::<Timestamptz, _>(validity.seen_after)
            .bind::<Timestamptz, _>(validity.began_after)
            .bind::<Timestamptz, _>(validity.now - SEEN_EVERY)
            .get_result::<SessionRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(SessionRow::read).transpose()
    }

    async fn credentials(
        &self,
        email: &EmailAddress,
        workspace: Option<WorkspaceId>,
        most: usize,
    ) -> Result<Vec<Credentials>, StoreError> {
        self.credentials_by_email(email, workspace, most).await
    }

    async fn credentials_of(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Option<Credentials>, StoreError> {
        self.credentials_of_member(workspace, member).await
    }

    async fn take_attempts(
        &self,
        keys: &[[u8; 32]],
        window_start: OffsetDateTime,
    ) -> Result<Vec<u32>, StoreError> {
        self.count_attempts(keys, window_start).await
    }

    async fn attempts_of(&self, key: [u8; 32], window_start: OffsetDateTime) -> Result<u32, StoreError> {
        self.attempts_in(key, window_start).await
    }

    async fn forgive_attempts(&self, keys: &[[u8; 32]]) -> Result<(), StoreError> {
        self.forget_attempts(keys).await
    }

    async fn give_back_attempt(&self, key: [u8; 32]) -> Result<(), StoreError> {
        self.uncount_attempt(key).await
    }

    async fn count_refusal(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError> {
        self.log_refusal(workspace, entry).await
    }

    async fn refusals(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.refused_sign_ins(workspace, member, most).await
    }

    async fn begin(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        proof: Proof,
        session: &NewSession,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = Self::begin(self).await?;
        if !use_proof(&mut transaction, workspace, member, proof).await? {
            return Ok(false);
        }
        let validity = Validity::at(entry.at);
        sql(CLEAN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Timestamptz, _>(validity.seen_after)
            .bind::<Timestamptz, _>(validity.began_after)
            .bind::<Timestamptz, _>(entry.at - FORGET_ATTEMPTS_AFTER)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        add(&mut transaction, workspace, member, session).await?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        validity: Validity,
    ) -> Result<Vec<ListedSession>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<ListedRow> = sql(LIST)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Timestamptz, _>(validity.seen_after)
            .bind::<Timestamptz, _>(validity.began_after)
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        let read = |row: ListedRow| ListedSession {
            id: row.id.into(),
            address: row.address,
            user_agent: row.user_agent,
            began_at: row.created_at,
            seen_at: row.seen_at,
        };
        Ok(rows.into_iter().map(read).collect())
    }

    async fn end(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        self.end_by(END, workspace, member, session, entry).await
    }

    async fn end_others(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        self.end_by(END_OTHERS, workspace, member, keep, entry).await.map(drop)
    }

    async fn set_password(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        password: &PasswordHash,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        self.write_password(workspace, member, password, keep, entry).await
    }

    async fn offer_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        secret: &TotpSecret,
    ) -> Result<bool, StoreError> {
        self.offer(workspace, member, secret).await
    }

    async fn confirm_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        step: i64,
        recovery: &[[u8; 32]],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        self.confirm(workspace, member, step, recovery, entry).await
    }

    async fn drop_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        self.forget_factor(workspace, member, entry).await
    }
}
