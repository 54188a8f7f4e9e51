//! A database that was filled as a plain one, and is spread over workers afterwards.

use std::env;

use adapter_postgres::testing::TestDatabase;
use serde_json::json;
use tokio_postgres::Client;
use url::Url;

use crate::{
    cluster::{Worker, connect},
    support::{Api, Secrets, Service, operator},
};

/// A coordinator's database, with its workers.
struct Cluster {
    own: Option<Worker>,
    workers: Vec<Worker>,
}

impl Cluster {
    async fn of_the_tests() -> Self {
        #[expect(clippy::disallowed_methods, reason = "what tests are told is no setting of the service")]
        let admin = connect(&env::var("MESSAGING_TEST_DATABASE_URL").expect("a coordinator")).await;
        let nodes = "SELECT nodename, nodeport, groupid FROM pg_dist_node WHERE isactive ORDER BY groupid";
        let (mut own, mut workers) = (None, Vec::new());
        for row in admin.query(nodes, &[]).await.unwrap() {
            let node = Worker { host: row.get(0), port: row.get(1) };
            if row.get::<_, i32>(2) == 0 {
                own = Some(node);
            } else {
                workers.push(node);
            }
        }
        Self { own, workers }
    }

    /// Makes a cluster of the database, as an operator does whose database has become too large.
    async fn unite(&self, url: &str) {
        let name = Url::parse(url).unwrap().path().trim_start_matches('/').to_owned();
        for worker in &self.workers {
            let admin = connect(&worker.address(url, "postgres")).await;
            admin.batch_execute("SET citus.enable_create_database_propagation = off").await.unwrap();
            admin.batch_execute(&format!("CREATE DATABASE \"{name}\"")).await.unwrap();
            let there = connect(&worker.address(url, &name)).await;
            there.batch_execute("CREATE EXTENSION citus").await.unwrap();
        }
        let coordinator = connect(url).await;
        coordinator.batch_execute("CREATE EXTENSION citus").await.unwrap();
        if let Some(own) = &self.own {
            let set = "SELECT citus_set_coordinator_host($1, $2)";
            coordinator.execute(set, &[&own.host, &own.port]).await.unwrap();
        }
        for worker in &self.workers {
            let add = "SELECT citus_add_node($1, $2)";
            coordinator.execute(add, &[&worker.host, &worker.port]).await.unwrap();
        }
    }
}

async fn count(client: &Client, what: &str) -> i64 {
    client.query_one(&format!("SELECT count(*) FROM {what}"), &[]).await.unwrap().get(0)
}

/// Distributed tables of which the coordinator itself still has rows.
const LEFT_BEHIND: &str = "pg_dist_partition WHERE pg_relation_size(logicalrelid) > 0";
const NOT_DISTRIBUTED: &str =
    "pg_class WHERE relname = 'live_feeds' AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)";

#[tokio::test]
async fn what_a_plain_database_held_is_spread_found_and_left_nowhere_else() {
    let cluster = Cluster::of_the_tests().await;
    let database = TestDatabase::empty().await;
    let secrets = Secrets::alone(database.url());
    operator(&secrets, &["migrate"]);
    let owner = ["workspace", "create", "--name", "Palm Store", "--owner-email", "owner@palm.example"];
    let made = operator(&secrets, &owner);
    let workspace = made.lines().find_map(|line| line.strip_prefix("workspace ")).unwrap().trim();
    let scopes = ["--scope", "contacts:read", "--scope", "contacts:write", "--scope", "conversations:read"];
    let key = operator(&secrets, &[&["key", "create", workspace, "--label", "tests"], &scopes[..]].concat());
    let key = key.lines().find(|line| line.starts_with("msk_")).unwrap();
    let mut service = Service::start(&secrets).await;
    let person = json!({ "phone": "+9647701234567", "name": "Sara" });
    assert_eq!(Api::new(service.base_url(), key).post("/v1/contacts", &person).await.status, 200);
    service.kill();

    cluster.unite(database.url()).await;
    let said = operator(&secrets, &["migrate", "--distribute", "--shards", "4"]);
    assert!(said.contains("contacts is distributed"), "{said}");
    let client = connect(database.url()).await;
    assert_eq!(count(&client, LEFT_BEHIND).await, 0);
    let service = Service::start(&secrets).await;
    let api = Api::new(service.base_url(), key);
    for path in ["/v1/contacts?search=77012", "/v1/contacts?search=sar", "/v1/contacts?phone=07701234567"] {
        let found = api.get(path).await;
        assert_eq!((found.status, found.text("/rows/0/name")), (200, "Sara"), "{path}");
    }

    // Whoever was killed in the middle of it runs `migrate` again, with or without the option.
    client.batch_execute("SELECT undistribute_table('live_feeds')").await.unwrap();
    assert_eq!(count(&client, NOT_DISTRIBUTED).await, 1);
    let said = operator(&secrets, &["migrate"]);
    assert!(said.contains("live_feeds is distributed"), "{said}");
    assert_eq!((count(&client, NOT_DISTRIBUTED).await, count(&client, LEFT_BEHIND).await), (0, 0));
}
