//! The pool, and the store over it.

use std::{
    sync::{Arc, atomic::AtomicI32},
    time::{Duration, Instant},
};

use diesel::{ConnectionError, ExpressionMethods, QueryDsl};
use diesel_async::{
    AsyncConnection, AsyncPgConnection, RunQueryDsl,
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
    batches::Batches,
    connect::Address,
    error::failed,
    migrate,
    sql::{Topology, clock_timestamp, current_setting},
    traced::Traced,
};

/// How the pool is set up.
#[derive(Clone)]
pub struct PoolConfig {
    /// A `postgres://` URL, with a `sslmode` of `disable`, `prefer`, `require`, `verify-ca` or `verify-full`; see
    /// `connect`.
    pub url: String,
    /// Whose certificates are trusted, unless the URL names a file with `sslrootcert`.
    pub trust: Trust,
    /// Connections at most, besides the few that delivering webhooks takes.
    pub size: usize,
    /// How long a request waits for a free connection.
    pub wait: Duration,
}

/// Fill level of one of the two pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolStatus {
    /// `requests` or `deliveries`.
    pub name: &'static str,
    /// Most connections.
    pub limit: usize,
    /// Connections that somebody holds.
    pub in_use: usize,
    /// Callers that wait for a connection.
    pub waiting: usize,
}

/// Connections for delivering webhooks, at most: two claims, three batches of results, and one for the rest.
const DELIVERING: usize = 6;

/// The pools' names in metrics.
const REQUESTS: &str = "requests";
const DELIVERIES: &str = "deliveries";

const NO_CHANGES: &str = "the database takes no changes: it is a standby, or is set to be read alone";

/// All stores, over one pool, and a small one for delivering webhooks: requests that take every connection do not
/// hold up deliveries, nor the other way round.
#[derive(Clone)]
pub struct Database {
    pool: Pool<AsyncPgConnection>,
    delivering: Pool<AsyncPgConnection>,
    /// Where the database is.
    pub(crate) address: Address,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) batches: Arc<Batches>,
    /// The number under which this process takes updates up out of journals; 0 while it does not.
    pub(crate) holder: Arc<AtomicI32>,
}

impl Database {
    /// A store over a pool that opens its connections when they are needed, and on the runtime that calls
    /// this, so that they outlive the worker whose request was the first to need them.
    ///
    /// # Errors
    /// When the URL cannot be read, or outside of an async runtime.
    pub fn new(
        config: &PoolConfig,
        vault: Arc<dyn Vault>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        let address = Address::read(&config.url, &config.trust)
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        Self::at(address, config, vault, ids)
    }

    /// The same, at an address that was read.
    pub(crate) fn at(
        address: Address,
        config: &PoolConfig,
        vault: Arc<dyn Vault>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        let runtime = Handle::try_current().map_err(|error| StoreError::Internal(error.to_string()))?;
        let batches = Arc::new(Batches::on(&runtime));
        let pool = pool_of(address.clone().for_requests(), config.size, config.wait, &runtime)?;
        let delivering = pool_of(address.clone().for_deliveries(), DELIVERING, config.wait, &runtime)?;
        Ok(Self { pool, delivering, address, vault, ids, batches, holder: Arc::default() })
    }

    /// Reads the file anew that the address names with `sslrootcert`, if it names one, for new connections.
    ///
    /// # Errors
    /// What is wrong with the file; what was read before goes on to hold.
    pub fn read_authorities_again(&self) -> Result<(), TrustError> {
        self.address.read_authorities_again()
    }

    /// A free connection.
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

    /// Where statements run. It is known once there is a connection.
    pub(crate) fn topology(&self) -> Topology {
        self.address.topology()
    }

    /// A free connection for what delivering webhooks asks.
    pub(crate) async fn delivering(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        waited(DELIVERIES, &self.delivering).await
    }

    /// Whether the database answers and has every migration that this version knows.
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

    /// The time by its server's clock.
    pub(crate) async fn now(&self) -> Result<OffsetDateTime, StoreError> {
        self.now_between(|| ()).await.map(|(time, (), ())| time)
    }

    /// The same, with what `look` says just before it is asked and just after it has answered.
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

    /// Whether what it holds can be changed. A standby answers, and has every migration.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it cannot, or the database does not answer.
    pub async fn takes_changes(&self) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let is_read_only = diesel::select(current_setting("transaction_read_only"));
        let is_read_only: String = is_read_only.get_result(&mut connection).await.map_err(failed)?;
        if is_read_only == "on" { Err(StoreError::Unavailable(NO_CHANGES.to_owned())) } else { Ok(()) }
    }
}

/// Takes a connection, and measures for how long it was waited for.
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

/// Why there is no connection, in words that do not speak of a pool.
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
    // Asks no extra round trip: a connection in a transaction, or one that the server has closed, is replaced, and
    // any other is tried by its next statement.
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

/// A connection for the pool, whose statements are shown by traces. In tests it leaves word of what it runs.
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
