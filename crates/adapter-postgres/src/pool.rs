//! The pool, and the store over it.

use std::{sync::Arc, time::Duration};

use diesel_async::{
    AsyncPgConnection,
    pooled_connection::{
        AsyncDieselConnectionManager,
        deadpool::{Object, Pool},
    },
};
use domain::{errors::StoreError, ids::IdSource, vault::Vault};

/// How the pool is set up.
#[derive(Debug, Clone)]
pub struct PoolConfig {
    /// A `postgres://` URL.
    pub url: String,
    /// Connections at most.
    pub size: usize,
    /// How long a request waits for a free connection.
    pub wait: Duration,
}

/// All stores, over one pool.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<AsyncPgConnection>,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) ids: Arc<dyn IdSource>,
}

impl PgStore {
    /// A store over a pool that opens its connections when they are needed.
    ///
    /// # Errors
    /// When the pool cannot be built.
    pub fn new(
        config: &PoolConfig,
        vault: Arc<dyn Vault>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        let manager = AsyncDieselConnectionManager::<AsyncPgConnection>::new(&config.url);
        let pool = Pool::builder(manager)
            .max_size(config.size)
            .wait_timeout(Some(config.wait))
            .runtime(deadpool::Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        Ok(Self { pool, vault, ids })
    }

    /// A free connection.
    pub(crate) async fn connection(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        self.pool.get().await.map_err(|error| StoreError::Unavailable(error.to_string()))
    }
}
