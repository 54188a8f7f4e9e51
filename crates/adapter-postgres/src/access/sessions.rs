//! Sessions and sign-in attempts.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper, sql_types::Timestamptz,
};
use domain::{
    access::{
        members::Role,
        sessions::{
            ListedSession, NewSession, PasswordHash, Session, SessionHash, TotpSecret, Validity,
            ports::{Credentials, Proof, SessionStore},
        },
    },
    audit::AuditEntry,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
    zone::Zone,
};
use time::{Duration, OffsetDateTime};

use super::{
    credentials::{still_proves, use_proof},
    members::language,
};
use crate::{
    access::PgAccess,
    audit::audit,
    error::{failed, unreadable},
    schema::{members, sessions, workspaces},
    sql::{RunQueryDsl, statement},
    transaction::Flight,
};

/// Precision of a session's last use, so that not every request writes.
const SEEN_EVERY: Duration = Duration::MINUTE;

const FORGET_ATTEMPTS_AFTER: Duration = Duration::DAY;

/// Deletes some expired counts: more of them than one sign-in makes.
pub(super) const CLEAN_ATTEMPTS: &str = "
    DELETE FROM attempt_windows WHERE key_hash = ANY(ARRAY(
        SELECT key_hash FROM attempt_windows WHERE started_at < :before
        ORDER BY started_at LIMIT 100 FOR UPDATE SKIP LOCKED))";

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct SessionRow {
    id: uuid::Uuid,
    workspace_id: uuid::Uuid,
    member_id: uuid::Uuid,
    seen_at: OffsetDateTime,
}

impl SessionRow {
    fn read(self, member: StandingRow) -> Result<Session, StoreError> {
        Ok(Session {
            id: self.id.into(),
            workspace: self.workspace_id.into(),
            member: self.member_id.into(),
            role: Role::read(&member.role).ok_or_else(|| unreadable("role"))?,
            language: language(member.language)?,
            region: member.region.parse().map_err(|_| unreadable("region"))?,
            time_zone: Zone::read(&member.time_zone).map_err(|_| unreadable("time zone"))?,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct StandingRow {
    role: String,
    language: Option<String>,
    #[diesel(select_expression = workspaces::region)]
    region: String,
    #[diesel(select_expression = workspaces::time_zone)]
    time_zone: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct ListedRow {
    id: uuid::Uuid,
    address: Option<String>,
    user_agent: Option<String>,
    created_at: OffsetDateTime,
    seen_at: OffsetDateTime,
}

pub(super) fn add(flight: &mut Flight<'_>, workspace: WorkspaceId, member: MemberId, session: &NewSession) {
    let address = session.origin.address.map(|address| address.to_canonical().to_string());
    flight.add(diesel::insert_into(sessions::table).values((
        sessions::token_hash.eq(session.hash.0.as_slice()),
        sessions::id.eq(session.id.uuid()),
        sessions::workspace_id.eq(workspace.uuid()),
        sessions::member_id.eq(member.uuid()),
        sessions::address.eq(address),
        sessions::user_agent.eq(session.origin.user_agent.as_deref()),
        sessions::created_at.eq(session.began_at),
        sessions::seen_at.eq(session.began_at),
    )));
}

#[async_trait]
impl SessionStore for PgAccess {
    async fn resume(&self, hash: SessionHash, validity: Validity) -> Result<Option<Session>, StoreError> {
        let valid = || {
            sessions::token_hash
                .eq(hash.0.as_slice())
                .and(sessions::seen_at.gt(validity.seen_after))
                .and(sessions::created_at.gt(validity.began_after))
        };
        let mut connection = self.database.connection().await?;
        let session = sessions::table
            .filter(valid())
            .select(SessionRow::as_select())
            .get_result::<SessionRow>(&mut connection)
            .await
            .optional();
        let Some(session) = session.map_err(failed)? else { return Ok(None) };
        let member = members::table
            .inner_join(workspaces::table.on(workspaces::workspace_id.eq(members::workspace_id)))
            .filter(members::workspace_id.eq(session.workspace_id))
            .filter(workspaces::workspace_id.eq(session.workspace_id))
            .filter(members::id.eq(session.member_id))
            .filter(members::left_at.is_null())
            .select(StandingRow::as_select())
            .get_result::<StandingRow>(&mut connection)
            .await
            .optional();
        let Some(member) = member.map_err(failed)? else { return Ok(None) };
        let seen_before = validity.now - SEEN_EVERY;
        if session.seen_at <= seen_before {
            let seen = sessions::table.filter(valid()).filter(sessions::seen_at.le(seen_before));
            let seen = diesel::update(seen).set(sessions::seen_at.eq(validity.now));
            seen.execute(&mut connection).await.map_err(failed)?;
        }
        session.read(member).map(Some)
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
        password: &PasswordHash,
        proof: Proof,
        session: &NewSession,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        if !still_proves(&transaction, workspace, member, password, proof).await?
            || !use_proof(&transaction, workspace, member, proof).await?
        {
            return Ok(false);
        }
        let validity = Validity::at(entry.at);
        let is_over =
            sessions::seen_at.le(validity.seen_after).or(sessions::created_at.le(validity.began_after));
        let mut flight = transaction.flight();
        flight.add(diesel::delete(
            sessions::table
                .filter(sessions::workspace_id.eq(workspace.uuid()))
                .filter(sessions::member_id.eq(member.uuid()))
                .filter(is_over),
        ));
        flight.add(
            statement(CLEAN_ATTEMPTS).bind::<Timestamptz, _>("before", entry.at - FORGET_ATTEMPTS_AFTER),
        );
        add(&mut flight, workspace, member, session);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        validity: Validity,
    ) -> Result<Vec<ListedSession>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<ListedRow> = sessions::table
            .filter(sessions::workspace_id.eq(workspace.uuid()))
            .filter(sessions::member_id.eq(member.uuid()))
            .filter(sessions::seen_at.gt(validity.seen_after))
            .filter(sessions::created_at.gt(validity.began_after))
            .order((sessions::created_at.desc(), sessions::id.desc()))
            .select(ListedRow::as_select())
            .load(&mut connection)
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
        let this = sessions::table
            .filter(sessions::workspace_id.eq(workspace.uuid()))
            .filter(sessions::member_id.eq(member.uuid()))
            .filter(sessions::id.eq(session.uuid()));
        Ok(self.database.change_audited(diesel::delete(this), workspace, entry).await? > 0)
    }

    async fn end_others(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        let of_member = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()));
        flight.add(
            diesel::update(of_member).set(members::device_generation.eq(members::device_generation + 1)),
        );
        flight.add(diesel::delete(
            sessions::table
                .filter(sessions::workspace_id.eq(workspace.uuid()))
                .filter(sessions::member_id.eq(member.uuid()))
                .filter(sessions::id.ne(keep.uuid())),
        ));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }

    async fn set_password(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        current: &PasswordHash,
        password: &PasswordHash,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        self.write_password(workspace, member, (current, password), keep, entry).await
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
        self.drop_confirmed(workspace, member, entry).await
    }
}
