//! One attempt at a delivery.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    clock::Clock,
    webhooks::{
        AttemptOutcome, Failure,
        ports::{DeliverySender, DueDelivery},
    },
};
use guarded_http::{
    Bytes, CallError, GuardedClient, Limits, Method, Request, Response, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue},
};

use crate::{retry_after, signature};

/// How long a receiver has for its whole answer, from the look-up of its name to the end of the body (REST API
/// v1, Answering and retries). Counted on the [`Clock`].
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The bounds for the client that deliveries are sent with. Its own time limit only stands behind
/// [`TIME_LIMIT`]. An answer's body means nothing; what is longer than the cap is not waited for.
pub const LIMITS: Limits = Limits { timeout: Duration::from_secs(15), max_body: 16 * 1024, max_redirects: 0 };

/// Who calls (decision 18).
pub const USER_AGENT: &str = "Messaging-Service-Webhooks/1.0";

const EVENT: HeaderName = HeaderName::from_static("x-service-event");
const DELIVERY: HeaderName = HeaderName::from_static("x-service-delivery");
const SIGNATURE: HeaderName = HeaderName::from_static(signature::HEADER);

/// Signs a delivery and posts it, once.
pub struct WebhookSender {
    client: GuardedClient,
    clock: Arc<dyn Clock>,
}

impl WebhookSender {
    /// Sends with `client`, made with [`LIMITS`].
    pub fn new(client: GuardedClient, clock: Arc<dyn Clock>) -> Self {
        Self { client, clock }
    }

    fn headers(&self, delivery: &DueDelivery) -> Result<HeaderMap, InvalidHeaderValue> {
        let signature = signature::sign(&delivery.secret, self.clock.now(), &delivery.body);
        Ok(HeaderMap::from_iter([
            (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (header::USER_AGENT, HeaderValue::from_static(USER_AGENT)),
            (EVENT, HeaderValue::from_static(delivery.event.as_str())),
            (DELIVERY, HeaderValue::try_from(delivery.id.to_string())?),
            (SIGNATURE, HeaderValue::try_from(signature)?),
        ]))
    }

    fn judge(&self, answer: &Response) -> AttemptOutcome {
        let status = answer.status.as_u16();
        if answer.status.is_success() {
            return Ok(status);
        }
        let retry_after = match status {
            429 | 503 => answer.headers.get(header::RETRY_AFTER),
            _ => None,
        };
        let asked = retry_after.and_then(|value| retry_after::parse(value.to_str().ok()?, self.clock.now()));
        Err(Failure::Status { status, retry_after: asked })
    }
}

#[async_trait]
impl DeliverySender for WebhookSender {
    async fn attempt(&self, delivery: &DueDelivery) -> AttemptOutcome {
        let Ok(url) = Url::parse(&delivery.url) else {
            return Err(Failure::Call("the address is not a URL".to_owned()));
        };
        let Ok(headers) = self.headers(delivery) else {
            return Err(Failure::Call("the request could not be written".to_owned()));
        };
        let body = Bytes::copy_from_slice(&delivery.body);
        let call = self.client.send(Request { method: Method::POST, url, headers, body });
        tokio::select! {
            biased;
            answer = call => match answer {
                Ok(answer) => self.judge(&answer),
                Err(CallError::Timeout) => Err(Failure::Timeout),
                Err(error) => Err(Failure::Call(error.to_string())),
            },
            () = self.clock.sleep(TIME_LIMIT) => Err(Failure::Timeout),
        }
    }
}
