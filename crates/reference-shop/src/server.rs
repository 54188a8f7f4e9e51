//! The shop as its owner holds it: a server on a thread of its own.

use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::rt::System;
use actix_web::web::{self, Data, PayloadConfig};
use actix_web::{App, HttpServer};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::answers;
use crate::config::Config;
use crate::control;
use crate::core::Core;
use crate::error::Error;
use crate::faults::{self, Fault};
use crate::route::BASE;
use crate::routes;
use crate::state::appointments::Appointment;
use crate::state::orders::Order;

/// Largest request, in bytes.
const MAX_BODY_BYTES: usize = 1024 * 1024;
const WORKERS: usize = 2;
/// Longer than a client keeps an idle connection, so that none is closed while a request is being written.
const KEEP_ALIVE: Duration = Duration::from_mins(5);

/// A running shop. Ends when it is stopped or dropped.
pub struct ReferenceShop {
    core: Arc<Core>,
    address: SocketAddr,
    server: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl ReferenceShop {
    /// Starts a shop and returns once it listens. Any runtime may call it: the shop has its own.
    pub async fn start(config: Config) -> Result<Self, Error> {
        let listen = config.listen;
        let listen_error = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        let core = Arc::new(Core::new(config, address));
        let (report, started) = oneshot::channel();
        let shared = Arc::clone(&core);
        let thread = std::thread::Builder::new()
            .name("reference-shop".to_owned())
            .spawn(move || run(shared, listener, address, report))
            .map_err(|error| Error::Thread(Some(error)))?;
        let server = started.await.map_err(|_ended| Error::Thread(None))??;
        Ok(Self { core, address, server, thread: Some(thread) })
    }

    /// Returns the URL that an owner registers: `http://127.0.0.1:<port>/shop/contract`.
    pub fn base_url(&self) -> String {
        format!("http://{}{BASE}", self.address)
    }

    /// Returns the base URL of the control routes: `http://127.0.0.1:<port>/control`.
    pub fn control_url(&self) -> String {
        format!("http://{}/control", self.address)
    }

    /// Switches these faults on, each with its default scope, and all others off.
    pub fn switch_on(&self, faults: &[Fault]) {
        self.core.faults().replace(faults.iter().copied().map(faults::Active::of).collect());
    }

    /// Replaces the faults by the array that `PUT /control/faults` takes.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub fn set_faults(&self, faults: &Value) -> Result<(), Error> {
        let faults = faults::parse(&json!({ "faults": faults })).map_err(Error::Invalid)?;
        self.core.faults().replace(faults);
        Ok(())
    }

    /// Replaces the statuses that routes are told to answer with, by the array that `PUT /control/answers`
    /// takes.
    ///
    /// # Errors
    /// If there is no such route, or a status is not an error.
    pub fn set_answers(&self, answers: &Value) -> Result<(), Error> {
        let answers = answers::parse(&json!({ "answers": answers })).map_err(Error::Invalid)?;
        self.core.tell_answers(answers);
        Ok(())
    }

    /// Lists the orders, oldest first, as `GET /control/orders` shows them.
    pub fn orders(&self) -> Vec<Value> {
        self.core.state().orders.iter().map(Order::kept).collect()
    }

    /// Lists the appointments, oldest first, as `GET /control/appointments` shows them.
    pub fn appointments(&self) -> Vec<Value> {
        self.core.state().appointments.iter().map(Appointment::kept).collect()
    }

    /// Lists the leads, oldest first, as `GET /control/leads` shows them.
    pub fn leads(&self) -> Vec<Value> {
        self.core.state().leads.clone()
    }

    /// Lists the requests to the contract's routes, oldest first, as `GET /control/requests` shows them.
    pub fn requests(&self) -> Vec<Value> {
        self.core.requests().list()
    }

    /// Resets everything to the start: no faults, no statuses to answer with, no requests, and the initial
    /// orders and stock.
    pub fn reset(&self) {
        self.core.reset();
    }

    /// Stops the shop at once: open connections are closed.
    pub async fn stop(mut self) {
        self.server.stop(false).await;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended too.
            let _ended = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

impl fmt::Debug for ReferenceShop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ReferenceShop").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for ReferenceShop {
    fn drop(&mut self) {
        // The command is given at once; only its completion would be awaited.
        drop(self.server.stop(false));
    }
}

/// Runs the thread: its own runtime, so that neither the caller's kind nor its end matters.
fn run(
    core: Arc<Core>,
    listener: TcpListener,
    address: SocketAddr,
    report: oneshot::Sender<Result<ServerHandle, Error>>,
) {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _gone = report.send(Err(Error::Thread(Some(error))));
            return;
        }
    };
    System::with_tokio_rt(|| runtime).block_on(async move {
        match serve(core, listener) {
            Ok(server) => {
                // If the owner has gone meanwhile, dropping the handle stops the server.
                let _gone = report.send(Ok(server.handle()));
                if let Err(error) = server.await {
                    tracing::error!(%error, "the shop's server failed");
                }
            }
            Err(source) => {
                let _gone = report.send(Err(Error::Listen { address, source }));
            }
        }
    });
}

fn serve(core: Arc<Core>, listener: TcpListener) -> std::io::Result<actix_web::dev::Server> {
    let data = Data::from(core);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .app_data(PayloadConfig::new(MAX_BODY_BYTES))
            .configure(control::routes)
            .default_service(web::to(routes::answer))
    })
    .keep_alive(KEEP_ALIVE)
    .workers(WORKERS)
    .disable_signals()
    .listen(listener)?
    .run();
    Ok(server)
}
