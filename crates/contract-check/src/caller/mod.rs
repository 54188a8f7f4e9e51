//! Calls as the service makes them, each checked for what holds of every answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use guarded_http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
    RETRY_AFTER,
};
use guarded_http::{
    Bytes, CallError, GuardedClient, Limits, Method, Options as Wiring, Policy, Request, Response, Url,
};
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::log::Log;
use crate::options::{CheckError, Options};
pub(crate) use ask::{Ask, Secret};

mod ask;

/// Largest answer, in bytes.
const MOST: usize = 5_000_000;
/// Largest number of redirects that are followed.
const HOPS: usize = 3;
/// Longest pause that a 429 may ask for; a longer one is cut to it.
const PATIENCE: Duration = Duration::from_secs(10);

/// An answer to be judged further.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Description of the call, masked.
    pub(crate) call: String,
    pub(crate) status: u16,
    /// `None` for no body, or one that is not JSON where it need not be.
    pub(crate) json: Option<Value>,
    pub(crate) is_html: bool,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the body; `null` if there is none.
    pub(crate) fn body(&self) -> &Value {
        self.json.as_ref().unwrap_or(&Value::Null)
    }

    /// Returns whether there is a `message` that is not blank.
    pub(crate) fn has_message(&self) -> bool {
        self.body().get("message").and_then(Value::as_str).is_some_and(|message| !message.trim().is_empty())
    }
}

/// Caller of one system, with the log of what was seen.
pub(crate) struct Caller {
    client: GuardedClient,
    base: Url,
    secret: SecretString,
    log: Mutex<Log>,
}

