//! Members' credentials: password hashes and second factors.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, Queryable,
    Selectable, SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    access::sessions::{
        PasswordHash, TotpSecret,
        ports::{Credentials, Factor, Proof},
    },
    audit::AuditEntry,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};
use futures_util::future::{try_join, try_join_all, try_join3};
use time::OffsetDateTime;

use super::{
    factors::forget_factor,
    members::{MemberRow, void_resets},
};
use crate::{
    access::PgAccess,
    audit::audit,
    error::{failed, locked, unreadable},
    places,
    schema::{member_logins, members, recovery_codes, sessions},
    sql::{RunQueryDsl, insert, pg_advisory_xact_lock},
    transaction::Transaction,
};

/// Limit of workspaces looked up for one address.
const MOST_LOGINS: i64 = 100;

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct CredentialsRow {
    #[diesel(embed)]
    member: MemberRow,
    password_hash: Option<String>,
    totp_sealed: Option<Vec<u8>>,
    totp_step: Option<i64>,
    mailbox_proven_at: Option<OffsetDateTime>,
    device_generation: i32,
    created_at: OffsetDateTime,
    id: uuid::Uuid,
}

impl CredentialsRow {
    /// Orders members of one address: those who have proven the mailbox first, then the older ones.
    fn precedence(&self) -> impl Ord + use<> {
        (self.mailbox_proven_at.is_none(), self.created_at, self.id)
    }
}

impl PgAccess {
    fn read_credentials(&self, row: CredentialsRow) -> Result<Credentials, StoreError> {
        let member = row.member.read()?;
        let place = places::totp(member.workspace, member.id);
        let open = |sealed: Vec<u8>| self.database.vault.open(&sealed, &place).map_err(locked);
        let secret = row.totp_sealed.map(open).transpose()?;
        let factor = secret.map(|secret| Factor {
            secret: TotpSecret::from_bytes(secret),
            confirmed: member.second_factor,
            last_step: row.totp_step,
        });
        let password = PasswordHash(row.password_hash.ok_or_else(|| unreadable("password's hash"))?);
        Ok(Credentials { member, password, factor, device_generation: row.device_generation })
    }

    pub(super) async fn credentials_by_email(
        &self,
        email: &EmailAddress,
        workspace: Option<WorkspaceId>,
        most: usize,
    ) -> Result<Vec<Credentials>, StoreError> {
        let connection = self.database.connection().await?;
        let connection: &AsyncPgConnection = &connection;
        let mut logins = logins(connection, email).await.map_err(failed)?;
        logins.retain(|(of, _)| workspace.is_none_or(|workspace| workspace.uuid() == *of));
        let of_login = |(workspace, member): (uuid::Uuid, uuid::Uuid)| {
            credentials_query(connection, workspace.into(), member.into())
        };
        let rows = try_join_all(logins.into_iter().map(of_login)).await.map_err(failed)?;
        let mut rows: Vec<CredentialsRow> = rows.into_iter().flatten().collect();
        rows.sort_unstable_by_key(CredentialsRow::precedence);
        rows.truncate(most);
        rows.into_iter().map(|row| self.read_credentials(row)).collect()
    }

    pub(super) async fn credentials_of_member(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Option<Credentials>, StoreError> {
        let connection = self.database.connection().await?;
        let row = credentials_query(&connection, workspace, member).await.map_err(failed)?;
        row.map(|row| self.read_credentials(row)).transpose()
    }

    pub(super) async fn write_password(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        (current, password): (&PasswordHash, &PasswordHash),
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let void = void_resets(connection, workspace, member);
        let known = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null())
            .filter(members::password_hash.eq(current.0.as_str()));
        let write = diesel::update(known)
            .set(members::password_hash.eq(password.0.as_str()))
            .execute(&mut connection);
        let turn = wait_for_turn(connection, member.uuid());
        let (_, _, written) = transaction.begin_with(try_join3(void, turn, write)).await.map_err(failed)?;
        if written == 0 {
            return Err(StoreError::Stale);
        }
        let mut flight = transaction.flight();
        flight.add(diesel::delete(
            sessions::table
                .filter(sessions::workspace_id.eq(workspace.uuid()))
                .filter(sessions::member_id.eq(member.uuid()))
                .filter(sessions::id.ne(keep.uuid())),
        ));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }

