//! The quarantine's values: posts, and updates as the journal sealed them.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Binary, Bool, Nullable, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    vault::ports::{Purpose, Step},
};

use super::walk::{count, nothing};
use crate::{
    PgStore,
    error::failed,
    places,
    sql::{Bind, sql},
};

pub(super) const NAME: &str = "quarantine.payload_sealed";

/// Posts looked at by one statement: each may be as large as the network's largest.
const AT_ONCE: i64 = 20;

const READ: &str = "
    SELECT id, workspace_id, update_id, CASE WHEN payload_sealed <> '' AND substr(payload_sealed, 1, octet_length($3)) <> $3
                               THEN CASE WHEN $4 THEN payload_sealed ELSE '' END END AS value
    FROM quarantine WHERE id > $1 ORDER BY id LIMIT $2";

/// Unless it is another by now, or somebody holds it.
const RESEAL: &str = "
    UPDATE quarantine SET payload_sealed = $3 WHERE payload_sealed = $2 AND id = (
        SELECT id FROM quarantine WHERE id = $1 AND payload_sealed = $2 FOR NO KEY UPDATE SKIP LOCKED)";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Nullable<Uuid>)]
    workspace_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    update_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Binary>)]
    value: Option<Vec<u8>>,
}

impl PgStore {
    /// What was found, and the last row where there may be more.
    pub(super) async fn quarantine_step(
        &self,
        after: i64,
        purpose: Purpose,
    ) -> Result<(Step, Option<i64>), StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Row> = sql(READ)
            .bind::<BigInt, _>(after)
            .bind::<BigInt, _>(AT_ONCE)
            .bind::<Binary, _>(self.vault.sealed_prefix())
            .bind::<Bool, _>(purpose == Purpose::Reseal)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let mut step = Step { rows: count(rows.len()), ..nothing(NAME) };
        let last = rows.last().map(|row| row.id);
        for Row { id, workspace_id, update_id, value } in rows {
            let Some(was) = value else { continue };
            let place = || match workspace_id.zip(update_id) {
                Some((of, update)) => places::journal_item(of.into(), update.into()),
                None => places::quarantined_post(id),
            };
            if let Some(value) = self.sealed_anew(&mut step, &was, place, purpose)? {
                let replace =
                    sql(RESEAL).bind::<BigInt, _>(id).bind::<Binary, _>(was).bind::<Binary, _>(value);
                step.resealed += count(replace.execute(&mut connection).await.map_err(failed)?);
            }
        }
        Ok((step, last))
    }
}
