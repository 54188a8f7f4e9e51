//! Counters of the dispatcher.

use metrics::{Counter, counter};

/// Registers the metrics of deliveries at zero, so that the first of an outcome is an increase.
pub fn count_from_zero() {
    for outcome in ["delivered", "status", "timeout", "call", "unreadable"] {
        attempts(outcome).increment(0);
    }
    leases_lost().increment(0);
}

/// Counts attempts by outcome.
pub(super) fn attempts(outcome: &'static str) -> Counter {
    counter!("messaging_webhook_attempts_total", "outcome" => outcome)
}

/// Counts results that came after their lease was lost.
pub(super) fn leases_lost() -> Counter {
    counter!("messaging_webhook_leases_lost_total")
}
