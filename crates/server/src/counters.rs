//! What a node counts: a counter is there from the start on.
//!
//! Prometheus takes a counter's first value for no increase, so that one that came with its first event would hide it, and
//! an alert on a single event would never fire.

use domain::{
    assistant::{HandOverReason, TurnResult},
    broadcasts::PauseReason,
};
use metrics::{Counter, counter};

/// Has the metrics tell of everything that is counted, from zero on.
pub fn count_from_zero() {
    adapter_http::count_from_zero();
    adapter_webhooks::count_from_zero();
    graph_client::count_from_zero();
    adapter_assistant::count_from_zero();
    adapter_custom_system::count_from_zero();
    broadcasts_finished().increment(0);
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
