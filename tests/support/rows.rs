//! What is in a world's database, looked at past the service.

use std::collections::BTreeMap;

use tokio_postgres::{Client, NoTls};

/// Every table that a send writes to, if it does.
pub(crate) const SENDS: [&str; 9] = [
    "contacts",
    "conversations",
    "messages",
    "sends",
    "idempotency_keys",
    "plan_reservations",
    "deliveries",
    "journal",
    "quarantine",
];

/// A column of moments, so much earlier, as a statement says it. Taking a time from a moment depends on the
/// session's zone, and a cluster lets no update do that.
pub(crate) fn earlier(column: &str, by: &str) -> String {
    format!("({column} AT TIME ZONE 'UTC' - interval '{by}') AT TIME ZONE 'UTC'")
}

/// A connection of the test's own.
pub(crate) struct Rows(Client);

impl Rows {
    pub(crate) async fn of(database_url: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(database_url, NoTls).await.unwrap();
        tokio::spawn(connection);
        Self(client)
    }

    /// How many rows each of `tables` has.
    pub(crate) async fn counts(&self, tables: &[&str]) -> BTreeMap<String, i64> {
        let mut counts = BTreeMap::new();
        for table in tables {
            counts.insert((*table).to_owned(), self.count(table).await);
        }
        counts
    }

    /// How many rows each table has, parts in their whole, but for the rate windows, which every request
    /// moves.
    pub(crate) async fn all_counts(&self) -> BTreeMap<String, i64> {
        let tables = "SELECT relname::text FROM pg_class
                      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
                        AND NOT relispartition AND relname <> 'rate_windows'";
        let tables: Vec<String> =
            self.0.query(tables, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
        self.counts(&tables.iter().map(String::as_str).collect::<Vec<_>>()).await
    }

    pub(crate) async fn count(&self, table: &str) -> i64 {
        self.0.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
    }

    /// Whether anybody waits for what another holds. On a cluster they may do so on a worker, which the
    /// coordinator knows of.
    pub(crate) async fn waits_for_another(&self) -> bool {
        let is_cluster = self.count("pg_class WHERE relname = 'citus_lock_waits'").await > 0;
        let waits = if is_cluster {
            "citus_lock_waits"
        } else {
            "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        };
        self.count(waits).await > 0
    }

    /// The first column of what a query finds, which must be text.
    pub(crate) async fn texts(&self, query: &str) -> Vec<String> {
        self.0.query(query, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    }

    /// Changes rows, as time or another node would.
    pub(crate) async fn change(&self, statement: &str) {
        self.0.batch_execute(statement).await.unwrap();
    }
}
