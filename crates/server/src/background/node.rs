//! Gauges of the node itself: database pools, process, certificate, quarantine.

use std::{sync::Arc, time::Duration};

use adapter_postgres::Database;
use domain::{clock::Clock, inbound::ports::Quarantine};
use metrics::gauge;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::tls::ServedCertificate;

/// Pause between two measurements; short, since waits for a connection come and go.
const PAUSE: Duration = Duration::from_secs(5);
/// Measurements between two counts of the quarantine.
const COUNT_EVERY: u32 = 12;

/// Sources of a node's own gauges.
pub struct NodeGauges {
    pub database: Database,
    /// `None` where this node does not handle the networks' posts.
    pub quarantine: Option<Arc<dyn Quarantine>>,
    /// `None` where this node does not end TLS.
    pub certificate: Option<Arc<ServedCertificate>>,
}

impl NodeGauges {
    /// Measures until `shutdown`.
    pub async fn run(self, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
        gauge!("messaging_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        for round in (0..COUNT_EVERY).cycle() {
            measure_process();
            self.measure();
            if round == 0 {
                self.count_quarantine().await;
            }
            if shutdown.run_until_cancelled(clock.sleep(PAUSE)).await.is_none() {
                break;
            }
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "gauges are floats; connections and seconds are exact in them"
    )]
    fn measure(&self) {
        for pool in self.database.pools() {
            gauge!("messaging_database_pool_connections_max", "pool" => pool.name).set(pool.limit as f64);
            gauge!("messaging_database_pool_connections_in_use", "pool" => pool.name).set(pool.in_use as f64);
            gauge!("messaging_database_pool_waiting", "pool" => pool.name).set(pool.waiting as f64);
        }
        if let Some(end) = self.certificate.as_ref().and_then(|certificate| certificate.not_after()) {
            gauge!("messaging_certificate_not_after_timestamp_seconds").set(end.as_secs() as f64);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "gauges are floats; nobody keeps 2^53 posts")]
    async fn count_quarantine(&self) {
        let Some(quarantine) = &self.quarantine else { return };
        match quarantine.size().await {
            Ok(size) => gauge!("messaging_quarantine_posts").set(size as f64),
            Err(error) => warn!(%error, "the quarantine was not counted"),
        }
    }
}

/// Reports CPU seconds, memory, file descriptors and threads, by the names that Prometheus' client libraries
/// share.
fn measure_process() {
    #[cfg(target_os = "linux")]
    metrics_process::Collector::default().collect();
}
