//! Removal of expired idempotency keys.
//!
//! The oldest keys are found by the ids of their sends, which are in the order of their making: an index of
//! their own would cost each send one more entry. The key of a send that was settled late is examined again
//! until it expires.

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl};
use domain::{errors::StoreError, ids::WorkspaceId, sending::ports::KeyLog};
use time::OffsetDateTime;

use crate::{
    error::failed,
    schema::{idempotency_keys, sends, workspaces},
    sending::PgSends,
    sql::RunQueryDsl,
};

const AT_ONCE: i64 = 1_000;

/// Returns an id greater than all made before `at`, and not greater than those made from then on.
fn first_id(at: OffsetDateTime) -> uuid::Uuid {
    let milliseconds = u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &[0; 10]).into_uuid()
}

#[async_trait]
impl KeyLog for PgSends {
    async fn workspaces_with_old_keys(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up of the oldest key in each workspace.
        let oldest = idempotency_keys::table
            .filter(idempotency_keys::workspace_id.eq(workspaces::workspace_id))
            .order(idempotency_keys::send_id)
            .select(idempotency_keys::send_id);
        self.database.workspaces(oldest.single_value().lt(first_id(before))).await
    }

    async fn forget_keys(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError> {
        let of_key = sends::workspace_id.eq(workspace.uuid()).and(sends::id.eq(idempotency_keys::send_id));
        let mut connection = self.database.connection().await?;
        let expired: Vec<uuid::Uuid> = idempotency_keys::table
            .inner_join(sends::table.on(of_key))
            .filter(idempotency_keys::workspace_id.eq(workspace.uuid()))
            .filter(idempotency_keys::send_id.lt(first_id(before)))
            .filter(idempotency_keys::claimed_at.le(before))
            .filter(sends::settled_at.le(before))
            .order(idempotency_keys::send_id)
            .limit(AT_ONCE)
            .select(idempotency_keys::send_id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        // A key that was taken over meanwhile belongs to another send, and stays.
        let forgotten = diesel::delete(idempotency_keys::table)
            .filter(idempotency_keys::workspace_id.eq(workspace.uuid()))
            .filter(idempotency_keys::send_id.eq_any(expired))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(i64::try_from(forgotten).is_ok_and(|forgotten| forgotten == AT_ONCE))
    }
}

#[cfg(test)]
mod tests {
    use domain::testing::a_moment;
    use time::ext::NumericalDuration;

    use super::*;

    #[test]
    fn an_id_that_begins_a_moment_divides_those_before_it_from_those_after_it() {
        let id_at = |at: OffsetDateTime| {
            let seconds = u64::try_from(at.unix_timestamp()).unwrap();
            uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, at.nanosecond()))
        };
        assert!(id_at(a_moment() - 1.milliseconds()) < first_id(a_moment()));
        assert!(id_at(a_moment()) >= first_id(a_moment()));
    }
}
