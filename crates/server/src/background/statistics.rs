//! Tells the database's planner of tables that have got their first rows.

use std::{sync::Arc, time::Duration};

use adapter_postgres::Database;
use domain::clock::Clock;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

/// Interval between scans for tables that were never analyzed.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Has new tables analyzed until `shutdown`. Autovacuum does the same, only later: a failure here harms
/// nothing.
pub async fn analyze_new_tables(database: Database, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match database.analyze_new_tables().await {
            Ok(tables) if tables.is_empty() => {}
            Ok(tables) => info!(?tables, "analyzed"),
            Err(error) => debug!(%error, "new tables were not looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(LOOK_EVERY)).await;
    }
}
