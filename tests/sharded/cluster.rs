//! The workers behind a database, and stopping one.

use std::{env, process::Command};

use tokio_postgres::{Client, NoTls};
use url::Url;

/// A worker as the coordinator names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Worker {
    pub(crate) host: String,
    pub(crate) port: i32,
}

pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a node that answers");
    tokio::spawn(connection);
    client
}

/// Where a workspace lives.
pub(crate) async fn home(client: &Client, workspace: &str) -> Worker {
    let query = "SELECT nodename, nodeport FROM pg_catalog.pg_dist_node JOIN pg_catalog.pg_dist_placement USING (groupid)
        WHERE shardid = get_shard_id_for_distribution_column('workspaces', $1::text::uuid)";
    let row =
        client.query_one(query, &[&workspace]).await.expect("a distributed database: is this a coordinator?");
    Worker { host: row.get(0), port: row.get(1) }
}

impl Worker {
    /// A database of it, for whom `database_url` is.
    pub(crate) fn address(&self, database_url: &str, name: &str) -> String {
        let mut url = Url::parse(database_url).unwrap();
        url.set_host(Some(&self.host)).unwrap();
        url.set_port(Some(self.port.try_into().unwrap())).unwrap();
        url.set_path(name);
        url.into()
    }

    /// Stops it: by the command that was given for it, else for this database alone, to which it lets nobody
    /// connect.
    pub(crate) async fn stop(&self, database_url: &str) {
        if !self.command("MESSAGING_TEST_STOP_WORKER") {
            self.admit(database_url, false).await;
        }
    }

    pub(crate) async fn start(&self, database_url: &str) {
        if !self.command("MESSAGING_TEST_START_WORKER") {
            self.admit(database_url, true).await;
        }
    }

    /// Whether there is such a command; it has run then.
    fn command(&self, variable: &str) -> bool {
        #[expect(clippy::disallowed_methods, reason = "what tests are told is no setting of the service")]
        let Ok(command) = env::var(variable) else { return false };
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).env("WORKER_HOST", &self.host).env("WORKER_PORT", self.port.to_string());
        assert!(shell.status().unwrap().success(), "{command}");
        true
    }

    async fn admit(&self, database_url: &str, admits: bool) {
        let name = Url::parse(database_url).unwrap().path().trim_start_matches('/').to_owned();
        let worker = connect(&self.address(database_url, "postgres")).await;
        worker.batch_execute(&format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS {admits}")).await.unwrap();
        if !admits {
            let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1";
            worker.execute(end, &[&name]).await.unwrap();
        }
    }
}
