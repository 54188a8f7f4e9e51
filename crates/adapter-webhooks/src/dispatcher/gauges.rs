//! What the dispatcher measures, in words.

/// Tells the metrics' recorder.
pub(super) fn describe() {
    metrics::describe_counter!(
        "webhook_attempts_total",
        "Attempts at webhook deliveries by outcome: delivered, status, timeout, call, unreadable."
    );
    metrics::describe_histogram!(
        "webhook_attempt_seconds",
        metrics::Unit::Seconds,
        "How long attempts at webhook deliveries took."
    );
    metrics::describe_histogram!(
        "webhook_first_attempt_delay_seconds",
        metrics::Unit::Seconds,
        "From an event to the first attempt at a delivery of it."
    );
    metrics::describe_counter!(
        "webhook_leases_lost_total",
        "Results of attempts that came after their lease was lost."
    );
    metrics::describe_gauge!("webhook_deliveries_in_flight", "Attempts at webhook deliveries under way.");
    metrics::describe_gauge!("webhook_addresses_busy", "Addresses with deliveries in hand.");
    metrics::describe_gauge!("webhook_queue_depth", "Webhook deliveries that wait for an attempt.");
    metrics::describe_gauge!(
        "webhook_oldest_due_seconds",
        metrics::Unit::Seconds,
        "For how long the oldest due webhook delivery has been due."
    );
}
