//! Sending of a call, with a second attempt where that is safe and may help.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    ids::WorkspaceId,
    orders::CreationKey,
    systems::{CallError, CallResult, FailedCall, Route, SystemSecret, ports::SystemCall},
};
use guarded_http::{
    Bytes, GuardedClient, Limits, Method, Received, Request, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::{Instant, timeout};
use tracing::{Instrument, field::Empty};

use crate::{
    judge::{Taken, failed, judge, may_pass},
    room::Answers,
};

/// Bounds of one exchange, for the client that systems are called with (custom system contract v2, Limits).
pub const LIMITS: Limits = Limits { timeout: Duration::from_secs(10), max_body: 5_000_000, max_redirects: 3 };

/// Least time left for a second attempt; with less it would fail, whatever the system does.
const LEAST_LEFT: Duration = Duration::from_millis(250);

/// `User-Agent` of our calls.
pub const USER_AGENT: &str = "Messaging-Service/1.0";

const CONTRACT: HeaderName = HeaderName::from_static("x-service-contract");
const VERSION: HeaderValue = HeaderValue::from_static("2");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A request to a system.
pub(crate) struct Ask<'a> {
    pub(crate) route: Route,
    pub(crate) url: Url,
    /// For a POST.
    pub(crate) body: Option<Bytes>,
    /// For a creation.
    pub(crate) key: Option<&'a CreationKey>,
}

/// Sender of calls.
pub(crate) struct Sender {
    pub(crate) client: GuardedClient,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) answers: Answers,
}

/// End of one attempt, and whether another may end otherwise.
struct Attempt {
    result: Result<Taken, FailedCall>,
    may_pass: bool,
}

impl Sender {
    /// Sends a call within the time that the caller waits. A read or a creation is tried a second time after
    /// no answer, or one that says the system is down, if enough time is left.
    pub(crate) async fn send(&self, call: &SystemCall, ask: Ask<'_>) -> Result<Taken, FailedCall> {
        let began = Instant::now();
        let sent = self.sent(call, ask, began).await;
        calls(result(&sent)).increment(1);
        metrics::histogram!("messaging_system_call_seconds").record(began.elapsed().as_secs_f64());
        sent
    }

    async fn sent(&self, call: &SystemCall, ask: Ask<'_>, began: Instant) -> Result<Taken, FailedCall> {
        let (route, url) = (ask.route, ask.url.clone());
        let Some(request) = request(&call.secret, ask) else {
            return Err(CallError::NotMade("the request could not be written").into());
        };
        let left = || call.within.saturating_sub(began.elapsed());
        let first = self.attempt(call.workspace, &request, &url, (route, 1), left()).await;
        let again = first.may_pass && (route.is_read() || route.is_creation());
        if !again || left() < LEAST_LEFT {
            return first.result;
        }
        let second = self.attempt(call.workspace, &request, &url, (route, 2), left()).await.result;
        match (first.result, second) {
            // A second attempt that was turned away does not undo what the first may have made.
            (Err(open), Err(closed))
                if route.is_creation() && open.error.is_open() && !closed.error.is_open() =>
            {
                Err(open)
            }
            (_, second) => second,
        }
    }

    /// Makes an attempt. A trace shows its route and outcome alone: an address or an answer may name a
    /// person.
    async fn attempt(
        &self,
        workspace: WorkspaceId,
        request: &Request,
        url: &Url,
        (route, number): (Route, u8),
        within: Duration,
    ) -> Attempt {
        let span = tracing::info_span!(
            "system",
            route = route.template(),
            attempt = number,
            result = Empty,
            http.response.status_code = Empty,
        );
        let attempt = self.attempted(workspace, request, url, number, within).instrument(span.clone()).await;
        let status = match &attempt.result {
            Ok(taken) => Some(taken.exchange.status),
            Err(failed) => failed.error.status(),
        };
        span.record("result", result(&attempt.result).as_str());
        span.record("http.response.status_code", status.map(i64::from));
        attempt
    }

    async fn attempted(
        &self,
        workspace: WorkspaceId,
        request: &Request,
        url: &Url,
        number: u8,
        within: Duration,
    ) -> Attempt {
        let received = Received::within(self.answers.begin(workspace));
        let (result, may_pass) =
            match timeout(within, self.client.send_counting(request.clone(), &received)).await {
                Err(_) => (Err(CallError::TimedOut), true),
                Ok(Err(error)) => (Err(failed(&error)), may_pass(&error)),
                Ok(Ok(answer)) => {
                    let result = judge(answer, url, number, self.clock.now());
                    let is_down = matches!(result, Err(CallError::Down { .. }));
                    (result, is_down)
                }
            };
        let result = result.map_err(|error| FailedCall { error, bytes: received.bytes() });
        Attempt { result, may_pass }
    }
}

/// Registers the metrics of calls to systems at zero, so that the first of a result is an increase.
pub fn count_from_zero() {
    for result in CallResult::ALL {
        calls(*result).increment(0);
    }
}

fn calls(result: CallResult) -> metrics::Counter {
    metrics::counter!("messaging_system_calls_total", "result" => result.as_str())
}

fn result(sent: &Result<Taken, FailedCall>) -> CallResult {
    sent.as_ref().err().map_or(CallResult::Answered, |failed| CallResult::of(&failed.error))
}

/// Builds the request; `None` if a header cannot carry its value, which neither a secret nor a key leaves a
/// way for.
fn request(secret: &SystemSecret, ask: Ask<'_>) -> Option<Request> {
    let mut headers = HeaderMap::with_capacity(8);
    let mut bearer = HeaderValue::try_from(format!("Bearer {}", secret.reveal())).ok()?;
    bearer.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, bearer);
    headers.insert(header::ACCEPT, JSON);
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    headers.insert(CONTRACT, VERSION);
    if ask.body.is_some() {
        headers.insert(header::CONTENT_TYPE, JSON);
    }
    if let Some(key) = ask.key {
        headers.insert(IDEMPOTENCY_KEY, HeaderValue::try_from(key.as_str()).ok()?);
    }
    let method = if ask.body.is_some() { Method::POST } else { Method::GET };
    Some(Request { method, url: ask.url, headers, body: ask.body.unwrap_or_default() })
}
