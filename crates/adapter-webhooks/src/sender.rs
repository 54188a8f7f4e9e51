//! One attempt at a delivery.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    clock::Clock,
    webhooks::{
        ANSWER_KEPT, ATTEMPT_LIMIT, AttemptOutcome, Failure,
        ports::{Attempted, DeliverySender, DueDelivery, NotMade},
    },
};
use guarded_http::{
    Answer, Bytes, CallError, GuardedClient, Limits, Method, Request, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue},
    retry_after,
};

use crate::{signature, standard};

/// Bounds for the client that deliveries are sent with. The time limit only backs up [`ATTEMPT_LIMIT`], which
/// is counted on the [`Clock`]. An answer's body means nothing: what comes of it by then, up to the cap, is
/// for the log.
pub const LIMITS: Limits = Limits { timeout: Duration::from_secs(15), max_body: 16 * 1024, max_redirects: 0 };

/// `User-Agent` of deliveries.
pub const USER_AGENT: &str = "Messaging-Service-Webhooks/1.0";

const EVENT: HeaderName = HeaderName::from_static("x-service-event");
const DELIVERY: HeaderName = HeaderName::from_static("x-service-delivery");
const TRACE: HeaderName = HeaderName::from_static(trace_context::TRACEPARENT);
const SIGNATURE: HeaderName = HeaderName::from_static(signature::HEADER);
const STANDARD_ID: HeaderName = HeaderName::from_static(standard::ID);
const STANDARD_TIMESTAMP: HeaderName = HeaderName::from_static(standard::TIMESTAMP);
const STANDARD_SIGNATURE: HeaderName = HeaderName::from_static(standard::SIGNATURE);

/// Sender that signs a delivery and posts it once.
pub struct WebhookSender {
    client: GuardedClient,
    clock: Arc<dyn Clock>,
}

impl WebhookSender {
    /// Makes a sender over `client`, which was made with [`LIMITS`].
    pub fn new(client: GuardedClient, clock: Arc<dyn Clock>) -> Self {
        Self { client, clock }
    }

    fn headers(&self, delivery: &DueDelivery) -> Result<HeaderMap, InvalidHeaderValue> {
        let now = self.clock.now();
        let id = delivery.leased.id.to_string();
        let secrets = [Some(&delivery.secret), delivery.previous_secret.as_ref()];
        let secrets = secrets.into_iter().flatten();
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
        headers.insert(EVENT, HeaderValue::from_static(delivery.event.as_str()));
        let ours = signature::sign_with(secrets.clone(), now, &delivery.body);
        headers.insert(SIGNATURE, HeaderValue::try_from(ours)?);
        if delivery.standard_headers {
            let standard = standard::sign_with(secrets, &id, now, &delivery.body);
            headers.insert(STANDARD_ID, HeaderValue::try_from(id.as_str())?);
            headers.insert(STANDARD_TIMESTAMP, HeaderValue::from(now.unix_timestamp()));
            headers.insert(STANDARD_SIGNATURE, HeaderValue::try_from(standard)?);
        }
        headers.insert(DELIVERY, HeaderValue::try_from(id)?);
        if let Some(trace) = trace_context::current() {
            headers.insert(TRACE, HeaderValue::try_from(trace)?);
        }
        Ok(headers)
    }

    fn judge(&self, answer: &Answer) -> Attempted {
        let body = answer.body().get(..ANSWER_KEPT).unwrap_or(answer.body()).to_vec();
        Attempted { outcome: self.outcome(answer), answer: body, is_whole: answer.is_whole() }
    }

    fn outcome(&self, answer: &Answer) -> AttemptOutcome {
        let status = answer.status().as_u16();
        if answer.status().is_success() {
            return Ok(status);
        }
        let value = match status {
            429 | 503 => answer.headers().get(header::RETRY_AFTER),
            _ => None,
        };
        let asked = value.and_then(|value| retry_after(value.to_str().ok()?, self.clock.now()));
        Err(Failure::Status { status, retry_after: asked })
    }
}

#[async_trait]
impl DeliverySender for WebhookSender {
    async fn attempt(&self, delivery: &DueDelivery) -> Result<Attempted, NotMade> {
        let failed = |words: &str| Ok(Attempted::from(Err(Failure::Call(words.to_owned()))));
        let Ok(url) = Url::parse(&delivery.url) else { return failed("the address is not a URL") };
        let Ok(headers) = self.headers(delivery) else { return failed("the request could not be written") };
        let body = Bytes::copy_from_slice(&delivery.body);
        let request = Request { method: Method::POST, url, headers, body };
        let mut time_is_up = self.clock.sleep(ATTEMPT_LIMIT);
        let begun = tokio::select! {
            biased;
            begun = self.client.begin(&request) => begun,
            () = &mut time_is_up => Err(CallError::Timeout),
        };
        let mut answer = match begun {
            Ok(answer) => answer,
            Err(error @ CallError::Exhausted) => return Err(NotMade(error.to_string())),
            Err(CallError::Timeout) => return Ok(Err(Failure::Timeout).into()),
            Err(error) => return failed(&error.to_string()),
        };
        // The head of the answer decides what became of the event, whatever becomes of the rest.
        tokio::select! {
            biased;
            () = answer.read() => {}
            () = &mut time_is_up => {}
        }
        Ok(self.judge(&answer))
    }
}
