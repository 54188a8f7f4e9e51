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

/// A private server with PostgreSQL's own settings, which flushes what is committed to the disk. It stops when
/// this is dropped.
pub struct PrivatePostgres {
    cluster: Cluster,
    postmaster: u32,
    address: SocketAddr,
}

impl PrivatePostgres {
    /// A fresh one in `folder`.
    ///
    /// # Errors
    /// When there is no PostgreSQL, or it does not start.
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
        // Its first line is the process, its fourth the port.
        let line = |number| lines.lines().nth(number).unwrap_or_default().trim();
        let postmaster = line(0).parse().context("postmaster.pid names no process")?;
        let port = line(3).parse::<u16>().context("postmaster.pid names no port")?;
        Ok(Self { cluster, postmaster, address: (Ipv4Addr::LOCALHOST, port).into() })
    }

    /// Makes a database of this name, empty, in place of one that there is.
    ///
    /// # Errors
    /// The server's.
    pub async fn database(&self, name: &str) -> anyhow::Result<String> {
        let admin = self.cluster.admin_url();
        drop_database(&admin, name).await?;
        Ok(create_database(&admin, name, None).await?)
    }

    /// CPU time of all its processes.
    ///
    /// # Errors
    /// When it is gone.
    pub fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of_family(self.postmaster)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its data is.
    pub fn data_folder(&self) -> PathBuf {
        self.cluster.data_folder()
    }

    /// Where it writes its log.
    pub fn log_file(&self) -> PathBuf {
        self.cluster.log_file()
    }

    /// Where `pgbench` is: beside the running server, else whatever `PATH` has.
    pub fn pgbench(&self) -> PathBuf {
        let beside = fs::read_link(format!("/proc/{}/exe", self.postmaster))
            .map(|server| server.with_file_name("pgbench"))
            .ok();
        beside.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from("pgbench"))
    }
}

/// A connection of the bench's own.
///
/// # Errors
/// When there is none.
pub async fn connect(url: &str) -> anyhow::Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // It ends with its client; what goes wrong on it, the client reports.
    tokio::spawn(connection);
    Ok(client)
}
