//! The servers that a database is spread over, where the one that is asked is a coordinator of Citus.

use tokio_postgres::Client;
use url::Url;

use crate::databases::{connect, database_url, quoted};
use crate::error::Error;

const IS_CLUSTER: &str = "SELECT to_regclass('pg_catalog.pg_dist_node') IS NOT NULL";

const NODES: &str = "SELECT nodename, nodeport, groupid FROM pg_catalog.pg_dist_node
    WHERE isactive AND noderole = 'primary' ORDER BY groupid, nodeid";

/// Every node is told by itself.
const BY_ITSELF: &str = "SET citus.enable_create_database_propagation = off";

/// How the coordinator reaches a node.
#[derive(Debug, Clone)]
struct Node {
    host: String,
    port: i32,
}

/// The server of an address, with the workers that it knows.
pub(crate) struct Nodes {
    /// The coordinator itself, if it has told the workers of it.
    own: Option<Node>,
    workers: Vec<Node>,
    /// The address of the server's database, and of a database of that name on each worker.
    addresses: Vec<String>,
}

impl Nodes {
    pub(crate) async fn of(admin_url: &str) -> Result<Self, Error> {
        let admin = connect(admin_url).await?;
        let mut nodes = Self { own: None, workers: Vec::new(), addresses: vec![admin_url.to_owned()] };
        if !admin.query_one(IS_CLUSTER, &[]).await?.try_get::<_, bool>(0)? {
            return Ok(nodes);
        }
        for row in admin.query(NODES, &[]).await? {
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

    /// Gives every server a command, the coordinator last.
    pub(crate) async fn tell(&self, command: &str) -> Result<(), Error> {
        for address in self.addresses.iter().rev() {
            let server = connect(address).await?;
            server.batch_execute(BY_ITSELF).await?;
            server.batch_execute(command).await?;
        }
        Ok(())
    }

    /// Ends what is connected to a database of that name, and, `for_good`, lets nobody connect to it any more.
    pub(crate) async fn end_connections(&self, name: &str, for_good: bool) -> Result<(), Error> {
        if for_good && self.is_cluster() {
            // A cluster's own daemon would come back to it.
            self.tell(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", quoted(name))).await?;
        }
        for address in &self.addresses {
            let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1";
            connect(address).await?.execute(end, &[&name]).await?;
        }
        Ok(())
    }

    /// Makes one cluster of the databases of that name.
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

impl Node {
    /// The same address on this node.
    fn address(&self, admin_url: &str) -> Result<String, Error> {
        let mut address = Url::parse(admin_url).map_err(|_| Error::Address)?;
        address.set_host(Some(&self.host)).map_err(|_| Error::Address)?;
        let port = u16::try_from(self.port).map_err(|_| Error::Address)?;
        address.set_port(Some(port)).map_err(|()| Error::Address)?;
        Ok(address.into())
    }
}
