//! Opening a connection: encryption, time limits, and the name it goes by.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use rustls::{ClientConfig, crypto::ring::default_provider};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, NoTls,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a server may take to answer a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// After how long without an acknowledgement a connection to a vanished server counts as broken.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
/// How statements of requests run; what the address sets itself wins. One that runs too long is cut off. They are
/// short: compiling one, or starting workers for it, takes longer than it saves, and so does planning it anew, since
/// each is written so that one plan suits all values. A table that may be searched by an index is never read from
/// end to end: it may have been empty when the plan was made. The memory holds the bitmap of a search whose matches are all
/// over a workspace of ten million contacts; few statements use any.
const REQUEST_OPTIONS: &str = "-c statement_timeout=30s -c plan_cache_mode=force_generic_plan -c jit=off \
     -c max_parallel_workers_per_gather=0 -c work_mem=32MB -c enable_seqscan=off";
/// How the statements that deliver webhooks run besides: by keys, whatever the size of the queue was when their plan
/// was made. It may be empty then, and hold a million rows a moment later.
const DELIVERY_OPTIONS: &str = "-c enable_bitmapscan=off -c enable_mergejoin=off";

/// Where the database is and how it is reached.
///
/// `sslmode` in the address decides about encryption. `require` and `verify-full` are the same here and
/// stricter than libpq's `require`: the certificate must be for the host and signed by an authority that the
/// system trusts (`SSL_CERT_FILE` names others). `prefer`, the default, encrypts when a server on another
/// machine can, under the same check; on loopback and Unix sockets it does not. `disable` never does.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl Address {
    /// Reads the address. The errors do not repeat it, as it may hold a password.
    pub(crate) fn read(url: &str) -> Result<Self, ConnectionError> {
        let mut config: Config =
            url.replace("sslmode=verify-full", "sslmode=require").parse().map_err(bad)?;
        if config.get_application_name().is_none() {
            config.application_name("messaging-service");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE_TIMEOUT);
        }
        let tls = encrypts(&config).then(connector).transpose()?;
        Ok(Self { config, tls })
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
        let options = format!("{options} {own}");
        self.config.options(options.trim_end());
        self
    }

    /// A new connection, which the runtime of the caller drives.
    pub(crate) async fn connect(&self) -> Result<AsyncPgConnection, ConnectionError> {
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(tls.clone()).await.map_err(bad)?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await
        } else {
            let (client, connection) = self.config.connect(NoTls).await.map_err(bad)?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await
        }
    }
}

impl Address {
    /// A new connection that hands the texts of notifications to `hear`, as long as the future is polled that comes
    /// with it.
    pub(crate) async fn session(
        &self,
        hear: impl Fn(&str) + Send + 'static,
    ) -> Result<(Client, Pin<Box<dyn Future<Output = ()> + Send>>), ConnectionError> {
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(tls.clone()).await.map_err(bad)?;
            Ok((client, Box::pin(drive(connection, hear))))
        } else {
            let (client, connection) = self.config.connect(NoTls).await.map_err(bad)?;
            Ok((client, Box::pin(drive(connection, hear))))
        }
    }
}

async fn drive<S, T>(mut connection: Connection<S, T>, hear: impl Fn(&str))
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message {
            hear(notification.payload());
        }
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

fn connector() -> Result<MakeRustlsConnect, ConnectionError> {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(bad)?;
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn bad(error: impl std::error::Error) -> ConnectionError {
    // The cause says more: "invalid connection string", and then what is invalid in it.
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    ConnectionError::BadConnection(format!("{error}{cause}"))
}

#[cfg(test)]
mod tests {
    use super::{Address, REQUEST_OPTIONS};

    #[test]
    fn the_address_decides_about_encryption() {
        for (url, encrypts) in [
            ("postgres://db.example.com/x", true),
            ("postgres://db.example.com/x?sslmode=disable", false),
            ("postgres://db.example.com/x?sslmode=prefer", true),
            ("postgres://127.0.0.1/x", false),
            ("postgres://localhost,[::1]/x", false),
            ("postgres://localhost,db.example.com/x", true),
            ("postgres://%2Fvar%2Frun%2Fpostgresql/x", false),
            ("postgres://127.0.0.1/x?sslmode=require", true),
            ("host=127.0.0.1 sslmode=verify-full", true),
        ] {
            assert_eq!(Address::read(url).unwrap().tls.is_some(), encrypts, "{url}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_read_is_not_repeated() {
        let error = Address::read("postgres://me:secret@db/x?sslmode=allow").err().unwrap().to_string();
        assert!(error.contains("sslmode") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn an_address_s_own_settings_win() {
        let address = Address::read("postgres://db/x?options=-c%20statement_timeout%3D1s").unwrap();
        let options = address.for_requests().config.get_options().unwrap().to_owned();
        assert_eq!(options, format!("{REQUEST_OPTIONS} -c statement_timeout=1s"));
    }
}
