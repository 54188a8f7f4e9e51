//! The store of all sealed values.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, Double, Text},
};
use domain::{
    errors::StoreError,
    vault::ports::{Purpose, SealedValues, Walk},
};

use super::{
    PgSealedValues,
    columns::{COLUMNS, Column},
    walk::PgWalk,
};
use crate::{
    error::failed,
    sql::{RunQueryDsl, statement},
};

/// Estimated number of rows to walk, from statistics. A table counts once for each of its columns.
const ABOUT: &str = "
    SELECT coalesce(sum(greatest(part.reltuples, 0)), 0)::float8 AS rows
    FROM unnest(:tables) AS walked (name) CROSS JOIN LATERAL pg_partition_tree(walked.name::regclass) AS tree
    JOIN pg_class part ON part.oid = tree.relid AND tree.isleaf";

#[derive(QueryableByName)]
struct About {
    #[diesel(sql_type = Double)]
    rows: f64,
}

#[async_trait]
impl SealedValues for PgSealedValues {
    async fn about_how_many(&self) -> Result<Option<u64>, StoreError> {
        let table = |column: &Column| column.name.split_once('.').map(|(table, _)| table);
        let tables: Vec<&str> = COLUMNS.iter().filter_map(table).collect();
        let mut connection = self.database.connection().await?;
        let about: About = statement(ABOUT)
            .bind::<Array<Text>, _>("tables", tables)
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count, of which floats hold more than there are rows"
        )]
        let rows = about.rows as u64;
        Ok((rows > 0).then_some(rows))
    }

    fn walk(&self, purpose: Purpose) -> Box<dyn Walk> {
        Box::new(PgWalk::new(self.clone(), purpose))
    }
}
