//! For tests: how PostgreSQL runs a statement.

use std::{
    mem,
    sync::{Arc, Mutex},
    time::Duration,
};

use diesel_async::SimpleAsyncConnection;
use domain::{
    audit::{Acting, Action, AuditEntry},
    ids::WorkspaceId,
    testing::SequentialIds,
};
use serde_json::Value;
use time::OffsetDateTime;
use tls_trust::Trust;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::{
    Database, PoolConfig, Stores,
    connect::{Address, PLAN_BY_VALUES},
    recorded::{Kind, keep},
    sql::bare,
    testing::{GlassVault, TestDatabase},
};

/// Options that make the server report each statement's plan after it has run.
const EXPLAIN: &str = "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 \
    -c auto_explain.log_analyze=on -c auto_explain.log_timing=off -c auto_explain.log_format=json \
    -c auto_explain.log_level=notice -c client_min_messages=notice";

/// A store with one connection for requests that keeps the plans of its statements. They run as in the
/// service: prepared, and with the same options.
pub(crate) struct ExplainedStore {
    pub(crate) stores: Stores,
    plans: Arc<Mutex<Vec<Plan>>>,
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) statement: String,
    pub(crate) scans: Vec<Scan>,
}

impl ExplainedStore {
    pub(crate) fn over(database: &TestDatabase) -> Self {
        let plans: Arc<Mutex<Vec<Plan>>> = Arc::default();
        let kept = Arc::clone(&plans);
        let hear = move |notice: &str| kept.lock().unwrap().extend(plan(notice));
        let config = PoolConfig {
            url: database.url().to_owned(),
            trust: Trust::default(),
            size: 1,
            wait: Duration::from_secs(20),
        };
        let address = Address::read(&config.url, &config.trust).unwrap().hearing(EXPLAIN, hear);
        let ids = Arc::new(SequentialIds::default());
        let stores = Stores::over(Database::at(address, &config, Arc::new(GlassVault), ids).unwrap());
        Self { stores, plans }
    }

    pub(crate) fn entry(&self, workspace: WorkspaceId, action: Action, at: OffsetDateTime) -> AuditEntry {
        Acting::operator(workspace).does(action, at, &*self.stores.database.ids)
    }

    /// Returns the statements that have run since the last look. The server reports one behind its answer, or
    /// when it is rolled back: the answer to a later statement on the same connection comes behind that.
    pub(crate) async fn ran(&self) -> Vec<Plan> {
        for connection in [self.stores.database.connection().await, self.stores.database.delivering().await] {
            connection.unwrap().batch_execute("").await.unwrap();
        }
        mem::take(&mut *self.plans.lock().unwrap())
    }
}

fn plan(notice: &str) -> Option<Plan> {
    let (_, json) = notice.split_once("plan:")?;
    let told: Value = serde_json::from_str(json).unwrap();
    let mut scans = Vec::new();
    collect(&told["Plan"], &mut scans);
    let statement = told["Query Text"].as_str().unwrap().to_owned();
    if statement == bare(PLAN_BY_VALUES, &[]).0 {
        return None;
    }
    keep(Kind::Explained, &statement);
    Some(Plan { statement, scans })
}

/// A part of a plan that reads a table or an index, after it has run.
#[derive(Debug)]
pub(crate) struct Scan {
    /// For example `Index Scan of messages`.
    pub(crate) kind: String,
    /// Rows read, over all its runs.
    pub(crate) rows: f64,
}

/// Opens a connection past the store, set up as those of requests are, for seeding and explaining.
pub(crate) async fn client(database: &TestDatabase) -> Client {
    client_at(address(database).for_requests()).await
}

/// Opens a connection set up as those that deliver webhooks are.
pub(crate) async fn delivering(database: &TestDatabase) -> Client {
    client_at(address(database).for_deliveries()).await
}

fn address(database: &TestDatabase) -> Address {
    Address::read(database.url(), &Trust::default()).unwrap()
}

async fn client_at(address: Address) -> Client {
    let (client, connection) = address.session(|_, _| ()).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs a statement with parameters of these types and values, as SQL writes them, and rolls it back.
pub(crate) async fn scans(client: &Client, statement: &str, types: &str, values: &str) -> Vec<Scan> {
    keep(Kind::Explained, statement);
    let list = |of: &str| if of.is_empty() { String::new() } else { format!("({of})") };
    let batch = format!(
        "BEGIN; PREPARE explained {} AS {statement}; EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained {};
         DEALLOCATE explained; ROLLBACK",
        list(types),
        list(values)
    );
    explained(client, &batch).await
}

async fn explained(client: &Client, batch: &str) -> Vec<Scan> {
    let messages = client.simple_query(batch).await.unwrap();
    let text = messages.iter().rev().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let plan: Value = serde_json::from_str(text.unwrap()).unwrap();
    let mut scans = Vec::new();
    collect(&plan[0]["Plan"], &mut scans);
    scans
}

/// Like [`scans`], with a plan that was made while `table` was empty.
pub(crate) async fn scans_planned_over_none(
    client: &Client,
    table: &str,
    statement: &str,
    types: &str,
    values: &str,
) -> Vec<Scan> {
    keep(Kind::Explained, statement);
    let batch = format!(
        "BEGIN; CREATE TEMP TABLE set_aside ON COMMIT DROP AS TABLE {table}; TRUNCATE {table}; ANALYZE {table};
         PREPARE explained ({types}) AS {statement};
         EXPLAIN EXECUTE explained ({values});
         INSERT INTO {table} TABLE set_aside; EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained ({values});
         DEALLOCATE explained; ROLLBACK"
    );
    explained(client, &batch).await
}

fn collect(node: &Value, scans: &mut Vec<Scan>) {
    // A bitmap's part names the index only. An insertion returns its own rows without reading them.
    let table = node["Relation Name"].as_str().or(node["Index Name"].as_str());
    if let Some(table) = table.filter(|_| node["Operation"] != "Insert") {
        let loops = node["Actual Loops"].as_f64().unwrap();
        let counts = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"];
        let rows: f64 = counts.iter().filter_map(|count| node[*count].as_f64()).sum();
        let kind = format!("{} of {table}", node["Node Type"].as_str().unwrap());
        scans.push(Scan { kind, rows: rows * loops });
    }
    for part in node["Plans"].as_array().into_iter().flatten() {
        collect(part, scans);
    }
}
