//! A PostgreSQL of the bench's own.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::Context;
use local_postgres::{Cluster, Options, create_database, drop_database, user_cache_folder};
use tokio_postgres::{Client, NoTls};

use super::{StatementCosts, Usage};

/// A private server with PostgreSQL's default settings, which flushes commits to the disk. Stopped when
/// dropped.
pub struct PrivatePostgres {
    cluster: Cluster,
    postmaster: u32,
    address: SocketAddr,
}

impl PrivatePostgres {
    /// Starts a fresh server in `folder`.
    pub fn start(folder: &Path) -> anyhow::Result<Self> {
        let options = Options {
            durable: true,
            fresh: true,
            libraries: vec![StatementCosts::LIBRARY.to_owned()],
            cache: user_cache_folder().map(|cache| cache.join("messaging-service/postgresql")),
            ..Options::new(folder)
        };
        let cluster = Cluster::start(&options).context("the bench needs PostgreSQL")?;
        let file = cluster.data_folder().join("postmaster.pid");
        let lines = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        // The first line is the process id, the fourth the port.
        let line = |number| lines.lines().nth(number).unwrap_or_default().trim();
        let postmaster = line(0).parse().context("postmaster.pid names no process")?;
        let port = line(3).parse::<u16>().context("postmaster.pid names no port")?;
        Ok(Self { cluster, postmaster, address: (Ipv4Addr::LOCALHOST, port).into() })
    }

    /// Creates an empty database of this name, in place of an existing one; returns its URL.
    pub async fn database(&self, name: &str) -> anyhow::Result<String> {
        let admin = self.cluster.admin_url();
        drop_database(&admin, name).await?;
        Ok(create_database(&admin, name, None).await?)
    }

    /// Returns the CPU time of all the server's processes.
    pub fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of_family(self.postmaster)
    }

    /// Returns the address that it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the folder of its data.
    pub fn data_folder(&self) -> PathBuf {
        self.cluster.data_folder()
    }

    /// Returns the path of its log.
    pub fn log_file(&self) -> PathBuf {
        self.cluster.log_file()
    }

    /// Returns the path of `pgbench`: beside the running server, else the one in `PATH`.
    pub fn pgbench(&self) -> PathBuf {
        let beside = fs::read_link(format!("/proc/{}/exe", self.postmaster))
            .map(|server| server.with_file_name("pgbench"))
            .ok();
        beside.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from("pgbench"))
    }
}

/// Opens a connection of the bench's own.
pub async fn connect(url: &str) -> anyhow::Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // The task ends with its client, which also reports the connection's errors.
    tokio::spawn(connection);
    Ok(client)
}
