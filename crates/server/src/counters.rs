//! Starts every counter of a node at zero.
//!
//! Prometheus does not take a counter's first value for an increase, so a counter that appeared with its
//! first event would hide that event, and an alert on a single event would never fire.

use std::sync::Arc;

use domain::{
    assistant::{HandOverReason, TurnResult},
    inbound::ports::NetworkWebhook,
    pause_reason::PauseReason,
};
use metrics::{Counter, counter};

/// Starts the counters of a node that takes in the posts of these webhooks.
pub fn count_from_zero(webhooks: &[Arc<dyn NetworkWebhook>]) {
    adapter_http::count_from_zero(webhooks);
    adapter_webhooks::count_from_zero();
    graph_client::count_from_zero();
    adapter_assistant::count_from_zero();
    adapter_custom_system::count_from_zero();
    broadcasts_finished().increment(0);
    typing_failed().increment(0);
    for reason in PauseReason::ALL {
        broadcasts_paused(reason).increment(0);
    }
    let handed_over = HandOverReason::ALL.map(TurnResult::HandedOver);
    for result in
        [TurnResult::Answered, TurnResult::Proposed, TurnResult::Dropped].into_iter().chain(handed_over)
    {
        turns(result).increment(0);
    }
}

pub(crate) fn broadcasts_finished() -> Counter {
    counter!("messaging_broadcasts_finished_total")
}

pub(crate) fn broadcasts_paused(reason: PauseReason) -> Counter {
    counter!("messaging_broadcasts_paused_total", "reason" => reason.as_str())
}

pub(crate) fn turns(result: TurnResult) -> Counter {
    let reason = result.reason().map_or("", HandOverReason::as_str);
    counter!("messaging_assistant_turns_total", "outcome" => result.as_str(), "reason" => reason)
}

pub(crate) fn typing_failed() -> Counter {
    counter!("messaging_typing_failed_total")
}
