//! One attempt, from its start to its result.

use std::{sync::Arc, time::Duration};

use domain::{
    ids::WorkspaceId,
    webhooks::{
        DeliverDue, Failure, NextStep,
        ports::{AttemptRecord, DueDelivery},
    },
};
use tokio::sync::mpsc::UnboundedSender;
use tracing::{Instrument, field::Empty};

use super::{News, address_limiter::Pace, counters};

/// Duration from which on an attempt is slow.
const SLOW: Duration = Duration::from_millis(500);

/// Makes the attempt, and reports when it becomes slow and when it has ended.
pub(super) async fn make(
    deliver: Arc<DeliverDue>,
    workspace: WorkspaceId,
    delivery: DueDelivery,
    news: UnboundedSender<News>,
) {
    let address = delivery.leased.address;
    let span = tracing::info_span!(
        parent: None,
        "deliver",
        otel.kind = "producer",
        delivery_id = %delivery.leased.id,
        attempt = delivery.leased.attempt,
        event = delivery.event.as_str(),
        http.response.status_code = Empty,
    );
    trace_context::continue_trace(&span, delivery.trace_parent.as_deref());
    let attempt = deliver.attempt(&delivery).instrument(span.clone());
    tokio::pin!(attempt);
    let ended = tokio::select! {
        biased;
        ended = &mut attempt => Some(ended),
        () = deliver.clock.sleep(SLOW) => None,
    };
    let is_fast = ended.is_some();
    let ended = if let Some(ended) = ended {
        ended
    } else {
        // Fails only when the dispatcher is gone, and nobody needs the report.
        let _ = news.send(News::Slow { workspace, address });
        attempt.await
    };
    let record = match ended {
        Ok(record) => record,
        Err(want) => {
            let _ = news.send(News::NotMade { workspace, leased: delivery.leased, is_fast, want });
            return;
        }
    };
    let status = record.outcome.as_ref().map_or_else(Failure::status, |status| Some(*status));
    trace_context::note(&span, "http.response.status_code", status.map(i64::from));
    tell(&record);
    let pace = match (is_fast, record.is_whole) {
        (true, true) => Pace::Fast,
        (true, false) => Pace::Broken,
        (false, true) => Pace::Slow,
        (false, false) => Pace::Silent,
    };
    let _ = news.send(News::Ended { workspace, record, pace });
}

/// Records the attempt in log and metrics.
fn tell(record: &AttemptRecord) {
    let outcome = match &record.outcome {
        Ok(_) => "delivered",
        Err(Failure::Status { .. }) => "status",
        Err(Failure::Timeout) => "timeout",
        Err(Failure::Call(_)) => "call",
        Err(Failure::Unreadable) => "unreadable",
    };
    let took = Duration::from_millis(record.duration_ms.try_into().unwrap_or_default());
    counters::attempts(outcome).increment(1);
    metrics::histogram!("messaging_webhook_attempt_seconds").record(took.as_secs_f64());
    let leased = &record.leased;
    if leased.attempt == 1 {
        let waited = (record.started_at - leased.created_at).as_seconds_f64();
        metrics::histogram!("messaging_webhook_first_attempt_delay_seconds").record(waited.max(0.0));
    }

    let (delivery_id, address_id, attempt) = (leased.id, leased.address, leased.attempt);
    let duration_ms = record.duration_ms;
    match (&record.outcome, record.next_step) {
        (Ok(status), _) => {
            tracing::debug!(%delivery_id, %address_id, attempt, status, duration_ms, "delivered");
        }
        (Err(failure), NextStep::RetryAt(retry_at)) => {
            let status = failure.status();
            tracing::info!(
                %delivery_id, %address_id, attempt, status, duration_ms, %failure, %retry_at,
                "not delivered, to be tried again"
            );
        }
        (Err(failure), _) => {
            let status = failure.status();
            tracing::warn!(
                %delivery_id, %address_id, attempt, status, duration_ms, %failure,
                "not delivered, given up"
            );
        }
    }
}
