//! The servers that a database is spread over, if the given one is a Citus coordinator.

use tokio_postgres::Client;
use url::Url;

use crate::connect::{connect, database_url, quoted};
use crate::error::Error;

const IS_CLUSTER: &str = "SELECT to_regclass('pg_catalog.pg_dist_node') IS NOT NULL";

const NODES: &str = "SELECT nodename, nodeport, groupid FROM pg_catalog.pg_dist_node
    WHERE isactive AND noderole = 'primary' ORDER BY groupid, nodeid";

/// Stops Citus from passing the creation of databases on: every node gets its own command.
const BY_ITSELF: &str = "SET citus.enable_create_database_propagation = off";

/// Whether a template is large enough that the server should copy its files instead of logging each of its
/// pages, which it can from version 15 on. Small ones are copied more quickly by the log, since the server
/// need not flush everything.
const IS_LARGE: &str = "SELECT current_setting('server_version_num')::int >= 150000
    AND pg_database_size($1::name) > 32 * 1024 * 1024";

/// Host and port by which the coordinator reaches a node.
#[derive(Debug, Clone)]
struct Node {
    host: String,
    port: i32,
}

/// The server of a URL, with the workers that it knows.
pub(crate) struct Nodes {
    /// Connection to the server of the URL itself.
    admin: Client,
    /// The coordinator itself, if it has told the workers its address.
    own: Option<Node>,
    workers: Vec<Node>,
    /// URL of the server's database, and of a database of that name on each worker.
    addresses: Vec<String>,
}

impl Nodes {
    pub(crate) async fn of(admin_url: &str) -> Result<Self, Error> {
        let admin = connect(admin_url).await?;
        let mut nodes = Self { admin, own: None, workers: Vec::new(), addresses: vec![admin_url.to_owned()] };
        if !nodes.admin.query_one(IS_CLUSTER, &[]).await?.try_get::<_, bool>(0)? {
            return Ok(nodes);
        }
        for row in nodes.admin.query(NODES, &[]).await? {
            let node = Node { host: row.try_get(0)?, port: row.try_get(1)? };
            if row.try_get::<_, i32>(2)? == 0 {
                nodes.own = Some(node);
                continue;
            }
            nodes.addresses.push(node.address(admin_url)?);
            nodes.workers.push(node);
        }
        Ok(nodes)
    }

    pub(crate) fn is_cluster(&self) -> bool {
        !self.workers.is_empty()
    }

    /// Runs a command on every server, the coordinator last.
    pub(crate) async fn run_everywhere(&self, command: &str) -> Result<(), Error> {
        for address in self.addresses.iter().skip(1).rev() {
            run_alone(&connect(address).await?, command).await?;
        }
        run_alone(&self.admin, command).await
    }

    /// Creates the database `name` on every server, as a copy of `template`.
    pub(crate) async fn copy(&self, template: &str, name: &str) -> Result<(), Error> {
        let is_large: bool = self.admin.query_one(IS_LARGE, &[&template]).await?.try_get(0)?;
        let strategy = if is_large { " STRATEGY FILE_COPY" } else { "" };
        let (name, template) = (quoted(name), quoted(template));
        self.run_everywhere(&format!("CREATE DATABASE {name} TEMPLATE {template}{strategy}")).await
    }

    /// Ends the connections to a database of that name; with `for_good`, nobody can connect to it any more.
    pub(crate) async fn end_connections(&self, name: &str, for_good: bool) -> Result<(), Error> {
        if for_good && self.is_cluster() {
            // A cluster's own daemon would connect again.
            self.run_everywhere(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", quoted(name))).await?;
        }
        for address in &self.addresses {
            let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1";
            connect(address).await?.execute(end, &[&name]).await?;
        }
        Ok(())
    }

    /// Joins the databases of that name into one cluster.
    pub(crate) async fn unite(&self, name: &str) -> Result<(), Error> {
        if !self.is_cluster() {
            return Ok(());
        }
        for address in self.addresses.iter().rev() {
            connect(&database_url(address, name)?).await?.batch_execute("CREATE EXTENSION citus").await?;
        }
        let [coordinator, ..] = self.addresses.as_slice() else { return Ok(()) };
        let client: Client = connect(&database_url(coordinator, name)?).await?;
        if let Some(Node { host, port }) = &self.own {
            client.execute("SELECT citus_set_coordinator_host($1, $2)", &[host, port]).await?;
        }
        for Node { host, port } in &self.workers {
            client.execute("SELECT citus_add_node($1, $2)", &[host, port]).await?;
        }
        Ok(())
    }
}

async fn run_alone(server: &Client, command: &str) -> Result<(), Error> {
    server.batch_execute(BY_ITSELF).await?;
    Ok(server.batch_execute(command).await?)
}

impl Node {
    /// Returns the same URL on this node.
    fn address(&self, admin_url: &str) -> Result<String, Error> {
        let mut address = Url::parse(admin_url).map_err(|_| Error::Address)?;
        address.set_host(Some(&self.host)).map_err(|_| Error::Address)?;
        let port = u16::try_from(self.port).map_err(|_| Error::Address)?;
        address.set_port(Some(port)).map_err(|()| Error::Address)?;
        Ok(address.into())
    }
}
