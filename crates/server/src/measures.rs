//! Metrics of a node: their help texts, and the histograms' buckets.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

use self::Kind::{Counter, Gauge, Histogram};

/// Upper ends of the histograms' buckets, in seconds: from an answer out of memory to what waited for an
/// outage.
pub(crate) const BUCKETS: [f64; 14] =
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 600.0];

enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Name, kind and help text of each metric. A test holds a running node to it.
const MEASURES: &[(&str, Kind, &str)] = &[
    (
        "messaging_assistant_turns_total",
        Counter,
        "Turns of the assistant by outcome, and by the reason for a hand-over.",
    ),
    ("messaging_broadcasts_finished_total", Counter, "Broadcasts that have written to everybody."),
    ("messaging_typing_failed_total", Counter, "Signs of typing that a network did not take."),
    (
        "messaging_broadcasts_paused_total",
        Counter,
        "Broadcasts that were paused by themselves, by the reason.",
    ),
    ("messaging_build_info", Gauge, "1, with the program's version."),
    (
        "messaging_certificate_not_after_timestamp_seconds",
        Gauge,
        "When the served certificate expires, since 1970.",
    ),
    ("messaging_clock_offset_seconds", Gauge, "How far this node's clock is ahead of the database's."),
    ("messaging_database_pool_connections_in_use", Gauge, "Connections of a pool that are in use."),
    ("messaging_database_pool_connections_max", Gauge, "Most connections of a pool."),
    ("messaging_database_pool_wait_seconds", Histogram, "Time until a connection of a pool was free."),
    ("messaging_database_pool_waiting", Gauge, "Callers that wait for a connection of a pool."),
    ("messaging_files_store_up", Gauge, "1 if files can be stored, 0 if not."),
    (
        "messaging_http_request_duration_seconds",
        Histogram,
        "Time from a request's head to its answer, by route and method.",
    ),
    ("messaging_http_requests_total", Counter, "Requests by route, method and status."),
    ("messaging_model_answer_seconds", Histogram, "Time until a language model answered."),
    ("messaging_model_answers_total", Counter, "Questions to language models by outcome."),
    ("messaging_network_call_seconds", Histogram, "Time that calls to the networks took."),
    ("messaging_network_calls_total", Counter, "Calls to the networks by outcome."),
    (
        "messaging_network_unread_updates_total",
        Counter,
        "Updates of networks that this version does not read.",
    ),
    (
        "messaging_network_unreadable_posts_total",
        Counter,
        "Posts of networks that could not be read, by whether they were kept.",
    ),
    (
        "messaging_network_update_wait_seconds",
        Histogram,
        "Time that the oldest update of a batch waited since its post.",
    ),
    ("messaging_node_roles", Gauge, "1 for each role of this node."),
    ("messaging_quarantine_posts", Gauge, "Posts and updates in the quarantine."),
    ("messaging_system_call_seconds", Histogram, "Time that calls to workspaces' own systems took."),
    ("messaging_system_calls_total", Counter, "Calls to workspaces' own systems by result."),
    ("messaging_webhook_addresses_busy", Gauge, "Addresses with deliveries in hand."),
    ("messaging_webhook_attempt_seconds", Histogram, "Time that attempts at webhook deliveries took."),
    ("messaging_webhook_attempts_total", Counter, "Attempts at webhook deliveries by outcome."),
    ("messaging_webhook_deliveries_in_flight", Gauge, "Attempts at webhook deliveries under way."),
    (
        "messaging_webhook_first_attempt_delay_seconds",
        Histogram,
        "Time from an event to the first attempt at a delivery of it.",
    ),
    (
        "messaging_webhook_leases_lost_total",
        Counter,
        "Results of attempts that came after their lease was lost.",
    ),
    (
        "messaging_webhook_oldest_due_seconds",
        Gauge,
        "Time since the oldest waiting webhook delivery fell due.",
    ),
    ("messaging_webhook_queue_depth", Gauge, "Webhook deliveries that wait for an attempt."),
];

pub(crate) fn describe() {
    #[cfg(target_os = "linux")]
    metrics_process::Collector::default().describe();
    for (name, kind, help) in MEASURES {
        let unit = if name.ends_with("_seconds") { Unit::Seconds } else { Unit::Count };
        match kind {
            Counter => describe_counter!(*name, unit, *help),
            Gauge => describe_gauge!(*name, unit, *help),
            Histogram => describe_histogram!(*name, unit, *help),
        }
    }
}
