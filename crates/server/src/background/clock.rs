//! Compares this machine's clock with the database's, for the log, the metrics, `/readyz` and the workers.

use std::{sync::Arc, time::Duration};

use adapter_postgres::{Database, DatabaseClock};
use domain::clock::Clock;
use metrics::gauge;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info};

/// Interval between measurements against the database's clock.
const EVERY: Duration = Duration::from_secs(1);
/// Largest allowed deviation from the database's clock.
const TOLERANCE: time::Duration = time::Duration::seconds(5);

/// Describes what is wrong with a clock that is this far ahead of the database's; `None` if it is right.
pub fn clock_fault(offset: time::Duration) -> Option<String> {
    is_off(offset).then(|| tell(offset))
}

fn is_off(offset: time::Duration) -> bool {
    offset.abs() > TOLERANCE
}

fn tell(offset: time::Duration) -> String {
    let (seconds, way) =
        (offset.abs().as_seconds_f64(), if offset.is_positive() { "ahead of" } else { "behind" });
    format!("this machine's clock is {seconds:.1} s {way} the database's")
}

/// Result of the last measurement of the machine's clock.
pub struct ClockHealth {
    /// `None` where the time is not a machine's, as in tests: it counts as right.
    clock: Option<Arc<DatabaseClock>>,
    database: Database,
    /// How far the machine's clock is ahead, where that exceeds `TOLERANCE`.
    off: watch::Sender<Option<time::Duration>>,
}

impl ClockHealth {
    /// Starts from the clock's last measurement.
    pub fn of(clock: Option<Arc<DatabaseClock>>, database: Database) -> Self {
        let health = Self { clock, database, off: watch::Sender::new(None) };
        health.look();
        health
    }

    /// Returns why no work is taken up; `None` while the clock is right.
    pub fn failure(&self) -> Option<String> {
        (*self.off.borrow()).map(tell)
    }

    /// Waits until the clock is right, or until it is wrong.
    pub async fn until(&self, is_right: bool) {
        // The sender is a field of `self`: it lives while anyone waits.
        let _ = self.off.subscribe().wait_for(|off| off.is_none() == is_right).await;
    }

    async fn check(&self) {
        if let Some(clock) = &self.clock {
            if let Err(error) = clock.measure(&self.database).await {
                debug!(%error, "the database was not asked for its time");
            }
            self.look();
        }
    }

    /// Logs what has changed.
    fn look(&self) {
        let Some(clock) = &self.clock else { return };
        let offset = clock.offset();
        gauge!("messaging_clock_offset_seconds").set(offset.as_seconds_f64());
        let off = Some(offset).filter(|offset| is_off(*offset));
        let before = self.off.send_replace(off);
        let offset_s = offset.as_seconds_f64();
        match (before, off) {
            (None, Some(_)) => {
                error!(offset_s, "this machine's clock is not the database's: no work is taken up");
            }
            (Some(_), None) => info!(offset_s, "this machine's clock is right again: work is taken up"),
            _ => {}
        }
    }
}

/// Measures every second, until `shutdown`.
pub async fn watch_clock(health: Arc<ClockHealth>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        health.check().await;
        shutdown.run_until_cancelled(clock.sleep(EVERY)).await;
    }
}
