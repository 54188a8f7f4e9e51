//! Counts of sign-in attempts, and the log's entries of refused ones.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper,
    sql_types::{Array, Binary, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    audit::{Action, AuditEntry},
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    access::PgAccess,
    audit::{AuditRow, address_of},
    error::{failed, unreadable},
    schema::{attempt_windows, audit_log},
    sql::{RunQueryDsl, statement, word},
};

/// A node whose clock is behind counts into the window that is already open. Rows are locked in the order of
/// their keys, so that two requests that count the same keys cannot deadlock.
pub(super) const TAKE: &str = "
    INSERT INTO attempt_windows AS open (key_hash, started_at, used)
    SELECT key, :window_start, 1 FROM unnest(:keys) AS key ORDER BY key
    ON CONFLICT (key_hash) DO UPDATE SET
        used = CASE WHEN excluded.started_at > open.started_at THEN 1 ELSE open.used + 1 END,
        started_at = greatest(open.started_at, excluded.started_at)
    RETURNING key_hash, used";

/// Counts a refused sign-in into its entry of the log, the only kind of entry that is updated. On a cluster
/// `ON CONFLICT` must not build a JSON object (its text form depends on session settings), but may set a part
/// of one.
pub(super) const LOG_REFUSAL: &str = "
    INSERT INTO audit_log AS before (workspace_id, id, action, subject, details, address, created_at)
    VALUES (:workspace, :id, :action, :subject, :details, :address, :at)
    ON CONFLICT (workspace_id, id) DO UPDATE SET
        details = jsonb_set(
            jsonb_set(before.details, '{tries}', ((before.details->>'tries')::bigint + 1)::text::jsonb),
            '{lastAt}', excluded.details->'lastAt'),
        address = excluded.address";

#[derive(QueryableByName)]
#[diesel(table_name = attempt_windows)]
struct UsedRow {
    key_hash: Vec<u8>,
    used: i32,
}

fn read_count(used: i32) -> Result<u32, StoreError> {
    u32::try_from(used).map_err(|_| unreadable("count of tries"))
}

fn bytes(keys: &[[u8; 32]]) -> Vec<&[u8]> {
    keys.iter().map(<[u8; 32]>::as_slice).collect()
}

impl PgAccess {
    pub(super) async fn count_attempts(
        &self,
        keys: &[[u8; 32]],
        window_start: OffsetDateTime,
    ) -> Result<Vec<u32>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<UsedRow> = statement(TAKE)
            .bind::<Array<Binary>, _>("keys", bytes(keys))
            .bind::<Timestamptz, _>("window_start", window_start)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let of = |key: &[u8; 32]| {
            let row = rows.iter().find(|row| row.key_hash == key);
            read_count(row.ok_or_else(|| unreadable("count of tries"))?.used)
        };
        keys.iter().map(of).collect()
    }

    pub(super) async fn attempts_in(
        &self,
        key: [u8; 32],
        window_start: OffsetDateTime,
    ) -> Result<u32, StoreError> {
        let mut connection = self.database.connection().await?;
        let used = attempt_windows::table
            .filter(attempt_windows::key_hash.eq(key.as_slice()))
            .filter(attempt_windows::started_at.ge(window_start))
            .select(attempt_windows::used)
            .get_result::<i32>(&mut connection)
            .await
            .optional();
        used.map_err(failed)?.map_or(Ok(0), read_count)
    }

    pub(super) async fn forget_attempts(&self, keys: &[[u8; 32]]) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let counted = attempt_windows::table.filter(attempt_windows::key_hash.eq_any(bytes(keys)));
        diesel::delete(counted).execute(&mut connection).await.map_err(failed).map(drop)
    }

    pub(super) async fn uncount_attempt(&self, key: [u8; 32]) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let counted = attempt_windows::table
            .filter(attempt_windows::key_hash.eq(key.as_slice()))
            .filter(attempt_windows::used.gt(0));
        let less = diesel::update(counted).set(attempt_windows::used.eq(attempt_windows::used - 1));
        less.execute(&mut connection).await.map_err(failed).map(drop)
    }

    pub(super) async fn log_refusal(
        &self,
        workspace: WorkspaceId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let written = statement(LOG_REFUSAL)
            .of(workspace)
            .bind::<Uuid, _>("id", entry.id.uuid())
            .bind::<Text, _>("action", entry.action.as_str())
            .bind::<Nullable<Text>, _>("subject", entry.subject.as_deref())
            .bind::<Jsonb, _>("details", Value::Object(entry.details.clone()))
            .bind::<Nullable<Text>, _>("address", address_of(entry))
            .bind::<Timestamptz, _>("at", entry.at)
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
        let mut connection = self.database.connection().await?;
        // The actions are literals in the statement, as they are in the index over these entries.
        let is_refusal = audit_log::action
            .eq(word(Action::SignInFailed.as_str()))
            .or(audit_log::action.eq(word(Action::SignInLocked.as_str())));
        let rows: Vec<AuditRow> = audit_log::table
            .filter(audit_log::workspace_id.eq(workspace.uuid()))
            .filter(audit_log::subject.eq(member.to_string()))
            .filter(is_refusal)
            .order((audit_log::created_at.desc(), audit_log::id.desc()))
            .limit(i64::from(most))
            .select(AuditRow::as_select())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(AuditRow::read).collect()
    }
}
