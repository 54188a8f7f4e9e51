//! The sandbox's database: on the configured server, or on a private one.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use local_postgres::{
    Options, Postgres, create_database, drop_database, user_cache_folder, user_data_folder,
};
use tls_trust::Trust;
use tracing::warn;

use crate::{
    config::Source,
    system::{SystemClock, SystemIds},
};
use domain::ids::IdSource;

/// A migrated database that lives as long as the sandbox.
pub(super) struct SandboxDatabase {
    server: Postgres,
    name: String,
    url: String,
}

/// Opens the configured server, or a private one.
pub(super) async fn server(source: &Source) -> anyhow::Result<Postgres> {
    let named = if source.says("database_url") { Some(source.database_url()?) } else { None };
    let options = Options { cache: user_cache_folder().map(under), ..Options::new(folder()) };
    Ok(tokio::task::spawn_blocking(move || Postgres::open(named, &options)).await??)
}

impl SandboxDatabase {
    /// Makes a database on `server`. Must run to its end: dropped in between, the database would stay there.
    pub(super) async fn make(server: Postgres) -> anyhow::Result<Self> {
        let name = format!("sandbox_{}", SystemIds::by(Arc::new(SystemClock)).next().simple());
        let url =
            create_database(&server.admin_url(), &name, None).await.context("the sandbox's database")?;
        let database = Self { server, name, url };
        if let Err(error) = adapter_postgres::migrate(&database.url, &Trust::default(), |_| ()).await {
            database.remove().await;
            return Err(error).context("the sandbox's database");
        }
        Ok(database)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the folder for the sandbox's files, which is removed with it.
    pub(super) fn files_folder(&self) -> PathBuf {
        folder().with_file_name("sandbox-files").join(&self.name)
    }

    /// Returns the file for the sandbox's settings, which is removed with it.
    pub(super) fn configuration(&self) -> PathBuf {
        self.files_folder().with_extension("toml")
    }

    /// Drops the database with its files, and stops a private server.
    pub(super) async fn remove(self) {
        let removed =
            [std::fs::remove_dir_all(self.files_folder()), std::fs::remove_file(self.configuration())];
        for removed in removed {
            match removed {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    warn!(%error, "the sandbox's files stay");
                }
                _ => {}
            }
        }
        if let Err(error) = drop_database(&self.server.admin_url(), &self.name).await {
            warn!(%error, "the sandbox's database stays");
        }
        let stopped = tokio::task::spawn_blocking(move || match self.server {
            Postgres::Named(_) => Ok(()),
            Postgres::Private(cluster) => cluster.stop(),
        });
        if let Ok(Err(error)) = stopped.await {
            warn!(%error, "the sandbox's PostgreSQL did not stop");
        }
    }
}

/// Returns the folder of private servers: in the checkout's `target` if the program was built there, else the
/// user's data folder.
fn folder() -> PathBuf {
    let built_in = std::env::current_exe().ok().and_then(|program| {
        let target =
            program.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "target"))?;
        Some(target.join("postgres"))
    });
    let of_user = || user_data_folder().map(under);
    built_in.or_else(of_user).unwrap_or_else(|| std::env::temp_dir().join("messaging-service"))
}

fn under(folder: impl AsRef<Path>) -> PathBuf {
    folder.as_ref().join("messaging-service").join("postgres")
}
