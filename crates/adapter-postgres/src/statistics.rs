//! Statistics of tables that just got their first rows.
//!
//! For a table that was never analyzed PostgreSQL assumes that a workspace has about one row in it, and finds
//! rows by their keys by going through all rows of their workspace. Autovacuum analyzes it within a minute,
//! which is long for a new database that is busy from the start, and for a new day of the webhook log.

use diesel::{
    QueryResult, QueryableByName,
    sql_types::{BigInt, Text},
};
use diesel_async::SimpleAsyncConnection;
use domain::errors::StoreError;

use crate::{
    Database,
    error::failed,
    sql::{RunQueryDsl, statement},
};

/// Bytes of a table from which on its plans matter.
const WORTH_KNOWING: i64 = 64 * 1024;

/// Tables to analyze. Only those that the user owns can be analyzed.
const UNKNOWN: &str = "
    SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples < 0
      AND pg_relation_size(oid) >= :bytes AND pg_has_role(relowner, 'USAGE')
    ORDER BY relname";

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

impl Database {
    /// Analyzes tables that have rows and were never analyzed, except those that are locked. Returns the
    /// names of all of them.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database is out of reach.
    pub async fn analyze_new_tables(&self) -> Result<Vec<String>, StoreError> {
        let mut connection = self.connection().await?;
        let unknown: QueryResult<Vec<Table>> =
            statement(UNKNOWN).bind::<BigInt, _>("bytes", WORTH_KNOWING).load(&mut connection).await;
        let unknown = unknown.map_err(failed)?;
        for Table { name } in &unknown {
            connection.batch_execute(&format!("ANALYZE (SKIP_LOCKED) {name}")).await.map_err(failed)?;
        }
        Ok(unknown.into_iter().map(|table| table.name).collect())
    }
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use crate::{
        explained::client,
        testing::{TestDatabase, stores},
    };

    #[tokio::test]
    async fn a_table_is_analyzed_when_it_has_got_rows_and_only_then() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        store.analyze_new_tables().await.unwrap();
        let fill = "INSERT INTO workspaces (workspace_id, name, locale, region, created_at)
            SELECT gen_random_uuid(), 'A workspace', 'ar', 'IQ', now() FROM generate_series(1, 2000)";
        client(&database).await.batch_execute(fill).await.unwrap();
        assert_eq!(store.analyze_new_tables().await.unwrap(), ["workspaces"]);
        assert!(store.analyze_new_tables().await.unwrap().is_empty());
    }
}
