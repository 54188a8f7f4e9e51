//! The receiver of the service's events.

use std::{
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{Data, Json, PayloadConfig, post},
};
use serde_json::Value;

use crate::{person::Person, wire::text};

/// The events so far, and the server that receives them.
pub(crate) struct Events {
    kept: Arc<Mutex<Vec<Value>>>,
    server: ServerHandle,
    url: String,
}

impl Events {
    /// Starts listening, on the runtime that it is called on.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/events", listener.local_addr()?);
        let kept = Arc::new(Mutex::default());
        let data = Data::from(Arc::clone(&kept));
        let server = HttpServer::new(move || {
            let limits = PayloadConfig::new(1 << 20);
            App::new().app_data(data.clone()).app_data(limits).route("/events", post().to(take))
        });
        let server = server.workers(1).disable_signals().listen(listener)?.run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { kept, server: handle, url })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Lists the events of a person in order of arrival, each once. The first ones over a page may name
    /// nobody yet.
    pub(crate) fn of(&self, person: &Person) -> Vec<Value> {
        let kept = locked(&self.kept);
        let customer = |event: &Value| text(event, "/data/customer/id").to_owned();
        let Some(id) = kept.iter().find(|event| person.is_of(event)).map(customer) else { return Vec::new() };
        kept.iter().filter(|event| customer(event) == id).cloned().collect()
    }

    pub(crate) fn clear(&self) {
        locked(&self.kept).clear();
    }

    pub(crate) async fn stop(self) {
        self.server.stop(false).await;
    }
}

/// Receives a delivery; a repeated one is the same event.
async fn take(kept: Data<Mutex<Vec<Value>>>, event: Json<Value>) -> HttpResponse {
    let mut kept = locked(&kept);
    let id = text(&event, "/id");
    if !kept.iter().any(|known| text(known, "/id") == id) {
        kept.push(event.into_inner());
    }
    HttpResponse::Ok().finish()
}

fn locked(kept: &Mutex<Vec<Value>>) -> MutexGuard<'_, Vec<Value>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
