//! The networks' webhooks: `GET` for the handshake, `POST` for the updates. No key is needed; each network
//! has its own way to sign what it posts.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    dev::HttpServiceFactory,
    http::{
        StatusCode,
        header::{ContentType, HeaderName, HeaderValue},
    },
    middleware::from_fn,
    web::{Data, Payload},
};
use domain::inbound::{Head, ReceiveError, SignedPost, ports::NetworkWebhook};
use tokio::time::Instant;

use crate::{
    access,
    app::App,
    body::{self, Measured},
    endpoint::at,
    problem::Problem,
    query::Parameters,
    request_log,
};

/// Largest post, in bytes. The network bundles up to 1000 updates; the largest that can come are far smaller
/// (docs/run/networks.md, "Posts to the callback").
const POST_LIMIT: usize = 8 * 1024 * 1024;

/// Makes the resource that a network posts to.
pub(crate) fn endpoint(webhook: &Arc<dyn NetworkWebhook>) -> impl HttpServiceFactory + use<> {
    let endpoint = at(webhook.path()).get(handshake).post(receive);
    endpoint.resource().app_data(Data::from(Arc::clone(webhook))).wrap(from_fn(access::keyless))
}

/// Proves to the network that this address is ours, by the answer that was agreed.
async fn handshake(webhook: Data<dyn NetworkWebhook>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let query = Parameters::of(&request)?.pairs()?;
    match webhook.shake_hands(&head(&request, query)) {
        Some(answer) => Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(answer)),
        None => Err(Problem::new(StatusCode::FORBIDDEN, "this is not the handshake that was agreed")),
    }
}

/// Takes in a post; 200 once nothing of it can be lost.
async fn receive(
    app: Data<App>,
    webhook: Data<dyn NetworkWebhook>,
    unsigned: Data<Arc<Measured>>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    // Only a handshake has to have a query that can be read.
    let query = Parameters::of(&request).and_then(|query| query.pairs()).unwrap_or_default();
    let head = head(&request, query);
    if !webhook.may_be_signed(&head) {
        // Not worth reading.
        return Err(ReceiveError::Forged.into());
    }
    let mut room = unsigned.begin(app.edge.client(&request), Instant::now())?;
    let raw = body::bytes_within(&request, payload, POST_LIMIT, &mut room).await?;
    let received = app
        .run(|app| async move {
            let post = SignedPost::check(webhook.into_inner(), &head, raw)?;
            drop(room);
            app.receive_updates.take_in(&post).await
        })
        .await??;
    if received.quarantined || received.unreadable_of_others {
        unreadable_posts(received.quarantined).increment(1);
    }
    if received.unread > 0 {
        unread_updates().increment(u64::try_from(received.unread).unwrap_or_default());
    }
    for (workspace, field) in &received.newly_unread {
        tracing::warn!(%workspace, field, "a network sends something that this version does not read");
    }
    if received.quarantined {
        tracing::warn!("a post of the network could not be read and is in the quarantine");
    }
    Ok(HttpResponse::Ok().finish())
}

/// Returns what a request says before its body.
fn head(request: &HttpRequest, query: Vec<(String, String)>) -> Head {
    let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let text = |(name, value): (&HeaderName, &HeaderValue)| Some(owned(name.as_str(), value.to_str().ok()?));
    Head {
        path: request.match_info().iter().map(|(name, value)| owned(name, value)).collect(),
        query,
        headers: request.headers().iter().filter_map(text).collect(),
    }
}

/// Registers the metrics behind the alerts on the networks' posts at zero, so that the first is an increase.
pub fn count_from_zero(webhooks: &[Arc<dyn NetworkWebhook>]) {
    for kept in [true, false] {
        unreadable_posts(kept).increment(0);
    }
    unread_updates().increment(0);
    for webhook in webhooks {
        for failed in [StatusCode::INTERNAL_SERVER_ERROR, StatusCode::SERVICE_UNAVAILABLE] {
            request_log::requests(webhook.path().to_owned(), "POST", failed).increment(0);
        }
    }
}

/// Counts updates of a kind that this version does not handle.
fn unread_updates() -> metrics::Counter {
    metrics::counter!("messaging_network_unread_updates_total")
}

/// Counts posts that could not be read, in whole or in part, by whether the quarantine keeps them.
fn unreadable_posts(kept: bool) -> metrics::Counter {
    metrics::counter!("messaging_network_unreadable_posts_total", "kept" => if kept { "yes" } else { "no" })
}

impl From<ReceiveError> for Problem {
    fn from(error: ReceiveError) -> Self {
        match &error {
            ReceiveError::Forged => Self::new(StatusCode::FORBIDDEN, error.to_string()),
            // Whatever it is, the network shall post again.
            ReceiveError::Store(_) => Self::unavailable(error.to_string()),
        }
    }
}
