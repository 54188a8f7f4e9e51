//! The simulator as its owner holds it: a server on a thread of its own.

use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::{self, Data, PayloadConfig};
use actix_web::{App, HttpServer};
use serde_json::{Value, json};
use simulator_kit::{Background, KEEP_ALIVE, NotStarted, WORKERS};
use tokio::runtime::Handle;
use url::Url;

use crate::api;
use crate::clock;
use crate::config::Config;
use crate::control;
use crate::core::Core;
use crate::error::Error;
use crate::faults;
use crate::graph;
use crate::phones;

/// Largest request, in bytes.
const MAX_BODY_BYTES: usize = 101 * 1024 * 1024;
/// Time for the head of a request: long, since a machine that runs many tests at once may delay it.
const HEAD_TIMEOUT: Duration = Duration::from_mins(1);

/// A running simulator. Ends when it is stopped or dropped.
pub struct Simulator {
    core: Arc<Core>,
    server: Background,
}

impl Simulator {
    /// Starts a simulator and returns once it listens. Any runtime may call it: the simulator has its own.
    ///
    /// # Errors
    /// If the address is taken, or the configuration is invalid: a template without a name, two accounts with
    /// one id, a callback that is no `http` URL.
    pub async fn start(config: Config) -> Result<Self, Error> {
        let listen = config.listen;
        let make = move |listener, address| serve(config, listener, address);
        let (core, server) = Background::start("network-simulator", listen, make).await?;
        Ok(Self { core, server })
    }

    /// Returns the base address: `http://127.0.0.1:<port>/`.
    pub fn url(&self) -> Url {
        self.core.base_url.clone()
    }

    /// Sets the callback; `None` stops the posts.
    ///
    /// # Errors
    /// If it is no `http` URL.
    pub fn set_webhook_url(&self, url: Option<Url>) -> Result<(), Error> {
        self.core.set_callback(url)
    }

    /// Replaces the faults by the array that `PUT /control/faults` takes.
    ///
    /// # Errors
    /// If one of them is unknown or has a field that it cannot have.
    pub fn set_faults(&self, faults: &Value) -> Result<(), Error> {
        let faults = faults::parse(&json!({ "faults": faults })).map_err(Error::Invalid)?;
        self.core.faults().replace(faults);
        Ok(())
    }

    /// Lets a person write, with the body and the answer of `POST /control/inbound`.
    pub async fn person_writes(&self, body: &Value) -> Result<Value, Error> {
        let request =
            serde_json::from_value(body.clone()).map_err(|error| Error::invalid(error.to_string()))?;
        control::write(&self.core, request).await.map_err(|refused| Error::invalid(refused.to_string()))
    }

    /// Stores a file of a person, with the body and the answer of `POST /control/files`.
    pub fn put_file(&self, body: &Value) -> Result<Value, Error> {
        let request =
            serde_json::from_value(body.clone()).map_err(|error| Error::invalid(error.to_string()))?;
        control::keep(&self.core, request).map_err(|refused| Error::invalid(refused.to_string()))
    }

    /// Returns the content type and the bytes of a file that arrived: by the id that the upload answered, or
    /// on a page by the id of its message.
    pub fn file(&self, id: &str) -> Option<(String, Vec<u8>)> {
        let file = self.core.files().find(id)?;
        Some((file.content_type.clone(), file.bytes.to_vec()))
    }

    /// Lets many people write, with the body and the answer of `POST /control/traffic`.
    pub async fn traffic(&self, body: &Value) -> Result<Value, Error> {
        let request =
            serde_json::from_value(body.clone()).map_err(|error| Error::invalid(error.to_string()))?;
        control::drive(&self.core, request).await.map_err(|refused| Error::invalid(refused.to_string()))
    }

    /// Lists the accepted messages, oldest first, as `GET /control/messages` shows them.
    pub fn messages(&self) -> Vec<Value> {
        let messages = self.core.log().messages();
        messages.iter().map(|message| json!(control::shown_message(message))).collect()
    }

    /// Lists the posted webhooks, oldest first, as `GET /control/webhooks` shows them.
    pub fn webhooks(&self) -> Vec<Value> {
        let webhooks = self.core.log().webhooks();
        webhooks.iter().map(|webhook| json!(webhook.as_ref())).collect()
    }

    /// Waits until every status that an accepted message owes has had its first attempt.
    pub async fn settled(&self) {
        self.core.settled().await;
    }

    /// Waits until nothing is pending and every webhook was answered with 200 or given up.
    pub async fn acknowledged(&self) {
        self.core.acknowledged().await;
    }

    /// Stops the simulator at once: open connections are closed, pending posts dropped.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Simulator").field("url", &self.core.base_url.as_str()).finish_non_exhaustive()
    }
}

fn serve(
    config: Config,
    listener: TcpListener,
    address: SocketAddr,
) -> Result<(Arc<Core>, actix_web::dev::Server), Error> {
    let base_url =
        Url::parse(&format!("http://{address}/")).map_err(|error| Error::invalid(error.to_string()))?;
    // Ids differ from run to run and between two simulators that start together.
    let seed = config.seed.unwrap_or_else(|| {
        let nanos = clock::now().unix_timestamp_nanos();
        u64::try_from(nanos % i128::from(u64::MAX >> 16)).unwrap_or_default() << 16
            | u64::from(address.port())
    });
    let core = Arc::new(Core::new(config, base_url, seed, Handle::current())?);
    let data = Data::from(Arc::clone(&core));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .app_data(PayloadConfig::new(MAX_BODY_BYTES))
            .configure(control::routes)
            .configure(phones::routes)
            .configure(api::routes)
            .default_service(web::to(graph::unknown_path))
    })
    .keep_alive(KEEP_ALIVE)
    .client_request_timeout(HEAD_TIMEOUT)
    .on_connect(graph::connection::remember)
    .workers(WORKERS)
    .disable_signals()
    .listen(listener)
    .map_err(|source| NotStarted::Listen { address, source })?
    .run();
    Ok((core, server))
}