    pub(super) async fn offer(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        secret: &TotpSecret,
    ) -> Result<bool, StoreError> {
        let sealed =
            self.database.vault.seal(secret.reveal(), &places::totp(workspace, member)).map_err(locked)?;
        let mut connection = self.database.connection().await?;
        let without = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null())
            .filter(members::totp_confirmed_at.is_null());
        let offered = diesel::update(without)
            .set((members::totp_sealed.eq(sealed), members::totp_step.eq(None::<i64>)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(offered > 0)
    }

    pub(super) async fn confirm(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        step: i64,
        recovery: &[[u8; 32]],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let offered = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null())
            .filter(members::totp_confirmed_at.is_null())
            .filter(members::totp_sealed.is_not_null());
        let confirm = diesel::update(offered)
            .set((members::totp_confirmed_at.eq(entry.at), members::totp_step.eq(step)))
            .execute(&mut connection);
        if transaction.begin_with(confirm).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.insert(
            insert(recovery_codes::table, workspace, recovery)
                .column(recovery_codes::member_id, |_| member.uuid())
                .column(recovery_codes::code_hash, <[u8; 32]>::as_slice),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    pub(super) async fn drop_confirmed(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        forget_factor(&mut flight, workspace, member);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }
}

/// Lists the workspaces that an address signs in to, with its member in each, at most [`MOST_LOGINS`].
pub(super) async fn logins(
    mut connection: &AsyncPgConnection,
    email: &EmailAddress,
) -> QueryResult<Vec<(uuid::Uuid, uuid::Uuid)>> {
    member_logins::table
        .filter(member_logins::email.eq(email.as_str()))
        .order(member_logins::workspace_id)
        .limit(MOST_LOGINS)
        .select((member_logins::workspace_id, member_logins::member_id))
        .load(&mut connection)
        .await
}

/// Loads a member's credentials; `None` if they have left or have not joined.
async fn credentials_query(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
) -> QueryResult<Option<CredentialsRow>> {
    members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::id.eq(member.uuid()))
        .filter(members::left_at.is_null())
        .filter(members::password_hash.is_not_null())
        .select(CredentialsRow::as_select())
        .get_result(&mut connection)
        .await
        .optional()
}

/// Waits until everybody else who begins or ends sessions of this member, or makes keys for this workspace,
/// has committed. Row locks would not do on a cluster: a worker commits, and releases them, a moment before
/// the coordinator, where sessions and keys are. Links are locked before this lock, and the member after it.
pub(super) fn wait_for_turn(
    connection: &AsyncPgConnection,
    whose: uuid::Uuid,
) -> impl Future<Output = QueryResult<usize>> + Send + '_ {
    let (_, number) = whose.as_u64_pair();
    diesel::select(pg_advisory_xact_lock(number.cast_signed())).execute(&mut { connection })
}

/// Begins the transaction and checks that the member still has this password, and that no second factor is
/// required that was not when they signed in. The member stays locked until its end: whoever changes either
/// afterwards ends all their sessions, also the one that begins here.
pub(super) async fn still_proves(
    transaction: &Transaction,
    workspace: WorkspaceId,
    member: MemberId,
    password: &PasswordHash,
    proof: Proof,
) -> Result<bool, StoreError> {
    let mut connection: &AsyncPgConnection = transaction;
    let standing = members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::id.eq(member.uuid()))
        .filter(members::left_at.is_null())
        .filter(members::password_hash.eq(password.0.as_str()))
        .select(members::totp_confirmed_at)
        .for_no_key_update()
        .get_result::<Option<OffsetDateTime>>(&mut connection);
    let turn = wait_for_turn(transaction, member.uuid());
    let standing = transaction.begin_with(async { try_join(turn, standing).await.optional() });
    let standing = standing.await.map_err(failed)?.map(|(_, asked_since)| asked_since);
    Ok(standing.is_some_and(|asked_since| proof != Proof::NotAsked || asked_since.is_none()))
}

/// Consumes the proof; `false` if it was used before or is invalid. A time step can be used once.
pub(super) async fn use_proof(
    transaction: &Transaction,
    workspace: WorkspaceId,
    member: MemberId,
    proof: Proof,
) -> Result<bool, StoreError> {
    let mut connection: &AsyncPgConnection = transaction;
    let used = match proof {
        Proof::NotAsked => return Ok(true),
        Proof::Step(step) => {
            let unused = members::table
                .filter(members::workspace_id.eq(workspace.uuid()))
                .filter(members::id.eq(member.uuid()))
                .filter(members::left_at.is_null())
                .filter(members::totp_confirmed_at.is_not_null())
                .filter(members::totp_step.is_null().or(members::totp_step.lt(step)));
            let used = diesel::update(unused).set(members::totp_step.eq(step)).execute(&mut connection);
            transaction.send(used).await
        }
        Proof::Recovery(hash) => {
            let code = recovery_codes::table
                .filter(recovery_codes::workspace_id.eq(workspace.uuid()))
                .filter(recovery_codes::member_id.eq(member.uuid()))
                .filter(recovery_codes::code_hash.eq(hash.as_slice()));
            transaction.send(diesel::delete(code).execute(&mut connection)).await
        }
    };
    Ok(used.map_err(failed)? > 0)
}
