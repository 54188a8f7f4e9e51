//! What members prove who they are with: passwords' hashes and second factors.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, BigInt, Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::{
        audit::AuditEntry,
        members::EmailAddress,
        sessions::{
            PasswordHash, TotpSecret,
            ports::{Credentials, Factor, Proof},
        },
    },
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};

use super::{
    members::{MemberRow, VOID_RESETS, member_columns, void},
    write_audit,
};
use crate::{
    PgStore,
    error::{failed, locked},
    places,
    sql::{Bind, sql},
};

macro_rules! credentials {
    ($of:literal) => {
        concat!(
            "SELECT ",
            member_columns!(),
            ", member.password_hash, member.totp_sealed, member.totp_step ",
            $of,
            " AND member.left_at IS NULL AND member.password_hash IS NOT NULL"
        )
    };
}

pub(super) const BY_EMAIL: &str = concat!(
    credentials!(
        "FROM member_logins login
         JOIN members member ON member.workspace_id = login.workspace_id AND member.id = login.member_id
         WHERE login.email = $1 AND ($2 IS NULL OR login.workspace_id = $2)"
    ),
    " ORDER BY member.mailbox_proven_at IS NULL, member.created_at, member.id LIMIT $3"
);

pub(super) const OF_MEMBER: &str =
    credentials!("FROM members member WHERE member.workspace_id = $1 AND member.id = $2");

/// A step of time is used up once.
pub(super) const USE_STEP: &str = "
    UPDATE members SET totp_step = $3
    WHERE workspace_id = $1 AND id = $2 AND left_at IS NULL AND totp_confirmed_at IS NOT NULL
      AND coalesce(totp_step, -1) < $3";

pub(super) const USE_RECOVERY: &str =
    "DELETE FROM recovery_codes WHERE workspace_id = $1 AND member_id = $2 AND code_hash = $3";

pub(super) const SET_PASSWORD: &str = "
    WITH ended AS (
        DELETE FROM sessions WHERE workspace_id = $1 AND member_id = $2 AND id <> $4
    )
    UPDATE members SET password_hash = $3 WHERE workspace_id = $1 AND id = $2 AND left_at IS NULL";

pub(super) const OFFER: &str = "
    UPDATE members SET totp_sealed = $3, totp_step = NULL
    WHERE workspace_id = $1 AND id = $2 AND left_at IS NULL AND totp_confirmed_at IS NULL";

pub(super) const CONFIRM: &str = "
    WITH confirmed AS (
        UPDATE members SET totp_confirmed_at = $4, totp_step = $3
        WHERE workspace_id = $1 AND id = $2 AND left_at IS NULL AND totp_confirmed_at IS NULL
          AND totp_sealed IS NOT NULL
        RETURNING id
    )
    INSERT INTO recovery_codes (workspace_id, member_id, code_hash)
    SELECT $1, confirmed.id, code FROM confirmed, unnest($5) AS code";

pub(super) const DROP: &str = "
    WITH codes AS (
        DELETE FROM recovery_codes WHERE workspace_id = $1 AND member_id = $2
    )
    UPDATE members SET totp_sealed = NULL, totp_confirmed_at = NULL, totp_step = NULL
    WHERE workspace_id = $1 AND id = $2";

#[derive(QueryableByName)]
struct Row {
    #[diesel(embed)]
    member: MemberRow,
    #[diesel(sql_type = Text)]
    password_hash: String,
    #[diesel(sql_type = Nullable<Binary>)]
    totp_sealed: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    totp_step: Option<i64>,
}

impl PgStore {
    fn read_credentials(&self, row: Row) -> Result<Credentials, StoreError> {
        let member = row.member.read()?;
        let place = places::totp(member.workspace, member.id);
        let open = |sealed: Vec<u8>| self.vault.open(&sealed, &place).map_err(locked);
        let secret = row.totp_sealed.map(open).transpose()?;
        let factor = secret.map(|secret| Factor {
            secret: TotpSecret::from_bytes(secret),
            confirmed: member.second_factor,
            last_step: row.totp_step,
        });
        Ok(Credentials { member, password: PasswordHash(row.password_hash), factor })
    }

    pub(super) async fn credentials_by_email(
        &self,
        email: &EmailAddress,
        workspace: Option<WorkspaceId>,
        most: usize,
    ) -> Result<Vec<Credentials>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Row> = sql(BY_EMAIL)
            .bind::<Text, _>(email.as_str())
            .bind::<Nullable<Uuid>, _>(workspace.map(WorkspaceId::uuid))
            .bind::<BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX))
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(|row| self.read_credentials(row)).collect()
    }

    pub(super) async fn credentials_of_member(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Option<Credentials>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(OF_MEMBER)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .get_result::<Row>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| self.read_credentials(row)).transpose()
    }

    pub(super) async fn write_password(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        password: &PasswordHash,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        void(&mut transaction, VOID_RESETS, workspace, member).await?;
        let written = sql(SET_PASSWORD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Text, _>(&password.0)
            .bind::<Uuid, _>(keep.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if written == 0 {
            return Err(StoreError::Stale);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await
    }

    pub(super) async fn offer(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        secret: &TotpSecret,
    ) -> Result<bool, StoreError> {
        let sealed = self.vault.seal(secret.reveal(), &places::totp(workspace, member)).map_err(locked)?;
        let mut connection = self.connection().await?;
        let offered = sql(OFFER)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Binary, _>(sealed)
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
        let mut transaction = self.begin().await?;
        let confirmed = sql(CONFIRM)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<BigInt, _>(step)
            .bind::<Timestamptz, _>(entry.at)
            .bind::<Array<Binary>, _>(recovery.iter().map(<[u8; 32]>::as_slice).collect::<Vec<_>>())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if confirmed == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn forget_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sql(DROP)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await
    }
}

/// Uses the proof up; `false` when it was used before or is none.
pub(super) async fn use_proof(
    transaction: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
    proof: Proof,
) -> Result<bool, StoreError> {
    let of_member =
        |statement| sql(statement).bind::<Uuid, _>(workspace.uuid()).bind::<Uuid, _>(member.uuid());
    let used = match proof {
        Proof::NotAsked => return Ok(true),
        Proof::Step(step) => of_member(USE_STEP).bind::<BigInt, _>(step).execute(transaction).await,
        Proof::Recovery(hash) => of_member(USE_RECOVERY).bind::<Binary, _>(hash).execute(transaction).await,
    };
    Ok(used.map_err(failed)? > 0)
}
