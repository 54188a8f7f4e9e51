//! Every call of the API, with `reqwest` (feature `json`), `serde_json`, `thiserror` and `tokio`.

use std::time::Duration;

use reqwest::{Client, Method, header::RETRY_AFTER};
use serde_json::{Value, json};

const ATTEMPTS: u32 = 4;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The service said no.
    #[error("{status} {answer}")]
    Refused {
        /// The status.
        status: u16,
        /// `message`, and for some refusals `code`, a fixed word, and `details`; null for a page of a proxy's.
        answer: Value,
    },
    /// No answer came.
    #[error(transparent)]
    Lost(#[from] reqwest::Error),
}

/// The service, as one key sees it.
pub struct Service {
    /// A client with a timeout of 65 seconds or more: a send waits for the network.
    pub client: Client,
    /// Such as `https://messages.example`.
    pub base: String,
    /// The API key.
    pub key: String,
}

impl Service {
    /// Makes one call. Repeats it where nothing was sent, or where the idempotency key keeps it from sending twice.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        once: Option<&str>,
    ) -> Result<Value, CallError> {
        let safe = once.is_some() || method == Method::GET;
        let mut attempt = 1;
        loop {
            let mut request = self.client.request(method.clone(), [&self.base, path].concat());
            request = request.bearer_auth(&self.key);
            if let Some(body) = &body {
                request = request.json(body);
            }
            if let Some(once) = once {
                request = request.header("Idempotency-Key", once);
            }
            let wait = match request.send().await {
                Ok(response) => {
                    let status = response.status();
                    let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                    let wait = wait.and_then(|seconds| seconds.parse().ok());
                    // A proxy on the way has error pages of its own.
                    let answer: Value = response.json().await.unwrap_or_default();
                    if status.is_success() && answer.is_object() {
                        return Ok(answer);
                    }
                    let again = match status.as_u16() {
                        429 | 500.. | ..400 if !answer.is_object() => safe,
                        429 | 503 => true,
                        500 => safe && attempt == 1,
                        _ => answer["code"] == "request_in_flight",
                    };
                    if attempt == ATTEMPTS || !again {
                        return Err(CallError::Refused { status: status.as_u16(), answer });
                    }
                    wait
                }
                Err(lost) if attempt == ATTEMPTS || !safe => return Err(lost.into()),
                Err(_) => None,
            };
            tokio::time::sleep(Duration::from_secs(wait.unwrap_or(u64::from(attempt)))).await;
            attempt += 1;
        }
    }
}

/// Every call once. `run` makes the idempotency keys new ones: in a program of yours an order's own id does.
pub async fn all(service: &Service, run: &str) -> Result<(), CallError> {
    // Who am I?
    service.call(Method::GET, "/v1/me", None, None).await?;

    // Which templates can be sent, and what does each need?
    service.call(Method::GET, "/v1/templates?status=approved", None, None).await?;

    // A notice. The key is yours, kept beside the order: the same key never sends twice.
    let notice = json!({
        "to": "07701234567", "template": "order_ready", "variables": ["سارة", "A-1042"], "reference": "order-1042",
    });
    let once = format!("order-1042-{run}");
    let sent = service.call(Method::POST, "/v1/messages/template", Some(notice), Some(&once)).await?;

    // A one-time code.
    let code = json!({ "to": "07701234567", "template": "login_code", "code": "483920" });
    let once = format!("login-{run}");
    service.call(Method::POST, "/v1/messages/template", Some(code), Some(&once)).await?;

    // What became of the notice: by its id, and by your own reference.
    let id = sent["id"].as_str().unwrap_or_default();
    service.call(Method::GET, &["/v1/messages/", id].concat(), None, None).await?;
    service.call(Method::GET, "/v1/messages?reference=order-1042", None, None).await?;

    // Contacts: add, rename, read, search.
    let person = json!({ "phone": "0770 765 4321", "name": "Noor" });
    let contact = service.call(Method::POST, "/v1/contacts", Some(person), None).await?;
    let id = contact["id"].as_str().unwrap_or_default();
    service
        .call(Method::PATCH, &["/v1/contacts/", id].concat(), Some(json!({ "name": "Noor Ali" })), None)
        .await?;
    service.call(Method::GET, &["/v1/contacts/", id].concat(), None, None).await?;
    service.call(Method::GET, "/v1/contacts?search=Noor", None, None).await?;

    // A list page by page: `nextCursor` is null on the last one.
    let mut conversations = Vec::new();
    let mut after = String::new();
    loop {
        let mut page =
            service.call(Method::GET, &["/v1/conversations?limit=50", &after].concat(), None, None).await?;
        if let Some(rows) = page["data"].as_array_mut() {
            conversations.append(rows);
        }
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        after = format!("&cursor={cursor}");
    }

    // One conversation, what was said in it, and an answer.
    let Some(id) = conversations.first().and_then(|it| it["id"].as_str()) else { return Ok(()) };
    service.call(Method::GET, &["/v1/conversations/", id].concat(), None, None).await?;
    service.call(Method::GET, &["/v1/conversations/", id, "/messages"].concat(), None, None).await?;
    let reply = json!({ "conversationId": id, "text": "Your order is ready." });
    let once = format!("reply-{run}");
    service.call(Method::POST, "/v1/messages", Some(reply), Some(&once)).await?;

    Ok(())
}
