//! Serving of connections, so that every answer on them has the one shape.

use std::{
    cell::RefCell,
    net::SocketAddr,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
};

use actix_http::{ConnectionType, HttpServiceBuilder, Request, error::DispatchError};
use actix_service::{
    IntoServiceFactory, Service, ServiceFactory, ServiceFactoryExt, apply_fn_factory, map_config,
};
use actix_web::{
    Error,
    body::MessageBody,
    dev::{AppConfig, Extensions, ServiceRequest, ServiceResponse},
    middleware::Next,
    web::Data,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    last_word,
    timeouts::{HEAD_TIMEOUT, KEEP_ALIVE, LINGER},
    wire::{Stream, Unanswered, Wire},
};
use crate::app::App;

/// Makes the service of a connection. `stopping` ends when a graceful stop begins.
pub(super) fn connections<IO, F, S, B, Fut>(
    app: Data<App>,
    routes: F,
    stopping: impl Fn() -> Fut + 'static,
) -> impl ServiceFactory<(IO, Option<SocketAddr>), Config = (), Response = (), Error = DispatchError, InitError = ()>
where
    IO: AsyncRead + AsyncWrite + Unpin + 'static,
    F: IntoServiceFactory<S, Request>,
    S: ServiceFactory<
            Request,
            Config = AppConfig,
            Response = ServiceResponse<B>,
            Error = Error,
            InitError = (),
        > + 'static,
    B: MessageBody + 'static,
    Fut: Future<Output = ()> + 'static,
{
    let routes = routes.into_factory().map_err(|error| error.error_response());
    let http = HttpServiceBuilder::default()
        .graceful_shutdown_signal(stopping)
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(HEAD_TIMEOUT)
        .client_disconnect_timeout(LINGER)
        .on_connect_ext(|stream: &Stream<IO>, extensions: &mut Extensions| {
            extensions.insert(stream.0.borrow().unanswered.clone());
        })
        .h1(map_config(routes, |()| AppConfig::default()));
    apply_fn_factory(http, move |(io, peer): (IO, Option<SocketAddr>), http| {
        let wire = Rc::new(RefCell::new(Wire::new(io)));
        let served = http.call((Stream(Rc::clone(&wire)), peer));
        let app = app.clone();
        async move {
            let ended = served.await;
            if let Some(wire) = Rc::into_inner(wire) {
                last_word::end(&app, wire.into_inner(), &ended).await;
            }
            ended
        }
    })
}

/// Whether a graceful stop has begun.
#[derive(Debug, Default)]
pub(super) struct Stopping(pub(super) AtomicBool);

/// Notes for the connection whether it owes an answer, and closes it with the answer when the server is about
/// to stop.
pub(super) async fn owe<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let unanswered = request.conn_data::<Unanswered>().cloned().unwrap_or_default();
    unanswered.0.set(true);
    let stopping = request.app_data::<Data<Stopping>>().cloned();
    let mut answered = next.call(request).await;
    unanswered.0.set(false);
    if let Ok(answer) = &mut answered
        && stopping.is_some_and(|stopping| stopping.0.load(Ordering::Relaxed))
    {
        answer.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    answered
}
