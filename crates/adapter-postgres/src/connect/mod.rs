//! Opening connections: encryption, time limits, and settings of the session.

mod folder;
mod secure;
mod states;
mod text;

use std::{
    error::Error,
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use diesel::{ConnectionError, sql_types::Bool};
use diesel_async::AsyncPgConnection;
use tls_trust::{Trust, TrustError, untrusted};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection,
    config::{Host, SslMode, SslNegotiation},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use self::{
    secure::Connector,
    text::{Judged, Said},
};
use crate::{
    error::passing,
    sql::{RunQueryDsl, Topology, statement},
};

/// Time limit for a server to answer a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Further time limit for a server that answered to complete the login. A stopped server, and a proxy whose
/// server is gone, accept connections and stay silent.
const LETS_IN_WITHIN: Duration = Duration::from_secs(15);
/// Time without an acknowledgement after which a connection counts as broken.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
/// Options for the statements of requests; those in the address take precedence. Statements are short and
/// time out: JIT compilation, parallel workers and new plans cost more than they save, and each statement is
/// written so that one plan suits all values. Sequential scans are off, since a table may have been empty
/// when its plan was made. The memory holds the bitmap of a search with matches all over a workspace of ten
/// million contacts; few statements use any. A transaction whose client fell silent releases its locks.
const REQUEST_OPTIONS: &str = "-c statement_timeout=30s -c plan_cache_mode=force_generic_plan -c jit=off \
     -c max_parallel_workers_per_gather=0 -c work_mem=32MB -c enable_seqscan=off \
     -c idle_in_transaction_session_timeout=30s";
/// Further options for the statements that deliver webhooks: access by keys only, since the queue may be
/// empty when a plan is made and hold a million rows a moment later.
const DELIVERY_OPTIONS: &str = "-c enable_bitmapscan=off -c enable_mergejoin=off";
/// Where tables are distributed, a plan is for one node, which follows from the values, so generic plans are
/// refused. If the address sets the plan mode, this setting ends with the statement.
pub(crate) const PLAN_BY_VALUES: &str = "SELECT set_config('plan_cache_mode', 'auto', :shortly)
    WHERE to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL";

#[cfg(test)]
type Hearer = Arc<dyn Fn(&str) + Send + Sync>;

/// Where the database is and how to reach it.
///
/// `sslmode` in the address decides about encryption. `require` and `verify-full` are the same here and
/// stricter than libpq's `require`: the certificate must be trusted and issued for the host. For `verify-ca`
/// it must be trusted, whatever host it is for. `prefer`, the default, encrypts if a server on another
/// machine can, and judges as `verify-full` does; on loopback and Unix sockets it does not encrypt. `disable`
/// never does. With `sslrootcert` only the authorities in that file are trusted; `sslrootcert=system` has no
/// effect.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    connector: Connector,
    own: Option<Trust>,
    in_folder: bool,
    /// Whether the plan mode is ours to choose, since the address sets none.
    chooses_plans: bool,
    /// Whether the latest connection was to a server that distributes tables.
    on_cluster: Arc<AtomicBool>,
    lets_in_within: Duration,
    #[cfg(test)]
    notices: Option<Hearer>,
}

