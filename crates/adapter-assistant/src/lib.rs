//! Language models behind servers: those that speak the `OpenAI` form of `/chat/completions` (hosted ones,
//! vLLM, Ollama and others), Anthropic's, Gemini's. genai speaks all three; where it does not do what is
//! needed here, `request`, `answer` and `raw` do, for the reasons given there.
//!
//! Invariants: nothing here retries, except that a server which refuses the name of the field for the longest
//! answer is asked in the newer form at once, and from then on if it answers that; no error contains the key,
//! a word that was said, or the server's answer, and genai's, which do, are neither kept nor printed; broken
//! arguments of a tool are returned as they were written, for the model to be told.

mod answer;
mod dialect;
mod failure;
mod parts;
mod raw;
mod request;

pub use dialect::Dialect;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bounded_http::Relay;
use domain::assistant::{
    ModelAnswer, ModelError, ModelKey, ModelRequest,
    ports::{LanguageModel, ModelByKey},
};
use genai::{
    Client, ModelIden, ServiceTarget,
    resolver::{AuthData, Endpoint},
};
use reqwest::Proxy;
use secrecy::SecretString;
use tls_trust::Trust;
use tracing::{Instrument, Span, field::Empty};
use url::Url;

use failure::Failed;

/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Most bytes of an answer on the wire.
const ANSWER_BYTES: usize = 1024 * 1024;
/// Reason why no client could be built.
const UNBUILT: &str = "the client cannot be built";
/// Model name that genai is given for every model. It derives from a name how hard the model should think,
/// the name of the field for the longest answer and how it caches, cuts the name and adds to the request;
/// from this one it derives nothing.
const NAMELESS: &str = "model";

/// A model's server and how to call it.
#[derive(Clone)]
pub struct Config {
    /// Wire format of the server.
    pub dialect: Dialect,
    /// URL below which it is called, such as [`Dialect::vendor`].
    pub base_url: Url,
    /// API key; `None` for a server that needs none.
    pub key: Option<SecretString>,
    /// Name of the model at the server.
    pub model: String,
}

/// Leaves the key out.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("dialect", &self.dialect)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A client of a model's server.
#[derive(Debug, Clone)]
pub struct ModelServer {
    client: Client,
    endpoint: Url,
    config: Config,
    /// Whether the server has asked for the newer form.
    is_newer: Arc<AtomicBool>,
    relay: Arc<Relay>,
}

impl ModelServer {
    /// Builds a client of the server, on the current runtime; nothing is requested yet.
    ///
    /// # Errors
    /// In words for an operator, if the client cannot be built or nothing can be below the URL.
    pub fn new(config: Config, trust: &Trust) -> Result<Self, String> {
        let endpoint = config.dialect.endpoint(&config.base_url, &config.model);
        let endpoint = endpoint.ok_or("the address can have nothing below it")?;
        // genai takes only reqwest's client, which bounds nothing that comes.
        let relay = Relay::start(&endpoint, CONNECT, ANSWER_BYTES).map_err(|_| UNBUILT)?;
        let client = reqwest::Client::builder().no_proxy();
        // A server of one's own on `http` needs no certificate.
        let client = if endpoint.scheme() == "https" {
            let tls = trust.client_config().map_err(|error| error.to_string())?;
            client.tls_backend_preconfigured(tls).proxy(Proxy::https(relay.proxy()).map_err(|_| UNBUILT)?)
        } else {
            client
        };
        let client = client
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            // genai has switched it on for all.
            .no_gzip()
            .build()
            .map_err(|_| UNBUILT)?;
        let client = Client::builder().with_reqwest(client).build().map_err(|_| UNBUILT)?;
        Ok(Self { client, endpoint, config, is_newer: Arc::default(), relay: Arc::new(relay) })
    }
}

impl ModelByKey for ModelServer {
    fn with_key(&self, key: &ModelKey) -> Arc<dyn LanguageModel> {
        let key = Some(SecretString::from(key.reveal()));
        Arc::new(Self { config: Config { key, ..self.config.clone() }, ..self.clone() })
    }
}

