//! The stand-in as its owner holds it: a server on a thread of its own.

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{AUTHORIZATION, RETRY_AFTER};
use actix_web::web::{self, Data, PayloadConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use simulator_kit::{Background, KEEP_ALIVE, NotStarted as Error, WORKERS};

use crate::config::Config;
use crate::control;
use crate::core::Core;
use crate::faults::{Active, Fault};
use crate::mind;
use crate::script::Script;
use crate::spoil::spoil;
use crate::wire::{self, Seen};

/// Largest request, in bytes.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// A running stand-in. Ends when it is stopped or dropped.
pub struct ModelSimulator {
    core: Arc<Core>,
    server: Background,
}

impl ModelSimulator {
    /// Starts a stand-in and returns once it listens. Any runtime may call it: the stand-in has its own.
    pub async fn start(config: Config) -> Result<Self, Error> {
        let listen = config.listen;
        let core = Arc::new(Core::new(config));
        let shared = Arc::clone(&core);
        let make = move |listener, address| {
            let server = serve(shared, listener).map_err(|source| Error::Listen { address, source })?;
            Ok::<_, Error>(((), server))
        };
        let ((), server) = Background::start("model-simulator", listen, make).await?;
        Ok(Self { core, server })
    }

    /// Returns the base URL of `chat/completions`: `http://127.0.0.1:<port>/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.server.address())
    }

    /// Returns the base URL of the control routes: `http://127.0.0.1:<port>/control`.
    pub fn control_url(&self) -> String {
        format!("http://{}/control", self.server.address())
    }

    /// Switches these faults on, without limit, and all others off.
    pub fn switch_on(&self, faults: &[Fault]) {
        self.core.faults().replace(faults.iter().copied().map(Active::of).collect());
    }

    /// Replaces the answers to be played next, each once.
    pub fn play(&self, scripts: Vec<Script>) {
        self.core.play(scripts);
    }

    /// Lists the bodies of the requests, oldest first.
    pub fn requests(&self) -> Vec<Value> {
        self.core.requests()
    }

    /// Lists the `Authorization` header of each request, oldest first.
    pub fn keys(&self) -> Vec<Option<String>> {
        self.core.keys()
    }

    /// Lists the mismatches between scripts and requests.
    pub fn errors(&self) -> Vec<String> {
        self.core.errors()
    }

    /// Resets everything to the start: no faults, no scripts, no requests.
    pub fn reset(&self) {
        self.core.reset();
    }

    /// Stops the stand-in at once: open connections are closed.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

impl fmt::Debug for ModelSimulator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ModelSimulator").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Delay of a slow answer.
const SLOW: Duration = Duration::from_millis(400);

fn serve(core: Arc<Core>, listener: TcpListener) -> io::Result<actix_web::dev::Server> {
    let data = Data::from(core);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .app_data(PayloadConfig::new(MAX_BODY_BYTES))
            .configure(control::routes)
            .route("/v1/chat/completions", web::post().to(chat))
    })
    .keep_alive(KEEP_ALIVE)
    .workers(WORKERS)
    .disable_signals()
    .listen(listener)?
    .run();
    Ok(server)
}

async fn chat(core: Data<Core>, request: HttpRequest, body: Bytes) -> HttpResponse {
    let key = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    core.note(serde_json::from_slice(&body).unwrap_or_default(), key.map(str::to_owned));
    if core.strikes(Fault::RateLimited) {
        return HttpResponse::TooManyRequests()
            .insert_header((RETRY_AFTER, "1"))
            .json(failure("too many requests"));
    }
    if core.strikes(Fault::ServerError) {
        return HttpResponse::InternalServerError().json(failure("something went wrong"));
    }
    if core.strikes(Fault::KeyRefused) {
        return HttpResponse::Unauthorized().json(failure("there is no such key"));
    }
    if core.strikes(Fault::Hanging) {
        std::future::pending::<()>().await;
    }
    if core.strikes(Fault::Slow) {
        tokio::time::sleep(SLOW).await;
    }
    let seen = match Seen::read(&body) {
        Ok(seen) => seen,
        Err(reason) => return HttpResponse::BadRequest().json(failure(&reason)),
    };
    if seen.pictures > 0 && core.strikes(Fault::NoPictures) {
        return HttpResponse::BadRequest().json(failure("this model reads no pictures"));
    }
    let answer = match core.next_script().map(|script| script.answer(&seen)) {
        Some(Ok(answer)) => answer.sent(&seen),
        Some(Err(reason)) => {
            core.fail(&reason);
            return HttpResponse::InternalServerError().json(failure(&reason));
        }
        None => spoil(&core, &seen, mind::answer(&seen)),
    };
    let answer = wire::written(&answer, &seen);
    if core.strikes(Fault::CutAnswer) {
        let text = answer.to_string();
        let half = Bytes::copy_from_slice(text.as_bytes().get(..text.len() / 2).unwrap_or_default());
        // The pause flushes the first half; without it nothing would be sent.
        let cut = stream::once(async {
            tokio::task::yield_now().await;
            Err(io::Error::other("cut"))
        });
        let cut = stream::iter([Ok(half)]).chain(cut);
        return HttpResponse::Ok().content_type("application/json").streaming(cut);
    }
    HttpResponse::Ok().json(answer)
}

fn failure(message: &str) -> Value {
    json!({ "error": { "message": message, "type": "stand_in" } })
}
