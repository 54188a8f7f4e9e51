//! What callers and operators are told while the database cannot do its work.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::Value;

use crate::support::{Api, Browser, Listening, Rows, World, eventually};

/// Has every new session refuse to write.
const READ_ONLY: &str = "
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
    END $$";

/// Ends the other sessions, and returns when they have ended.
const END_SESSIONS: &str = "
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// How every failure of a database that is away begins.
const AWAY: &str = "the store is unavailable: ";
const CLASS: &str = "the store is unavailable: the database is read-only (25006)";

/// Counts the failures with such a cause that the log reports, and the lines for them.
fn said(log: &[String], cause: &str) -> (u64, usize) {
    let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let names = |fields: &Value, name: &str| fields[name].as_str().is_some_and(|said| said.contains(cause));
    let failures = lines.map(|line| line["fields"].clone());
    let failures = failures.filter(|fields| names(fields, "cause") || names(fields, "error"));
    let counts: Vec<u64> = failures.map(|fields| fields["count"].as_u64().unwrap_or(1)).collect();
    (counts.iter().sum(), counts.len())
}

#[tokio::test]
async fn while_the_database_takes_no_writes_callers_come_back_and_the_log_counts_them() {
    let world = World::new().await;
    let rows = world.rows().await;
    rows.change(READ_ONLY).await;
    let api = world.api();
    // Only now: a session that began before the change was committed would go on writing. One that was just
    // beginning is in no list yet, but is by the time that others are refused.
    for _ in 0..2 {
        rows.change(END_SESSIONS).await;
        let so_far = said(&world.service.log(), CLASS).0;
        eventually("the class is named", async || {
            api.get("/v1/me").await;
            (said(&world.service.log(), CLASS).0 > so_far).then_some(())
        })
        .await;
    }
    let before = said(&world.service.log(), CLASS);
    let answers = join_all((0..300).map(|_| api.get("/v1/me"))).await;
    for answer in &answers {
        answer.assert_error(503, "read-only");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    let (count, lines) = eventually("all are counted", async || {
        let now = said(&world.service.log(), CLASS);
        (now.0 >= before.0 + 300).then_some(now)
    })
    .await;
    assert!(count >= 300 && lines < 40, "{count} in {lines} lines");
    let requests = world.service.log().iter().filter(|line| line.contains("\"status\":503")).count();
    assert_eq!(requests, 0, "their count stands for them");
    let ready = Api::new(world.service.admin_url(), "").bare(Method::GET, "/readyz").send().await.unwrap();
    assert_eq!(ready.status(), 503, "another node may reach the server that is written to");
    assert!(ready.text().await.unwrap().contains("the database takes no changes"));
}

#[tokio::test]
async fn while_nobody_is_let_in_what_works_in_the_background_is_counted_too() {
    let world = World::new().await;
    let owner = Browser::joined(
        world.service.base_url(),
        &world.secrets,
        &world.workspace,
        "owner@palm.example",
        "owner",
    )
    .await;
    let mut listening = Listening::new(&owner, None).await;
    assert_eq!(listening.next().await.unwrap().1, "open");
    let (server, name) = world.secrets.database_url.rsplit_once('/').unwrap();
    let elsewhere = Rows::of(&format!("{server}/postgres")).await;
    elsewhere.change(&format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS false")).await;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname =";
    elsewhere.change(&format!("{end} '{name}'")).await;
    let (count, lines) = eventually("many failures are counted", async || {
        let now = said(&world.service.log(), AWAY);
        (now.0 >= 40).then_some(now)
    })
    .await;
    assert!(lines < 20, "{count} in {lines} lines");
    elsewhere.change(&format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS true")).await;
}