impl Address {
    /// Parses the address. Errors do not repeat it, as it may contain a password.
    pub(crate) fn read(url: &str, trust: &Trust) -> Result<Self, ConnectionError> {
        let Said { judged, authorities, rest } = text::read(url);
        let mut config: Config = rest.parse().map_err(|error| bad(&error))?;
        if config.get_application_name().is_none() {
            config.application_name("messaging-service");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE_TIMEOUT);
        }
        let unusable = |error: TrustError| ConnectionError::BadConnection(format!("`sslrootcert`: {error}"));
        let own = authorities.map(Trust::only).transpose().map_err(unusable)?;
        let tls = encrypts(&config).then(|| connector(own.as_ref().unwrap_or(trust), judged)).transpose()?;
        let connector = Connector {
            tls,
            open_if_not_offered: config.get_ssl_mode() == SslMode::Prefer,
            unasked: config.get_ssl_negotiation() == SslNegotiation::Direct,
        };
        let in_folder = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        let in_folder = in_folder && !config.get_hosts().is_empty();
        if !in_folder {
            // The library hands every socket to the connector, as if it used TLS with a host.
            config.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct);
            if config.get_hosts().is_empty() {
                for address in config.get_hostaddrs().to_vec() {
                    config.host(address.to_string());
                }
            }
        }
        Ok(Self {
            config,
            connector,
            own,
            in_folder,
            chooses_plans: false,
            on_cluster: Arc::default(),
            lets_in_within: LETS_IN_WITHIN,
            #[cfg(test)]
            notices: None,
        })
    }

    pub(crate) fn read_authorities_again(&self) -> Result<(), TrustError> {
        self.own.as_ref().map_or(Ok(()), Trust::reload)
    }

    pub(crate) fn database(&self) -> Option<&str> {
        self.config.get_dbname().or(self.config.get_user())
    }

    pub(crate) fn for_requests(self) -> Self {
        self.with_options(REQUEST_OPTIONS)
    }

    pub(crate) fn for_deliveries(self) -> Self {
        self.with_options(&format!("{REQUEST_OPTIONS} {DELIVERY_OPTIONS}"))
    }

    /// Adds options before the address's own, which take precedence.
    fn with_options(mut self, options: &str) -> Self {
        let own = self.config.get_options().unwrap_or_default();
        self.chooses_plans = !own.contains("plan_cache_mode");
        let options = format!("{options} {own}");
        self.config.options(options.trim_end());
        self
    }

    #[cfg(test)]
    pub(crate) fn hearing(self, options: &str, hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { notices: Some(Arc::new(hear)), ..self.with_options(options) }
    }

    pub(crate) async fn connect(&self) -> Result<AsyncPgConnection, ConnectionError> {
        self.in_time(self.set_up()).await
    }

    async fn set_up(&self) -> Result<AsyncPgConnection, ConnectionError> {
        let mut connection = self.opened().await?;
        let by_values = statement(PLAN_BY_VALUES).bind::<Bool, _>("shortly", !self.chooses_plans);
        let chosen = by_values.execute(&mut connection).await;
        let on_cluster = chosen.map_err(ConnectionError::CouldntSetupConfiguration)? > 0;
        self.on_cluster.store(on_cluster, Ordering::Relaxed);
        Ok(connection)
    }

    /// Limits the time of connecting to all servers together. Otherwise a server that never answers would
    /// occupy a place in the pool, even after another one answers.
    async fn in_time<T>(
        &self,
        connecting: impl Future<Output = Result<T, ConnectionError>>,
    ) -> Result<T, ConnectionError> {
        let to_each = self.config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
        let servers = u32::try_from(self.config.get_hosts().len()).unwrap_or(u32::MAX).max(1);
        let within = to_each.saturating_add(self.lets_in_within).saturating_mul(servers);
        timeout(within, connecting).await.unwrap_or_else(|_| {
            let silent = format!("it let nobody in within {} s", within.as_secs());
            Err(ConnectionError::BadConnection(format!("error connecting to server: {silent}")))
        })
    }

    pub(crate) fn topology(&self) -> Topology {
        if AtomicBool::load(&self.on_cluster, Ordering::Relaxed) {
            Topology::Cluster
        } else {
            Topology::OneServer
        }
    }

    async fn opened(&self) -> Result<AsyncPgConnection, ConnectionError> {
        #[cfg(test)]
        if let Some(hear) = self.notices.clone() {
            let (client, connection) = self.session_with(move |message| notice(message, &*hear)).await?;
            tokio::spawn(connection);
            return AsyncPgConnection::try_from(client).await;
        }
        if self.in_folder {
            let (client, connection) = folder::connect(&self.config).await?;
            // Its result reaches whoever uses the client.
            tokio::spawn(async move { drop(connection.await) });
            return AsyncPgConnection::try_from(client).await;
        }
        let connected = self.config.connect(self.connector.clone()).await;
        let (client, connection) = connected.map_err(|error| bad(&error))?;
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }

    /// Opens a connection that hands channel and text of notifications to `hear` while the future is polled.
    pub(crate) async fn session(
        &self,
        hear: impl Fn(&str, &str) + Send + 'static,
    ) -> Result<(Client, Pin<Box<dyn Future<Output = ()> + Send>>), ConnectionError> {
        self.session_with(move |message| {
            if let AsyncMessage::Notification(notification) = message {
                hear(notification.channel(), notification.payload());
            }
        })
        .await
    }

    async fn session_with(
        &self,
        hear: impl Fn(AsyncMessage) + Send + 'static,
    ) -> Result<(Client, Pin<Box<dyn Future<Output = ()> + Send>>), ConnectionError> {
        self.in_time(self.begun(hear)).await
    }

    async fn begun(
        &self,
        hear: impl Fn(AsyncMessage) + Send + 'static,
    ) -> Result<(Client, Pin<Box<dyn Future<Output = ()> + Send>>), ConnectionError> {
        if self.in_folder {
            let (client, connection) = folder::connect(&self.config).await?;
            return Ok((client, Box::pin(drive(connection, hear))));
        }
        let connected = self.config.connect(self.connector.clone()).await;
        let (client, connection) = connected.map_err(|error| bad(&error))?;
        Ok((client, Box::pin(drive(connection, hear))))
    }
}

async fn drive<S, T>(mut connection: Connection<S, T>, hear: impl Fn(AsyncMessage))
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        hear(message);
    }
}

#[cfg(test)]
fn notice(message: AsyncMessage, hear: &(dyn Fn(&str) + Send + Sync)) {
    if let AsyncMessage::Notice(notice) = message {
        hear(notice.message());
    }
}

fn encrypts(config: &Config) -> bool {
    match config.get_ssl_mode() {
        SslMode::Disable => false,
        SslMode::Prefer => !config.get_hosts().iter().all(is_here),
        _ => true,
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

fn connector(trust: &Trust, judged: Judged) -> Result<MakeRustlsConnect, ConnectionError> {
    let config = match judged {
        Judged::Whole => trust.client_config(),
        Judged::WhateverName => trust.client_config_for_any_name(),
    };
    let config = config.map_err(|error| ConnectionError::BadConnection(error.to_string()))?;
    Ok(MakeRustlsConnect::new(config))
}

/// Describes the error in words of ours, whatever the server's language.
fn bad(error: &tokio_postgres::Error) -> ConnectionError {
    if let Some(wrong) = untrusted(error) {
        return ConnectionError::BadConnection(format!(
            "the certificate of the database is not trusted: {wrong}"
        ));
    }
    if let Some(passing) = error.code().and_then(|state| passing(state.code())) {
        return ConnectionError::BadConnection(passing);
    }
    // The cause says more: after "invalid connection string" comes what is invalid.
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    ConnectionError::BadConnection(format!("{error}{cause}"))
}

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod tests;