impl Caller {
    pub(crate) fn new(base: Url, secret: SecretString, options: &Options) -> Result<Self, CheckError> {
        // The user may call whatever they can reach; whether the service may is a check of its own.
        let anywhere = [IpNet::V4(ipnet::Ipv4Net::default()), IpNet::V6(ipnet::Ipv6Net::default())];
        let limits = Limits { timeout: options.timeout, max_body: MOST, max_redirects: 0 };
        let wiring = Wiring { trust: options.trust.clone(), ..Wiring::default() };
        let client = GuardedClient::with_options(Policy { allowed: anywhere.to_vec() }, limits, wiring)?;
        Ok(Self { client, base, secret, log: Mutex::default() })
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_log(self) -> Log {
        self.log.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that anything answers there at all.
    pub(crate) async fn reach(&self, ask: &Ask) -> Result<(), CallError> {
        match self.client.send(self.request(ask, ask.url(&self.base))).await {
            Err(CallError::Timeout | CallError::Protocol | CallError::TooMuch) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes a call and judges its answer by what holds of every answer; `None` if nothing further can be
    /// told from it. A creation without an answer, and any call with a 5xx or 429, is made once more, with
    /// the same key.
    pub(crate) async fn ask(&self, ask: &Ask) -> Option<Answer> {
        let call = ask.shown();
        let mut asked_again = false;
        loop {
            let outcome = self.follow(ask, &call).await;
            let may_repeat = !std::mem::replace(&mut asked_again, true);
            let response = match outcome {
                Ok(response) => response,
                Err(true) if may_repeat && ask.is_creation() => continue,
                Err(_) => return None,
            };
            match response.status.as_u16() {
                429 if !ask.is_probe() => {
                    if !self.wait(&call, &response, may_repeat).await {
                        return None;
                    }
                }
                status @ 500.. if !may_repeat => {
                    let detail = format!("answered {status}, and again when asked once more");
                    self.log().found("transport.server_error", &call, detail);
                    return None;
                }
                status @ 500.. => {
                    let note = format!(
                        "{call} answered {status} once: the service asks once more, as was done here"
                    );
                    self.log().note(note);
                }
                _ => return self.read(ask, &call, &response),
            }
        }
    }

    /// Waits as a 429 says; returns whether to call again.
    async fn wait(&self, call: &str, response: &Response, may_repeat: bool) -> bool {
        let header = response.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let seconds = header.and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
        if seconds.is_none() {
            self.log().found("transport.retry_after", call, "answered 429 without Retry-After in seconds");
        }
        if !may_repeat {
            self.log().found(
                "transport.retry_after",
                call,
                "answered 429 again after the time it had asked for",
            );
            return false;
        }
        self.log().note(format!("{call} answered 429: the service slows down"));
        tokio::time::sleep(seconds.unwrap_or(Duration::from_secs(1)).min(PATIENCE)).await;
        true
    }

    /// Sends a call and follows redirects as the service does. The error is `true` if time ran out.
    async fn follow(&self, ask: &Ask, call: &str) -> Result<Response, bool> {
        let mut request = self.request(ask, ask.url(&self.base));
        for hops in 0..=HOPS {
            let response = match self.client.send(request.clone()).await {
                Ok(response) => response,
                Err(error) => {
                    let timed_out = error == CallError::Timeout;
                    let id = if timed_out { "transport.time" } else { "transport.whole" };
                    self.log().found(id, call, error.to_string());
                    return Err(timed_out);
                }
            };
            if response.body_truncated {
                self.log().found("transport.size", call, "the body is longer than 5 MB");
                return Err(false);
            }
            let target = response.headers.get(LOCATION).filter(|_| response.status.is_redirection());
            let Some(target) = target.filter(|_| ask.is_followed()) else { return Ok(response) };
            let target = target.to_str().ok().and_then(|target| request.url.join(target).ok());
            let wrong = match target {
                None => "redirects to no address",
                Some(target) if target.origin() != self.base.origin() => "redirects to another origin",
                Some(_) if hops == HOPS => "redirects more than three times",
                Some(_)
                    if request.method == Method::POST && !matches!(response.status.as_u16(), 307 | 308) =>
                {
                    "redirects a POST with another status than 307 and 308"
                }
                Some(target) => {
                    self.log()
                        .note(format!("{call} was redirected within its origin: register the final base"));
                    request.url = target;
                    continue;
                }
            };
            self.log().found("transport.redirects", call, wrong);
            return Err(false);
        }
        Err(false)
    }

    fn request(&self, ask: &Ask, url: Url) -> Request {
        let mut headers = HeaderMap::new();
        let text = |text: &str| HeaderValue::from_str(text).ok();
        let secret = match &ask.secret {
            Secret::Right => Some(self.secret.expose_secret().to_owned()),
            Secret::Longer => Some(format!("{}x", self.secret.expose_secret())),
            Secret::Wrong => Some("not-the-secret-of-this-system".to_owned()),
            Secret::Missing => None,
        };
        let bearer = secret.and_then(|secret| text(&format!("Bearer {secret}")));
        let body = ask.body.as_ref().map(|body| Bytes::from(body.to_string()));
        let all = [
            (AUTHORIZATION, bearer),
            (ACCEPT, text("application/json")),
            (HeaderName::from_static("x-service-contract"), text("2")),
            (CONTENT_TYPE, body.as_ref().and_then(|_| text("application/json"))),
            (HeaderName::from_static("idempotency-key"), ask.key().and_then(text)),
        ];
        headers.extend(all.into_iter().filter_map(|(name, value)| Some((name, value?))));
        Request { method: ask.method.clone(), url, headers, body: body.unwrap_or_default() }
    }

    /// Checks what must hold of every success: JSON with that content type.
    fn read(&self, ask: &Ask, call: &str, response: &Response) -> Option<Answer> {
        let header =
            |name| response.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = header(CONTENT_TYPE).to_ascii_lowercase();
        let (status, is_html) = (response.status.as_u16(), kind.starts_with("text/html"));
        let json: Option<Value> = serde_json::from_slice(&response.body).ok();
        let answer = Answer { call: call.to_owned(), status, json, is_html };
        if ask.is_probe() || !answer.is_success() || (response.body.is_empty() && ask.may_be_empty()) {
            return Some(answer);
        }
        let mut log = self.log();
        let encoding = header(CONTENT_ENCODING);
        if !encoding.is_empty() && encoding != "identity" {
            log.found(
                "transport.encoding",
                call,
                "the body is compressed although no compression was asked for",
            );
            return None;
        }
        if is_html {
            log.found("transport.html", call, format!("answered {status} with a web page"));
            return None;
        }
        if answer.json.is_none() {
            log.found("transport.json", call, "the body is no JSON");
            return None;
        }
        let is_json = kind.starts_with("application/json") || kind.contains("+json");
        let seen = if is_json { Ok(()) } else { Err("Content-Type is not application/json".to_owned()) };
        log.settle("transport.content_type", call, seen);
        Some(answer)
    }
}
