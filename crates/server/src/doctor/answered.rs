//! Requests to an address, with the reason if no answer came.

use std::{error::Error, time::Duration};

use reqwest::{Client, Response};
use tls_trust::untrusted;

use crate::wiring::Foundation;

const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes read of an answer: expected ones are far shorter.
const MOST_READ: usize = 64 * 1024;

/// Reason why no answer came.
pub(super) struct Unanswered {
    pub(super) why: String,
    pub(super) is_untrusted: bool,
}

impl Unanswered {
    /// Derives the reason, as far as it is known. Leaves out the address, whose query may hold a secret.
    fn of(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if let Some(wrong) = untrusted(&error) {
            return Self { why: format!("the certificate is not trusted: {wrong}"), is_untrusted: true };
        }
        let why = if error.is_timeout() {
            format!("no answer within {} s", PATIENCE.as_secs())
        } else {
            let mut cause: &dyn Error = &error;
            while let Some(below) = cause.source() {
                cause = below;
            }
            format!("no answer: {cause}")
        };
        Self { why, is_untrusted: false }
    }
}

/// Sends a request. Trusts the operating system's authorities and, with a foundation, those of the settings
/// as well.
pub(super) async fn get(url: &str, on: Option<&Foundation>) -> Result<Response, Unanswered> {
    let trust = on.map(|on| on.trust.clone()).unwrap_or_default();
    let tls = trust.client_config();
    let tls = tls.map_err(|error| Unanswered { why: error.to_string(), is_untrusted: false })?;
    let client = Client::builder().tls_backend_preconfigured(tls).timeout(PATIENCE).no_proxy().no_gzip();
    let client = client.redirect(reqwest::redirect::Policy::none()).build().map_err(Unanswered::of)?;
    client.get(url).send().await.map_err(Unanswered::of)
}

/// Reads the beginning of an answer, as far as it comes.
pub(super) async fn beginning(mut answer: Response) -> String {
    let mut body = Vec::new();
    while body.len() < MOST_READ
        && let Ok(Some(chunk)) = answer.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    String::from_utf8_lossy(&body).into_owned()
}
