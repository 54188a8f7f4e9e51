//! Counts of tries at signing in, and what the log of changes keeps of those that were refused.

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Binary, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use serde_json::Value;
use time::OffsetDateTime;

use super::audit::{Row, address_of};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// A node whose clock is behind counts into the window that is open already. In the keys' order, so that two who count
/// the same keys wait for one another and not each for the other.
pub(super) const TAKE: &str = "
    INSERT INTO attempt_windows AS open (key_hash, started_at, used)
    SELECT key, $2, 1 FROM unnest($1) AS key ORDER BY key
    ON CONFLICT (key_hash) DO UPDATE SET
        used = CASE WHEN excluded.started_at > open.started_at THEN 1 ELSE open.used + 1 END,
        started_at = greatest(open.started_at, excluded.started_at)
    RETURNING key_hash, used";

pub(super) const USED: &str =
    "SELECT key_hash, used FROM attempt_windows WHERE key_hash = $1 AND started_at >= $2";

pub(super) const FORGIVE: &str = "DELETE FROM attempt_windows WHERE key_hash = ANY ($1)";

pub(super) const GIVE_BACK: &str =
    "UPDATE attempt_windows SET used = used - 1 WHERE key_hash = $1 AND used > 0";

/// The one kind of entry that is written again: it counts.
pub(super) const LOG_REFUSAL: &str = "
    INSERT INTO audit_log AS before (workspace_id, id, action, subject, details, address, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (workspace_id, id) DO UPDATE SET
        details = before.details || jsonb_build_object(
            'tries', (before.details->>'tries')::bigint + 1, 'lastAt', excluded.details->'lastAt'),
        address = excluded.address";

pub(super) const REFUSALS: &str = "
    SELECT id, member_id, action, subject, details, address, created_at FROM audit_log
    WHERE workspace_id = $1 AND subject = $2 AND action IN ('sign_in.failed', 'sign_in.locked')
    ORDER BY created_at DESC, id DESC LIMIT $3";

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = Binary)]
    key_hash: Vec<u8>,
    #[diesel(sql_type = Integer)]
    used: i32,
}

impl Used {
    fn read(&self) -> Result<u32, StoreError> {
        u32::try_from(self.used).map_err(|_| unreadable("count of tries"))
    }
}

fn bytes(keys: &[[u8; 32]]) -> Vec<&[u8]> {
    keys.iter().map(<[u8; 32]>::as_slice).collect()
}

impl PgStore {
    pub(super) async fn count_attempts(
        &self,
        keys: &[[u8; 32]],
        window_start: OffsetDateTime,
    ) -> Result<Vec<u32>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Used> = sql(TAKE)
            .bind::<Array<Binary>, _>(bytes(keys))
            .bind::<Timestamptz, _>(window_start)
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        let of = |key: &[u8; 32]| {
            let row = rows.iter().find(|row| row.key_hash == key);
            row.ok_or_else(|| unreadable("count of tries"))?.read()
        };
        keys.iter().map(of).collect()
    }

    pub(super) async fn attempts_in(
        &self,
        key: [u8; 32],
        window_start: OffsetDateTime,
    ) -> Result<u32, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Used> = sql(USED)
            .bind::<Binary, _>(key)
            .bind::<Timestamptz, _>(window_start)
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        rows.as_slice().first().map_or(Ok(0), Used::read)
    }

    pub(super) async fn forget_attempts(&self, keys: &[[u8; 32]]) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let forgotten = sql(FORGIVE).bind::<Array<Binary>, _>(bytes(keys)).execute(&mut connection).await;
        forgotten.map_err(failed).map(drop)
    }

    pub(super) async fn uncount_attempt(&self, key: [u8; 32]) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let counted = sql(GIVE_BACK).bind::<Binary, _>(key).execute(&mut connection).await;
        counted.map_err(failed).map(drop)
    }

    pub(super) async fn log_refusal(
        &self,
        workspace: WorkspaceId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let written = sql(LOG_REFUSAL)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(entry.id.uuid())
            .bind::<Text, _>(entry.action.as_str())
            .bind::<Nullable<Text>, _>(entry.subject.as_deref())
            .bind::<Jsonb, _>(Value::Object(entry.details.clone()))
            .bind::<Nullable<Text>, _>(address_of(entry))
            .bind::<Timestamptz, _>(entry.at)
            .execute(&mut connection)
            .await;
        written.map_err(failed).map(drop)
    }

    pub(super) async fn refused_sign_ins(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Row> = sql(REFUSALS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(member.to_string())
            .bind::<BigInt, _>(i64::from(most))
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(Row::read).collect()
    }
}
