//! The database's connection pools.

use std::{
    sync::{Arc, atomic::AtomicI32},
    time::{Duration, Instant},
};

use diesel::{ConnectionError, ExpressionMethods, QueryDsl};
use diesel_async::{
    AsyncConnection, AsyncPgConnection,
    pooled_connection::{
        AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod,
        deadpool::{Object, Pool, PoolError},
    },
};
use domain::{errors::StoreError, ids::IdSource, vault::Vault};
use futures_util::FutureExt;
use time::OffsetDateTime;
use tls_trust::{Trust, TrustError};
use tokio::runtime::Handle;

use crate::{
    connect::Address,
    error::failed,
    migrate,
    sql::{RunQueryDsl, Topology, clock_timestamp, current_setting},
    traced::Traced,
};

/// Settings of the pool.
#[derive(Clone)]
pub struct PoolConfig {
    /// A `postgres://` URL, whose `sslmode` is `disable`, `prefer`, `require`, `verify-ca` or `verify-full`;
    /// see `connect`.
    pub url: String,
    /// Trust for the server's certificate, unless the URL names a file with `sslrootcert`.
    pub trust: Trust,
    /// Most connections, besides the few for delivering webhooks.
    pub size: usize,
    /// Time limit of a request's wait for a free connection.
    pub wait: Duration,
}

/// Fill level of one of the two pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolStatus {
    /// `requests` or `deliveries`.
    pub name: &'static str,
    /// Most connections.
    pub limit: usize,
    /// Connections in use.
    pub in_use: usize,
    /// Callers waiting for a connection.
    pub waiting: usize,
}

/// Most connections for delivering webhooks: two claims, three batches of results, and one for the rest.
const DELIVERING: usize = 6;

const REQUESTS: &str = "requests";
const DELIVERIES: &str = "deliveries";

const NO_CHANGES: &str = "the database takes no changes: it is a standby, or is set to be read alone";

/// The database: a pool of connections for requests, and a small one for webhooks, so that neither starves.
#[derive(Clone)]
pub struct Database {
    pool: Pool<AsyncPgConnection>,
    delivering: Pool<AsyncPgConnection>,
    pub(crate) address: Address,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) ids: Arc<dyn IdSource>,
    /// Runtime of the connections, on which batches of calls run too.
    pub(crate) runtime: Handle,
    /// Number under which this process claims updates from journals; 0 while it has none.
    pub(crate) holder: Arc<AtomicI32>,
}

impl Database {
    /// Creates the pools, which open connections when needed. They run on the runtime that calls this, and so
    /// outlive the worker whose request needed them first.
    ///
    /// # Errors
    /// When the URL is invalid, or outside of an async runtime.
    pub fn new(
        config: &PoolConfig,
        vault: Arc<dyn Vault>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        let address = Address::read(&config.url, &config.trust)
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        Self::at(address, config, vault, ids)
    }

    pub(crate) fn at(
        address: Address,
        config: &PoolConfig,
        vault: Arc<dyn Vault>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        let runtime = Handle::try_current().map_err(|error| StoreError::Internal(error.to_string()))?;
        let pool = pool_of(address.clone().for_requests(), config.size, config.wait, &runtime)?;
        let delivering = pool_of(address.clone().for_deliveries(), DELIVERING, config.wait, &runtime)?;
        Ok(Self { pool, delivering, address, vault, ids, runtime, holder: Arc::default() })
    }

    /// Reads the file of the URL's `sslrootcert` again, if it has one, for new connections.
    ///
    /// # Errors
    /// When the file is not valid; the previous authorities stay in force.
    pub fn read_authorities_again(&self) -> Result<(), TrustError> {
        self.address.read_authorities_again()
    }

    pub(crate) async fn connection(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        waited(REQUESTS, &self.pool).await
    }

    /// Returns how full the pools are.
    pub fn pools(&self) -> [PoolStatus; 2] {
        [(REQUESTS, &self.pool), (DELIVERIES, &self.delivering)].map(|(name, pool)| {
            let status = pool.status();
            let in_use = status.size.saturating_sub(status.available);
            PoolStatus { name, limit: status.max_size, in_use, waiting: status.waiting }
        })
    }

    /// Returns where statements run, which is known after the first connection.
    pub(crate) fn topology(&self) -> Topology {
        self.address.topology()
    }

