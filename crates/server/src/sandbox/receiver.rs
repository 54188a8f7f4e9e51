//! Built-in receiver: verifies each delivery as a customer's server should, and keeps it for the demo.

use std::{
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, OnceLock},
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{Bytes, Data, post},
};
use adapter_webhooks::signature;
use domain::{clock::Clock, webhooks::WebhookSecret};
use serde_json::Value;
use tokio::sync::broadcast;
use url::Url;

use crate::system::SystemClock;

/// Deliveries that may wait for a slow reader.
const KEPT: usize = 4_096;

#[derive(Debug, Clone)]
pub(super) struct Verified {
    pub(super) body: Value,
}

struct Shared {
    secret: OnceLock<WebhookSecret>,
    events: broadcast::Sender<Verified>,
}

pub(super) struct Receiver {
    url: Url,
    shared: Arc<Shared>,
    handle: ServerHandle,
}

impl Receiver {
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/events", listener.local_addr()?).parse()?;
        let shared = Arc::new(Shared { secret: OnceLock::new(), events: broadcast::channel(KEPT).0 });
        let data = Data::from(Arc::clone(&shared));
        let server =
            HttpServer::new(move || App::new().app_data(data.clone()).route("/events", post().to(take)))
                .workers(1)
                .disable_signals()
                .listen(listener)?
                .run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { url, shared, handle })
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Accepts deliveries signed with this secret from now on.
    pub(super) fn expect_signed_with(&self, secret: &str) {
        let _ = self.shared.secret.set(WebhookSecret::from(secret.to_owned()));
    }

    pub(super) fn events(&self) -> broadcast::Receiver<Verified> {
        self.shared.events.subscribe()
    }

    pub(super) fn print_events(&self) {
        let mut events = self.events();
        tokio::spawn(async move {
            while let Ok(event) = events.recv().await {
                super::ready::print_event(&event.body);
            }
        });
    }

    pub(super) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn take(request: HttpRequest, body: Bytes, shared: Data<Shared>) -> HttpResponse {
    let Some(secret) = shared.secret.get() else { return HttpResponse::ServiceUnavailable().finish() };
    let header = request.headers().get("X-Service-Signature").and_then(|value| value.to_str().ok());
    if let Err(problem) = signature::verify(secret, header, &body, SystemClock.now()) {
        return HttpResponse::Unauthorized().body(problem.to_string());
    }
    let Ok(body) = serde_json::from_slice(&body) else { return HttpResponse::BadRequest().finish() };
    // Nobody may be listening.
    let _ = shared.events.send(Verified { body });
    HttpResponse::Ok().finish()
}
