//! Transcription of voice notes, by a service with the `OpenAI` form of `/v1/audio/transcriptions`, hosted or
//! one's own.
//!
//! Invariants: a recording is never held whole in memory; nothing here retries; no error text contains the
//! key, a word that was said, or the service's answer.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use bounded_http::{Client, Options};
use domain::{
    attachments::{
        ContentType,
        ports::{MediaError, SpeechSlot, StoredObject, Transcriber},
    },
    ids::WorkspaceId,
};
use futures_util::TryStreamExt;
use reqwest::{
    Body, Method,
    multipart::{Form, Part},
};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use tls_trust::{Trust, untrusted};
use tokio::sync::Semaphore;
use url::Url;

/// Time limit of a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Time limit of one recording; the caller may have less.
const WHOLE: Duration = Duration::from_mins(1);
/// Recordings at the service at once; others wait their turn.
const AT_ONCE: usize = 16;
/// Most of them for one workspace, so that a flood of one leaves room for the others.
const AT_ONCE_OF_ONE: usize = AT_ONCE / 2;
/// Most bytes of an answer.
const ANSWER_BYTES: usize = 1024 * 1024;

/// A transcription service and how to call it.
#[derive(Clone)]
pub struct Config {
    /// URL below which `audio/transcriptions` is, such as `https://api.openai.com/v1`.
    pub base_url: Url,
    /// API key; `None` for a service that needs none.
    pub key: Option<SecretString>,
    /// Name of the model at the service.
    pub model: String,
}

/// Leaves the key out.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").field("model", &self.model).finish_non_exhaustive()
    }
}

/// A client of the service.
#[derive(Clone)]
pub struct SpeechService {
    client: Client,
    endpoint: Url,
    config: Config,
    slots: Arc<Slots>,
}

struct Slots {
    all: Arc<Semaphore>,
    of_each: Mutex<HashMap<WorkspaceId, Arc<Semaphore>>>,
}

impl Slots {
    /// Returns the slots of one workspace.
    fn of(&self, workspace: WorkspaceId) -> Arc<Semaphore> {
        let mut of_each = self.of_each.lock().unwrap_or_else(PoisonError::into_inner);
        // A workspace's semaphore is shared by those who have a slot or wait for one.
        of_each.retain(|_, slots| Arc::strong_count(slots) > 1);
        Arc::clone(of_each.entry(workspace).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_OF_ONE))))
    }
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

impl SpeechService {
    /// Builds a client of the service; nothing is requested yet.
    ///
    /// # Errors
    /// In words for an operator, if the client cannot be built or nothing can be below the URL.
    pub fn new(config: Config, trust: &Trust) -> Result<Self, String> {
        let base = format!("{}/", config.base_url.as_str().trim_end_matches('/'));
        let endpoint = Url::parse(&base).and_then(|base| base.join("audio/transcriptions"));
        // A service of one's own on `http` needs no certificate.
        let options = if base.starts_with("https:") {
            Options::new(trust.client_config().map_err(|error| error.to_string())?)
        } else {
            Options::without_tls().map_err(|error| error.to_string())?
        };
        let options = Options {
            connect_timeout: Some(CONNECT),
            timeout: Some(WHOLE),
            answer_bytes: ANSWER_BYTES + ANSWER_BYTES / 4,
            ..options
        };
        let client = Client::new(options).map_err(|_| "the client cannot be built".to_owned())?;
        let endpoint = endpoint.map_err(|_| "the address can have nothing below it".to_owned())?;
        let slots = Slots { all: Arc::new(Semaphore::new(AT_ONCE)), of_each: Mutex::default() };
        Ok(Self { client, endpoint, config, slots: Arc::new(slots) })
    }

    async fn ask(&self, form: Form) -> Result<Vec<u8>, MediaError> {
        let request = self.client.request(Method::POST, self.endpoint.clone()).multipart(form);
        let request = match &self.config.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        };
        let answer = self.client.send(request).await.map_err(|error| match untrusted(&error) {
            Some(wrong) => failed(&format!("its certificate is not trusted: {wrong}")),
            None => failed("it did not answer"),
        })?;
        let status = answer.status();
        if !status.is_success() {
            return Err(failed(&format!("it answered with status {}", status.as_u16())));
        }
        let mut answer = answer;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|_| failed("its answer broke off"))? {
            body.extend_from_slice(&chunk);
            if body.len() > ANSWER_BYTES {
                return Err(failed("its answer is too long"));
            }
        }
        Ok(body)
    }
}

fn failed(why: &str) -> MediaError {
    MediaError::Passing(format!("the transcription service failed: {why}"))
}

#[async_trait]
impl Transcriber for SpeechService {
    /// Waits for the workspace's own slot first, so that its recordings do not wait in front of others'.
    async fn slot(&self, workspace: WorkspaceId) -> SpeechSlot {
        let own = self.slots.of(workspace).acquire_owned().await;
        let of_all = Arc::clone(&self.slots.all).acquire_owned().await;
        // Nobody closes either.
        Box::new((own, of_all))
    }

    async fn transcribe(
        &self,
        recording: StoredObject,
        content_type: ContentType,
    ) -> Result<Option<String>, MediaError> {
        let body = Body::wrap_stream(recording.bytes.into_stream());
        // The service tells formats apart by the extension.
        let file = Part::stream_with_length(body, recording.size)
            .file_name(format!("recording.{}", content_type.extension()))
            .mime_str(content_type.as_str())
            .map_err(|_| failed("the recording's type cannot be said"))?;
        let model = self.config.model.clone();
        let form = Form::new().text("model", model).text("response_format", "json").part("file", file);
        let body = self.ask(form).await?;
        // serde's message could quote the answer.
        let answer: Answer =
            serde_json::from_slice(&body).map_err(|_| failed("its answer cannot be read"))?;
        let words = answer.text.replace('\0', "");
        Ok(Some(words.trim().to_owned()).filter(|words| !words.is_empty()))
    }
}
