//! Opening a connection: encryption, time limits, and the name it goes by.

mod folder;
#[cfg(feature = "testing")]
mod prepared;
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
use diesel_async::{AsyncPgConnection, RunQueryDsl};
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
    sql::{Topology, statement},
};

/// How long a server may take to answer a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server that took a connection may take besides to let us in. One that is stopped, and a proxy whose server is
/// gone, take connections and say nothing.
const LETS_IN_WITHIN: Duration = Duration::from_secs(15);
/// After how long without an acknowledgement a connection to a vanished server counts as broken.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
/// How statements of requests run; what the address sets itself wins. One that runs too long is cut off. They are
/// short: compiling one, or starting workers for it, takes longer than it saves, and so does planning it anew, since
/// each is written so that one plan suits all values. A table that may be searched by an index is never read from
/// end to end: it may have been empty when the plan was made. The memory holds the bitmap of a search whose matches are all
/// over a workspace of ten million contacts; few statements use any. A transaction whose client fell silent lets go of
/// its locks.
const REQUEST_OPTIONS: &str = "-c statement_timeout=30s -c plan_cache_mode=force_generic_plan -c jit=off \
     -c max_parallel_workers_per_gather=0 -c work_mem=32MB -c enable_seqscan=off \
     -c idle_in_transaction_session_timeout=30s";
/// How the statements that deliver webhooks run besides: by keys, whatever the size of the queue was when their plan
/// was made. It may be empty then, and hold a million rows a moment later.
const DELIVERY_OPTIONS: &str = "-c enable_bitmapscan=off -c enable_mergejoin=off";
/// Where tables are distributed, a plan is for one node, and which one follows from the values: a plan for all values is
/// refused there. Where the address itself says how to plan, this lasts no longer than the statement.
pub(crate) const PLAN_BY_VALUES: &str = "SELECT set_config('plan_cache_mode', 'auto', :shortly)
    WHERE to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL";

/// Who is told of notices.
#[cfg(test)]
type Hearer = Arc<dyn Fn(&str) + Send + Sync>;

/// Where the database is and how it is reached.
///
/// `sslmode` in the address decides about encryption. `require` and `verify-full` are the same here and stricter than
/// libpq's `require`: the certificate must be trusted and for the host; for `verify-ca` it must be trusted, whatever
/// host it is for. `prefer`, the default, encrypts when a server on another machine can, and judges as `verify-full`
/// does; on loopback and Unix sockets it does not. `disable` never does. With `sslrootcert` the authorities of that
/// file are trusted, and no others; `sslrootcert=system` is as without it.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    connector: Connector,
    /// The trust that the address itself names.
    own: Option<Trust>,
    /// Whether the server is reached by a socket in a folder.
    in_folder: bool,
    /// Whether the way to plan is ours to choose: the address names none.
    chooses_plans: bool,
    /// Whether a server that was connected to distributes tables.
    on_cluster: Arc<AtomicBool>,
    /// How long a server that took a connection may take to let us in.
    lets_in_within: Duration,
    /// Is told what the server says besides its answers.
    #[cfg(test)]
    notices: Option<Hearer>,
}

impl Address {
    /// Reads the address. The errors do not repeat it, as it may hold a password.
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
            // The library leaves every socket to the connector, which it takes for one that does TLS with a host.
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

    /// The database's name; PostgreSQL takes that of the user where none is said.
    pub(crate) fn database(&self) -> Option<&str> {
        self.config.get_dbname().or(self.config.get_user())
    }

    /// The same, for statements of requests.
    pub(crate) fn for_requests(self) -> Self {
        self.with_options(REQUEST_OPTIONS)
    }

    /// The same, for the statements that deliver webhooks.
    pub(crate) fn for_deliveries(self) -> Self {
        self.with_options(&format!("{REQUEST_OPTIONS} {DELIVERY_OPTIONS}"))
    }

    /// Its own come last, and win.
    fn with_options(mut self, options: &str) -> Self {
        let own = self.config.get_options().unwrap_or_default();
        self.chooses_plans = !own.contains("plan_cache_mode");
        let options = format!("{options} {own}");
        self.config.options(options.trim_end());
        self
    }

    /// The same, with these options besides, and `hear` told of the server's notices.
    #[cfg(test)]
    pub(crate) fn hearing(self, options: &str, hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { notices: Some(Arc::new(hear)), ..self.with_options(options) }
    }

    /// A new connection, which the runtime of the caller drives.
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

    /// What becomes of it, unless the servers take longer than they may. Whoever waited on would keep a place among the
    /// pool's connections for a server that never answers, also once another one does.
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

    /// Where statements run, as the latest connection tells.
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
            // Whoever asks over the client is told what becomes of it.
            tokio::spawn(async move { drop(connection.await) });
            return AsyncPgConnection::try_from(client).await;
        }
        let connected = self.config.connect(self.connector.clone()).await;
        let (client, connection) = connected.map_err(|error| bad(&error))?;
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }

    /// A new connection that hands channel and text of each notification to `hear`, as long as the future is polled that
    /// comes with it.
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

/// In words that name what is wrong, whatever the server's language.
fn bad(error: &tokio_postgres::Error) -> ConnectionError {
    if let Some(wrong) = untrusted(error) {
        return ConnectionError::BadConnection(format!(
            "the certificate of the database is not trusted: {wrong}"
        ));
    }
    if let Some(passing) = error.code().and_then(|state| passing(state.code())) {
        return ConnectionError::BadConnection(passing);
    }
    // The cause says more: "invalid connection string", and then what is invalid in it.
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    ConnectionError::BadConnection(format!("{error}{cause}"))
}

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod tests;