    pub(crate) async fn delivering(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        waited(DELIVERIES, &self.delivering).await
    }

    /// Checks that the database answers and has every migration that this version knows.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it does not.
    pub async fn ready(&self) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let known = migrate::versions();
        let missing =
            || StoreError::Unavailable("the schema lacks migrations; `migrate` applies them".to_owned());
        let tables = pg_tables::table.filter(pg_tables::tablename.eq(migrate::TABLE)).count();
        if tables.get_result::<i64>(&mut connection).await.map_err(failed)? == 0 {
            return Err(missing());
        }
        let applied = __diesel_schema_migrations::table
            .filter(__diesel_schema_migrations::version.eq_any(&known))
            .count()
            .get_result::<i64>(&mut connection)
            .await
            .map_err(failed)?;
        if usize::try_from(applied).is_ok_and(|applied| applied == known.len()) {
            Ok(())
        } else {
            Err(missing())
        }
    }

    pub(crate) async fn now(&self) -> Result<OffsetDateTime, StoreError> {
        self.now_between(|| ()).await.map(|(time, (), ())| time)
    }

    /// Returns the server's time, with the values of `look` just before the query and just after its answer.
    pub(crate) async fn now_between<T>(
        &self,
        look: impl Fn() -> T + Send,
    ) -> Result<(OffsetDateTime, T, T), StoreError>
    where
        T: Send,
    {
        let mut connection = self.connection().await?;
        let asked = look();
        let time = diesel::select(clock_timestamp()).get_result(&mut connection).await.map_err(failed)?;
        Ok((time, asked, look()))
    }

    /// Checks that the database accepts changes; a standby answers and has every migration, but does not.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it does not, or does not answer.
    pub async fn takes_changes(&self) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let is_read_only = diesel::select(current_setting("transaction_read_only"));
        let is_read_only: String = is_read_only.get_result(&mut connection).await.map_err(failed)?;
        if is_read_only == "on" { Err(StoreError::Unavailable(NO_CHANGES.to_owned())) } else { Ok(()) }
    }
}

/// Takes a connection, and records how long that took.
async fn waited(
    name: &'static str,
    pool: &Pool<AsyncPgConnection>,
) -> Result<Object<AsyncPgConnection>, StoreError> {
    let began = Instant::now();
    let taken = pool.get().await;
    metrics::histogram!("messaging_database_pool_wait_seconds", "pool" => name)
        .record(began.elapsed().as_secs_f64());
    taken.map_err(|error| unavailable(&error))
}

/// Describes why there is no connection, without mentioning a pool.
fn unavailable(error: &PoolError) -> StoreError {
    StoreError::Unavailable(match error {
        PoolError::Backend(cause) => cause.to_string(),
        PoolError::Timeout(_) => "no connection to the database was free in time".to_owned(),
        other => other.to_string(),
    })
}

fn pool_of(
    address: Address,
    size: usize,
    wait: Duration,
    runtime: &Handle,
) -> Result<Pool<AsyncPgConnection>, StoreError> {
    let mut manager = ManagerConfig::default();
    // No extra round trip: a connection in a transaction, or one that the server has closed, is replaced, and
    // any other is tested by its next statement.
    manager.recycling_method = RecyclingMethod::Fast;
    let runtime = runtime.clone();
    manager.custom_setup = Box::new(move |_| {
        let address = address.clone();
        let opening = runtime.spawn(async move { opened(&address).await });
        async move { opening.await.map_err(|error| ConnectionError::BadConnection(error.to_string()))? }
            .boxed()
    });
    Pool::builder(AsyncDieselConnectionManager::new_with_config("", manager))
        .max_size(size)
        .wait_timeout(Some(wait))
        .runtime(deadpool::Runtime::Tokio1)
        .build()
        .map_err(|error| StoreError::Internal(error.to_string()))
}

/// Opens a connection whose statements are traced and, in tests, recorded.
async fn opened(address: &Address) -> Result<AsyncPgConnection, ConnectionError> {
    let mut connection = address.connect().await?;
    let told = Traced::of(address.database());
    #[cfg(feature = "testing")]
    let told = crate::recorded::Recorder(told);
    connection.set_instrumentation(told);
    Ok(connection)
}

diesel::table! {
    pg_tables (tablename) {
        tablename -> Text,
    }
}

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}
