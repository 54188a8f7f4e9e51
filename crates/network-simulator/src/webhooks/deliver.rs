//! Posting of webhooks, with repeats until they are answered with 200.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::core::Core;
use crate::posts::{Outcome, Parcel, Pending, Piece, Signed, escaped, payload};

/// Posts pieces, those for the same callback together; returns the outcomes of the first attempts.
pub(crate) async fn deliver(core: &Arc<Core>, pieces: Vec<Piece>, signed: Signed) -> Vec<Outcome> {
    let mut by_callback: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    let mut outcomes = Vec::new();
    for piece in pieces {
        match core.callback(&piece.owner_id, piece.field()) {
            Some(url) => by_callback.entry(url.to_string()).or_default().push(piece),
            None => outcomes.push(None),
        }
    }
    for pieces in by_callback.into_values() {
        let Some(first) = pieces.first() else { continue };
        for body in payload::bodies(&pieces) {
            outcomes.push(post(core, &first.owner_id, first.field(), &body, signed).await);
        }
    }
    outcomes
}

/// Posts a body to the callback of an account or a page; further attempts follow on their own. A body without
/// a right signature is posted once: the network does not do that at all.
pub(crate) async fn post(
    core: &Arc<Core>,
    owner_id: &str,
    field: &str,
    body: &Value,
    signed: Signed,
) -> Outcome {
    let url = core.callback(owner_id, field)?;
    let text = escaped(body).ok()?;
    let parcel = Parcel {
        owner_id: owner_id.to_owned(),
        field: field.to_owned(),
        signature: core.poster.signature(&text, signed),
        body: Arc::from(RawValue::from_string(text).ok()?),
    };
    let unanswered = core.await_answer();
    let posted = core.poster.attempt(&url, &parcel, 1).await;
    let outcome = posted.status.ok_or_else(|| posted.error.clone().unwrap_or_default());
    core.log().posted(posted);
    if outcome != Ok(200) && signed == Signed::Rightly {
        tracing::warn!(owner_id, outcome = ?outcome, "the callback did not take a webhook");
        retry(core, parcel, unanswered);
    }
    Some(outcome)
}

fn retry(core: &Arc<Core>, parcel: Parcel, unanswered: Pending) {
    // Waiting posts are held in memory: no more of them than of anything else.
    if core.poster.waiting.fetch_add(1, Ordering::Relaxed) >= core.config.keep {
        core.poster.waiting.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let task = Arc::clone(core);
    core.spawn(async move {
        for (pause, attempt) in task.retries().into_iter().zip(2..) {
            tokio::time::sleep(pause).await;
            let Some(url) = task.callback(&parcel.owner_id, &parcel.field) else { break };
            let posted = task.poster.attempt(&url, &parcel, attempt).await;
            let taken = posted.status == Some(200);
            task.log().posted(posted);
            if taken {
                break;
            }
        }
        task.poster.waiting.fetch_sub(1, Ordering::Relaxed);
        drop(unanswered);
    });
}