#[async_trait]
impl LanguageModel for ModelServer {
    /// Records duration and outcome in a trace and in the metrics.
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError> {
        let span = tracing::info_span!(
            "model",
            otel.kind = "client",
            otel.status_code = Empty,
            http.request.method = "POST",
            server.address = self.endpoint.host_str(),
            server.port = self.endpoint.port_or_known_default().map(i64::from),
            outcome = Empty,
            http.response.status_code = Empty,
            "error.type" = Empty,
        );
        let began = Instant::now();
        let answered = self.asked(request, within).instrument(span.clone()).await;
        let outcome = outcome(&answered);
        span.record("outcome", outcome);
        if answered.is_err() {
            span.record("error.type", outcome);
            span.record("otel.status_code", "ERROR");
        }
        answers(outcome).increment(1);
        metrics::histogram!("messaging_model_answer_seconds").record(began.elapsed().as_secs_f64());
        answered
    }
}

impl ModelServer {
    async fn asked(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError> {
        let (began, is_newer) = (Instant::now(), self.is_newer.load(Ordering::Relaxed));
        let mut answered = self.asked_in_form(is_newer, request, within).await;
        if !is_newer && answered.as_ref().is_err_and(|failed| failed.wants_newer) {
            answered = self.asked_in_form(true, request, within.saturating_sub(began.elapsed())).await;
            // A server that refuses the newer form as well meant something else.
            if matches!(answered, Ok(_) | Err(Failed { error: ModelError::Unusable(_), .. })) {
                self.is_newer.store(true, Ordering::Relaxed);
            }
        }
        answered.map_err(|failed| failed.error)
    }

    async fn asked_in_form(
        &self,
        is_newer: bool,
        request: &ModelRequest,
        within: Duration,
    ) -> Result<ModelAnswer, Failed> {
        let Config { dialect, key, model, .. } = &self.config;
        let mut headers = dialect.headers(key.as_ref());
        // The request goes by way of the relay.
        headers.merge(("host", self.endpoint.authority().rsplit('@').next().unwrap_or_default().to_owned()));
        // URL and headers are ours: no key is looked up anywhere, and the name stays whole.
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(self.endpoint.as_str()),
            auth: AuthData::RequestOverride {
                url: self.relay.in_place_of(&self.endpoint).to_string(),
                headers,
            },
            model: ModelIden::from_static(dialect.adapter(), NAMELESS),
        };
        let chat = request::chat(*dialect, request);
        let options = request::options(*dialect, model, request.longest_answer, is_newer);
        let asked = self.client.exec_chat(target, chat, Some(&options));
        match tokio::time::timeout(within, asked).await {
            Ok(Ok(answer)) => Ok(answer::of(*dialect, answer)?),
            Ok(Err(error)) => failure::of(*dialect, error).map_err(|mut failed| {
                if let Some(status) = failed.status {
                    Span::current().record("http.response.status_code", i64::from(status.as_u16()));
                }
                if matches!(failed.error, ModelError::Broken) && !self.relay.is_reached() {
                    failed.error = ModelError::NotReached;
                }
                failed
            }),
            Err(_) => Err(ModelError::TimedOut.into()),
        }
    }
}

/// Lets the metrics count from zero on, so that the first of an outcome is an increase.
pub fn count_from_zero() {
    let asked =
        ["answered", "not_reached", "broken", "timed_out", "slow_down", "refused", "key_refused", "unusable"];
    for outcome in asked {
        answers(outcome).increment(0);
    }
}

fn answers(outcome: &'static str) -> metrics::Counter {
    metrics::counter!("messaging_model_answers_total", "outcome" => outcome)
}

const fn outcome(answered: &Result<ModelAnswer, ModelError>) -> &'static str {
    match answered {
        Ok(_) => "answered",
        Err(ModelError::NotReached) => "not_reached",
        Err(ModelError::Broken) => "broken",
        Err(ModelError::TimedOut) => "timed_out",
        Err(ModelError::SlowDown { .. }) => "slow_down",
        Err(ModelError::Refused { .. }) => "refused",
        Err(ModelError::KeyRefused) => "key_refused",
        Err(ModelError::Unusable(_)) => "unusable",
        // Nobody was asked.
        Err(ModelError::BudgetSpent | ModelError::NotCounted) => "not_asked",
    }
}
