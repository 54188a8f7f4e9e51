//! A fresh, migrated database for each test.
//!
//! Each is made on the server that `MESSAGING_TEST_DATABASE_URL` names (a database of it from which its user
//! may create others), or else on a private server that lives as long as the test's process.

mod schema;
mod vault;

#[cfg(test)]
use std::hash::{DefaultHasher, Hash, Hasher};
use std::{sync::Arc, time::Duration};

use domain::{ids::IdSource, vault::Vault};
use local_postgres::{
    Options, Postgres, create_database, drop_database, ensure_template, is_cluster, user_cache_folder,
};
use tls_trust::Trust;
use tokio::sync::OnceCell;
use uuid::Uuid;

pub use self::vault::GlassVault;
use crate::{Database, MigrateError, PoolConfig, Stores, migrate, migrate_distributed};

const TEMPLATE: &str = concat!("messaging_template_", env!("MIGRATIONS_HASH"));

/// Number of shards on a cluster: few, so that a database is made quickly, though some workspaces share one.
const SHARDS: u16 = 4;

static SERVER: OnceCell<Postgres> = OnceCell::const_new();

/// A database for one test, dropped at its end.
#[derive(Debug)]
pub struct TestDatabase {
    admin_url: String,
    name: String,
    url: String,
}

impl TestDatabase {
    /// Copies the migrated template, which is made once for each state of the migrations.
    ///
    /// # Panics
    /// When there is no PostgreSQL.
    pub async fn fresh() -> Self {
        Self::ensure_migrated().await;
        Self::copy_of(TEMPLATE).await
    }

    /// Creates a database without tables on the server itself. If that is the coordinator of a cluster, this
    /// database cannot be distributed.
    ///
    /// # Panics
    /// When there is no PostgreSQL.
    pub async fn empty() -> Self {
        Self::copy(None).await
    }

    async fn ensure_migrated() {
        Self::ensure(TEMPLATE, None, async |url: String| migrated(&url).await).await;
    }

    /// Makes the template database, unless it exists: `prepare` fills an empty database or a copy of `from`.
    #[expect(clippy::expect_used, reason = "a test without its database has failed")]
    async fn ensure<F, E>(template: &str, from: Option<&str>, prepare: impl FnOnce(String) -> F)
    where
        F: Future<Output = Result<(), E>>,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let admin_url = SERVER.get_or_init(server).await.admin_url();
        ensure_template(&admin_url, template, from, prepare).await.expect("a template");
    }

    async fn copy_of(template: &str) -> Self {
        Self::copy(Some(template)).await
    }

    #[expect(clippy::expect_used, reason = "a test without its database has failed")]
    async fn copy(template: Option<&str>) -> Self {
        let admin_url = SERVER.get_or_init(server).await.admin_url();
        #[expect(clippy::disallowed_methods, reason = "unique on a server that several machines may share")]
        let name = format!("messaging_test_{}", Uuid::new_v4().simple());
        let url = create_database(&admin_url, &name, template).await.expect("a database");
        Self { admin_url, name, url }
    }

    /// Copies a migrated template with the rows that the statements of each of `seeds` have written in order.
    /// Seeds that begin alike share the templates of their common beginning.
    #[cfg(test)]
    pub(crate) async fn seeded(seeds: &[&str]) -> Self {
        Self::ensure_migrated().await;
        let mut template = TEMPLATE.to_owned();
        let mut hasher = DefaultHasher::new();
        for seed in seeds {
            seed.hash(&mut hasher);
            let next = format!("{TEMPLATE}_{:016x}", hasher.finish());
            let prepare = async |url: String| {
                let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await?;
                tokio::spawn(connection);
                client.batch_execute(seed).await?;
                // Statistics as autovacuum makes them, but without waiting for it.
                client.batch_execute("VACUUM (ANALYZE)").await?;
                Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
            };
            Self::ensure(&next, Some(&template), prepare).await;
            template = next;
        }
        Self::copy_of(&template).await
    }

    /// Returns the database's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Creates stores over the database with up to 8 connections.
    ///
    /// # Panics
    /// When the address is not valid.
    #[expect(clippy::expect_used, reason = "a test without its database has failed")]
    pub fn stores(&self, vault: Arc<dyn Vault>, ids: Arc<dyn IdSource>) -> Stores {
        let config = PoolConfig {
            url: self.url.clone(),
            trust: Trust::default(),
            size: 8,
            wait: Duration::from_mins(1),
        };
        Stores::over(Database::new(&config, vault, ids).expect("a database"))
    }
}

impl Drop for TestDatabase {
    /// Drops the database if possible; what a killed test leaves behind harms nobody.
    fn drop(&mut self) {
        let (admin_url, name) = (self.admin_url.clone(), self.name.clone());
        // A thread of its own, since this one may be driving the test's runtime.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(drop_database(&admin_url, &name)).map_err(std::io::Error::other)
        });
        let _ = dropped.join();
    }
}

#[expect(clippy::expect_used, reason = "a test without its database has failed")]
async fn migrated(url: &str) -> Result<(), MigrateError> {
    let admin_url = SERVER.get_or_init(server).await.admin_url();
    let trust = Trust::default();
    if is_cluster(&admin_url).await.expect("a server that answers") {
        return migrate_distributed(url, &trust, Some(SHARDS), |_| ()).await.map(drop);
    }
    migrate(url, &trust, |_| ()).await.map(drop)
}

#[expect(clippy::expect_used, reason = "a test without its database has failed")]
async fn server() -> Postgres {
    #[expect(clippy::disallowed_methods, reason = "where tests run is no setting of the service")]
    let named = std::env::var("MESSAGING_TEST_DATABASE_URL").ok().filter(|url| !url.is_empty());
    let folder = user_cache_folder().unwrap_or_else(std::env::temp_dir).join("messaging-service");
    let options =
        Options { cache: Some(folder.join("postgresql")), ..Options::new(folder.join("test-clusters")) };
    let opened = tokio::task::spawn_blocking(move || Postgres::open(named, &options));
    opened.await.expect("a thread").expect("a PostgreSQL server")
}

/// Returns stores for tests of this crate that need no secrets and no ids.
#[cfg(test)]
pub(crate) fn stores(database: &TestDatabase) -> Stores {
    stores_of(database, 8, Duration::from_mins(1))
}

#[cfg(test)]
pub(crate) fn stores_of(database: &TestDatabase, size: usize, wait: Duration) -> Stores {
    let config = PoolConfig { url: database.url.clone(), trust: Trust::default(), size, wait };
    let ids = Arc::new(domain::testing::SequentialIds::default());
    Stores::over(Database::new(&config, Arc::new(domain::vault::MockVault::new()), ids).unwrap())
}
