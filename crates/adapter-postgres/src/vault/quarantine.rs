//! Sealed values of the quarantine: posts, and updates as the journal sealed them.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, QueryDsl, Queryable,
    dsl::case_when,
    sql_types::{Binary, Integer},
};
use domain::{
    errors::StoreError,
    vault::ports::{Purpose, WalkStep},
};

use super::{
    PgSealedValues,
    walk::{count, nothing},
};
use crate::{error::failed, places, schema::quarantine, sql::RunQueryDsl};

pub(super) const NAME: &str = "quarantine.payload_sealed";

/// Rows read by one statement: each post may be as large as the largest of a network.
const AT_ONCE: i64 = 20;

diesel::define_sql_function! {
    fn substr(value: Binary, from: Integer, count: Integer) -> Binary;
}

#[derive(Queryable)]
struct Row {
    id: i64,
    workspace_id: Option<uuid::Uuid>,
    update_id: Option<uuid::Uuid>,
    /// Set if the value is not sealed as it should be.
    value: Option<Vec<u8>>,
}

impl PgSealedValues {
    /// Walks over the next rows. Returns the last one if there may be more.
    pub(super) async fn quarantine_step(
        &self,
        after: i64,
        purpose: Purpose,
    ) -> Result<(WalkStep, Option<i64>), StoreError> {
        let prefix = self.database.vault.sealed_prefix();
        let begins = substr(quarantine::payload_sealed, 1, i32::try_from(prefix.len()).unwrap_or(i32::MAX));
        // For counting, an empty value in place of each is enough.
        let most = if purpose == Purpose::Reseal { i32::MAX } else { 0 };
        let is_other = quarantine::payload_sealed.ne(Vec::<u8>::new()).and(begins.ne(prefix));
        let rows: Vec<Row> = quarantine::table
            .filter(quarantine::id.gt(after))
            .order(quarantine::id)
            .limit(AT_ONCE)
            .select((
                quarantine::id,
                quarantine::workspace_id,
                quarantine::update_id,
                case_when(is_other, substr(quarantine::payload_sealed, 1, most)),
            ))
            .load(&mut self.database.connection().await?)
            .await
            .map_err(failed)?;
        let mut step = WalkStep { rows: count(rows.len()), ..nothing(NAME) };
        let last = rows.last().map(|row| row.id);
        for Row { id, workspace_id, update_id, value } in rows {
            let Some(was) = value else { continue };
            let place = || match workspace_id.zip(update_id) {
                Some((of, update)) => places::journal_item(of.into(), update.into()),
                None => places::quarantined_post(id),
            };
            if let Some(value) = self.sealed_anew(&mut step, &was, place, purpose)? {
                step.resealed += count(self.reseal_quarantined(id, &was, &value).await?);
            }
        }
        Ok((step, last))
    }

    /// Reseals the value unless it has changed or is locked. Returns the number of changed rows.
    async fn reseal_quarantined(&self, id: i64, was: &[u8], value: &[u8]) -> Result<usize, StoreError> {
        let transaction = self.database.transaction().await?;
        let kept = quarantine::table.filter(quarantine::id.eq(id)).filter(quarantine::payload_sealed.eq(was));
        let held =
            kept.select(quarantine::id).for_no_key_update().skip_locked().load::<i64>(&mut &*transaction);
        if transaction.begin_with(held).await.map_err(failed)?.is_empty() {
            return Ok(0);
        }
        let replaced =
            diesel::update(kept).set(quarantine::payload_sealed.eq(value)).execute(&mut &*transaction);
        transaction.commit_with(replaced).await.map_err(failed)
    }
}
