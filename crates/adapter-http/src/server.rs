//! The two servers: the public one and the admin one.

use std::{io, net::TcpListener, sync::Arc, time::Duration};

use actix_web::{HttpServer, dev::Server, middleware::from_fn, web::Data};

use crate::{
    App, access::FailedKeys, admin, body::Measured, dashboard::imports::RunningImports, headers::protect,
    request_log::observe, routes,
};

/// How long an idle connection is kept; longer than common proxies keep theirs, so that the proxy closes first.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// How long a client may take over a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a client may take over the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection lingers after an answer that left its request's body unread, so that a client in the
/// middle of sending can read the answer.
const LINGER: Duration = Duration::from_secs(5);

/// How a server runs.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Threads that serve; at least one.
    pub workers: usize,
    /// How long a graceful stop waits for requests in hand.
    pub shutdown_timeout: Duration,
}

/// The server of `/v1`, of the dashboard and of the networks' webhooks, on a listener that is bound already; over
/// TLS where `tls` says how. It listens for no signal; the caller runs it and stops it over its handle.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_public(
    app: &Arc<App>,
    listener: TcpListener,
    tls: Option<rustls::ServerConfig>,
    settings: Settings,
) -> io::Result<Server> {
    let app = Data::from(Arc::clone(app));
    let failed_keys = Data::new(FailedKeys::default());
    let unsigned = Data::new(Arc::<Measured>::default());
    let running_imports = Data::new(RunningImports::default());
    let server = HttpServer::new(move || {
        actix_web::App::new()
            .app_data(app.clone())
            .app_data(failed_keys.clone())
            .app_data(running_imports.clone())
            .app_data(unsigned.clone())
            .wrap(from_fn(protect))
            .wrap(from_fn(observe))
            .configure(routes::public)
    });
    let server = server
        .workers(settings.workers.max(1))
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(HEAD_TIMEOUT)
        .client_disconnect_timeout(LINGER)
        .tls_handshake_timeout(HANDSHAKE_TIMEOUT)
        .tcp_nodelay(true)
        .disable_signals();
    let server = match tls {
        Some(tls) => server.listen_rustls_0_23(listener, tls)?,
        None => server.listen(listener)?,
    };
    Ok(server.run())
}

/// The server for operators: `/metrics`, `/healthz`, `/readyz`. Not for the public. One thread serves it.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_admin(app: &Arc<App>, listener: TcpListener, settings: Settings) -> io::Result<Server> {
    let app = Data::from(Arc::clone(app));
    let server = HttpServer::new(move || {
        actix_web::App::new().app_data(app.clone()).wrap(from_fn(observe)).configure(admin::routes)
    });
    let server = server
        .workers(1)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .client_request_timeout(HEAD_TIMEOUT)
        .disable_signals();
    Ok(server.listen(listener)?.run())
}
