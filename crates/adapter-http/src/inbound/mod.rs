//! Meta's webhook: `GET` for the handshake, `POST` for the updates. No key is needed; the signature over the
//! raw bytes proves the sender.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::ContentType},
    web::{Data, Payload},
};
use domain::inbound::ReceiveError;
use tokio::time::Instant;

use crate::{
    app::App,
    body::{self, Measured},
    problem::Problem,
    query::Parameters,
    request_log,
};

/// Path that Meta posts to.
pub(crate) const WEBHOOK: &str = "/networks/meta/webhook";

/// Largest post, in bytes. The network bundles up to 1000 updates; the largest that can come are far smaller
/// (docs/run/networks.md, "Posts to the callback").
const POST_LIMIT: usize = 8 * 1024 * 1024;

/// Proves to the network that this address is ours, by echoing its challenge.
pub(crate) async fn handshake(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let subscribes = parameters.get("hub.mode")? == Some("subscribe");
    let token = parameters.get("hub.verify_token")?.unwrap_or_default();
    let challenge = parameters.get("hub.challenge")?;
    match challenge {
        Some(challenge) if subscribes && app.network_webhook.accepts_handshake(token) => {
            Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(challenge.to_owned()))
        }
        _ => Err(Problem::new(StatusCode::FORBIDDEN, "this is not the handshake that was agreed")),
    }
}

/// Returns whether the text has the form of a signature: `sha256=` and 64 hexadecimal digits.
fn may_be_signature(text: &str) -> bool {
    let digits = text.strip_prefix("sha256=");
    digits.is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Takes in a post; 200 once nothing of it can be lost.
pub(crate) async fn receive(
    app: Data<App>,
    unsigned: Data<Arc<Measured>>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let signature = request.headers().get("x-hub-signature-256").and_then(|value| value.to_str().ok());
    let signature = signature.filter(|signature| may_be_signature(signature)).map(str::to_owned);
    if signature.is_none() {
        // Not worth reading.
        return Err(ReceiveError::Forged.into());
    }
    let mut room = unsigned.begin(app.edge.client(&request), Instant::now())?;
    let raw = body::bytes_within(&request, payload, POST_LIMIT, &mut room).await?;
    let received = app
        .run(|app| async move {
            app.receive_updates.check(&raw, signature.as_deref())?;
            drop(room);
            app.receive_updates.take_in(&raw).await
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

/// Registers the metrics behind the alerts on the networks' posts at zero, so that the first is an increase.
pub fn count_from_zero() {
    for kept in [true, false] {
        unreadable_posts(kept).increment(0);
    }
    unread_updates().increment(0);
    for failed in [StatusCode::INTERNAL_SERVER_ERROR, StatusCode::SERVICE_UNAVAILABLE] {
        request_log::requests(WEBHOOK.to_owned(), "POST", failed).increment(0);
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

#[cfg(test)]
mod tests {
    use super::may_be_signature;

    #[test]
    fn a_signature_is_known_by_its_form() {
        let digits = "0123456789abcdefABCDEF0123456789".repeat(2);
        assert!(may_be_signature(&format!("sha256={digits}")));
        let wrong = [String::new(), "x".to_owned(), digits.clone(), format!("sha1={digits}")];
        let longer = [format!("sha256={digits}0"), format!("sha256= {digits}"), "sha256=".to_owned()];
        let other = [format!("sha256={}g", digits.get(1..).unwrap())];
        for text in wrong.into_iter().chain(longer).chain(other) {
            assert!(!may_be_signature(&text), "{text}");
        }
    }
}
