//! The shop as its owner holds it: a server on a thread of its own.

use std::fmt;
use std::net::TcpListener;
use std::sync::Arc;

use actix_web::web::{self, Data, PayloadConfig};
use actix_web::{App, HttpServer};
use serde_json::{Value, json};
use simulator_kit::{Background, KEEP_ALIVE, NotStarted, WORKERS};

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

/// A running shop. Ends when it is stopped or dropped.
pub struct ReferenceShop {
    core: Arc<Core>,
    server: Background,
}

impl ReferenceShop {
    /// Starts a shop and returns once it listens. Any runtime may call it: the shop has its own.
    pub async fn start(config: Config) -> Result<Self, Error> {
        let listen = config.listen;
        let make = move |listener, address| {
            let core = Arc::new(Core::new(config, address));
            let server = serve(Arc::clone(&core), listener);
            Ok::<_, NotStarted>((core, server.map_err(|source| NotStarted::Listen { address, source })?))
        };
        let (core, server) = Background::start("reference-shop", listen, make).await?;
        Ok(Self { core, server })
    }

    /// Returns the URL that an owner registers: `http://127.0.0.1:<port>/shop/contract`.
    pub fn base_url(&self) -> String {
        format!("http://{}{BASE}", self.server.address())
    }

    /// Returns the base URL of the control routes: `http://127.0.0.1:<port>/control`.
    pub fn control_url(&self) -> String {
        format!("http://{}/control", self.server.address())
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
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

impl fmt::Debug for ReferenceShop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ReferenceShop").field("server", &self.server).finish_non_exhaustive()
    }
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
