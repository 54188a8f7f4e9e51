//! The cluster, and a distributed database on it.

use std::{path::Path, process::Command};

use anyhow::{Context, bail};
use local_postgres::{create_database, drop_database, ensure_template, is_cluster};
use tokio_postgres::NoTls;

use crate::run::say;

/// Database that statements are routed on; also the beginning of its template's name.
const NAME: &str = "messaging_routes";

/// Checks that this is a coordinator with workers; returns a description of it.
pub(super) async fn check(url: &str) -> anyhow::Result<String> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("the cluster does not answer")?;
    tokio::spawn(connection);
    let extension = "SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'citus'";
    let Some(extension) = client.query_opt(extension, &[]).await? else {
        bail!("the database of --url lacks the extension citus: CREATE EXTENSION citus");
    };
    if !is_cluster(url).await.context("the cluster does not answer")? {
        bail!("the database of --url knows no worker: SELECT citus_add_node('host', port)");
    }
    let workers = "SELECT count(*) FROM pg_catalog.pg_dist_node WHERE groupid <> 0 AND isactive";
    let workers: i64 = client.query_one(workers, &[]).await?.try_get(0)?;
    if workers < 2 {
        bail!("the cluster has one worker: what a stopped one harms shows with two");
    }
    let server: String = client.query_one("SHOW server_version", &[]).await?.try_get(0)?;
    let citus: String = extension.try_get(0)?;
    Ok(format!("Citus {citus} over PostgreSQL {server}, {workers} workers"))
}

/// A distributed database of our own.
pub(super) struct Database {
    admin_url: String,
    pub(super) url: String,
}

impl Database {
    /// Creates it by the program's own command.
    pub(super) async fn distributed(admin_url: &str, program: &Path, shards: u16) -> anyhow::Result<Self> {
        let template = format!("{NAME}_template");
        for left in [NAME, &template] {
            drop_database(admin_url, left).await.context("clearing an earlier database away")?;
        }
        let migrate = async |url: String| {
            let mut migrate = Command::new(program);
            let shards = shards.to_string();
            migrate.args(["migrate", "--distribute", "--shards", &shards]).env("MESSAGING_DATABASE_URL", url);
            let output = migrate.output()?;
            let said = String::from_utf8_lossy(if output.status.success() {
                &output.stdout
            } else {
                &output.stderr
            });
            if !output.status.success() {
                return Err(std::io::Error::other(said.trim().to_owned()));
            }
            let tables = said.lines().filter(|line| line.ends_with("is distributed")).count();
            say(&format!("`migrate --distribute` has distributed {tables} tables"));
            Ok::<(), std::io::Error>(())
        };
        ensure_template(admin_url, &template, None, migrate)
            .await
            .context("making a distributed database")?;
        let url = create_database(admin_url, NAME, Some(&template)).await?;
        Ok(Self { admin_url: admin_url.to_owned(), url })
    }

    pub(super) async fn drop(self) -> anyhow::Result<()> {
        for name in [NAME.to_owned(), format!("{NAME}_template")] {
            drop_database(&self.admin_url, &name).await?;
        }
        Ok(())
    }
}
