//! Verification of a callback.

use serde_json::{Value, json};
use url::Url;

use crate::core::Core;

/// Asks a callback for the challenge; returns `{ "verified", "status"?, "error"? }`.
pub(crate) async fn handshake(core: &Core, mut url: Url, verify_token: &str) -> Value {
    let challenge = core.ids.challenge();
    url.query_pairs_mut()
        .append_pair("hub.mode", "subscribe")
        .append_pair("hub.verify_token", verify_token)
        .append_pair("hub.challenge", &challenge);
    match core.poster.get(url).await {
        Ok((status, text)) => json!({ "verified": status == 200 && text == challenge, "status": status }),
        Err(error) => json!({ "verified": false, "error": error }),
    }
}
