//! The two servers: the public one and the admin one.

mod bare;
mod connections;
mod last_word;
mod timeouts;
mod wire;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use actix_service::{ServiceFactoryExt, fn_service};
use actix_tls::accept::{
    TlsError,
    rustls_0_23::{Acceptor, TlsStream},
};
use actix_web::{HttpServer, dev::Server, middleware::from_fn, rt::net::TcpStream, web::Data};

use crate::{
    access::FailedKeys,
    admin,
    app::App,
    body::Measured,
    endpoint::bodiless,
    headers::protect,
    pages::{RunningExports, RunningImports, RunningReadings, Tries},
    request_log::observe,
    routes,
};
use connections::{Stopping, connections, owe};
use timeouts::{HANDSHAKE_TIMEOUT, HEAD_TIMEOUT, LAST_REQUESTS};

/// Settings of a server.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Worker threads; at least one.
    pub workers: usize,
    /// Longest time that a graceful stop waits for requests in hand.
    pub shutdown_timeout: Duration,
}

/// Makes the server of `/v1`, of the dashboard and of the networks' webhooks, on a listener that is already
/// bound; over TLS if `tls` is given. The server handles no signals; the caller runs it and stops it by its
/// handle.
///
/// # Errors
/// If the listener cannot be used.
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
    let running_exports = Data::new(RunningExports::default());
    let running_readings = Data::new(RunningReadings::default());
    let tries = Data::new(Tries::default());
    let server = Server::build()
        .workers(settings.workers.max(1))
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .disable_signals();
    let stopping = server.graceful_shutdown_signal();
    let has_begun = Data::new(Stopping::default());
    let serve = move || {
        let routes = actix_web::App::new()
            .app_data(app.clone())
            .app_data(failed_keys.clone())
            .app_data(running_imports.clone())
            .app_data(running_exports.clone())
            .app_data(running_readings.clone())
            .app_data(tries.clone())
            .app_data(unsigned.clone())
            .app_data(has_begun.clone())
            .wrap(from_fn(protect))
            .wrap(from_fn(observe))
            .wrap(from_fn(owe))
            .wrap(from_fn(bodiless))
            .configure(|config| routes::public(config, &app.receive_updates.webhooks));
        let (stopping, has_begun) = (stopping.clone(), has_begun.clone());
        let stops = move || {
            let (stopping, has_begun) = (stopping.clone(), has_begun.clone());
            async move {
                stopping.notified().await;
                has_begun.0.store(true, Ordering::Relaxed);
                tokio::time::sleep(LAST_REQUESTS).await;
            }
        };
        (app.clone(), routes, stops)
    };
    let server = match tls {
        Some(mut tls) => {
            tls.alpn_protocols = vec![b"http/1.1".to_vec()];
            server.listen("public", listener, move || {
                let (app, routes, stops) = serve();
                let mut acceptor = Acceptor::new(tls.clone());
                acceptor.set_handshake_timeout(HANDSHAKE_TIMEOUT);
                acceptor
                    .map_err(TlsError::into_service_error)
                    .and_then(async |stream: TlsStream<TcpStream>| {
                        let (tcp, _) = stream.get_ref();
                        let peer = reached(tcp);
                        Ok((stream, peer))
                    })
                    .and_then(connections(app, routes, stops).map_err(TlsError::Service))
            })?
        }
        None => server.listen("public", listener, move || {
            let (app, routes, stops) = serve();
            fn_service(async |tcp: TcpStream| {
                let peer = reached(&tcp);
                Ok((tcp, peer))
            })
            .and_then(connections(app, routes, stops))
        })?,
    };
    Ok(server.run())
}

/// Returns the client's address of a new connection, and makes writes on it go out at once.
fn reached(tcp: &TcpStream) -> Option<SocketAddr> {
    // Only slower without it.
    let _ = tcp.set_nodelay(true);
    tcp.peer_addr().ok()
}

/// Makes the server for operators: `/metrics`, `/healthz`, `/readyz`. Not for the public. One worker thread
/// serves it.
///
/// # Errors
/// If the listener cannot be used.
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
