//! What callers and operators are told while the database cannot do its work.

use futures_util::future::join_all;
use serde_json::Value;

use crate::support::{World, eventually};

/// Has every new session refuse to write, and ends those that there are.
const READ_ONLY: &str = "
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
    END $$;
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

const CLASS: &str = "the store is unavailable: the database is read-only (25006)";

/// The requests that the log says have failed for that reason, and in how many lines.
fn said(log: &[String]) -> (u64, usize) {
    let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_class: Vec<Value> =
        lines.map(|line| line["fields"].clone()).filter(|fields| fields["cause"] == CLASS).collect();
    (of_class.iter().map(|fields| fields["count"].as_u64().unwrap_or(1)).sum(), of_class.len())
}

#[tokio::test]
async fn while_the_database_takes_no_writes_callers_come_back_and_the_log_counts_them() {
    let world = World::new().await;
    world.rows().await.change(READ_ONLY).await;
    let api = world.api();
    // Requests may meet an ended session first.
    eventually("the class is named", async || {
        api.get("/v1/me").await.assert_error(503, "read-only");
        (said(&world.service.log()).0 > 0).then_some(())
    })
    .await;
    let before = said(&world.service.log());
    let answers = join_all((0..300).map(|_| api.get("/v1/me"))).await;
    for answer in &answers {
        answer.assert_error(503, "read-only");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    let (count, lines) = eventually("all are counted", async || {
        let now = said(&world.service.log());
        (now.0 >= before.0 + 300).then_some(now)
    })
    .await;
    assert!(count >= 300 && lines < 40, "{count} in {lines} lines");
    let requests = world.service.log().iter().filter(|line| line.contains("\"status\":503")).count();
    assert_eq!(requests, 0, "their count stands for them");
}
