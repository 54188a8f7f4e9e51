//! Checks whether files can be stored, for the log, the metrics and `/readyz`.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adapter_objects::{Objects, StoreFailure};
use domain::clock::Clock;
use metrics::gauge;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

/// Interval between checks.
const EVERY: Duration = Duration::from_secs(30);

/// Result of the last check of the file store.
pub struct FilesHealth {
    objects: Objects,
    failure: Mutex<Option<StoreFailure>>,
}

impl FilesHealth {
    /// Starts as healthy until the first check.
    pub const fn of(objects: Objects) -> Self {
        Self { objects, failure: Mutex::new(None) }
    }

    /// Returns why files cannot be stored; `None` while they can.
    pub fn failure(&self) -> Option<StoreFailure> {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the store, and logs what has changed.
    async fn check(&self) {
        let found = self.objects.check().await.err();
        gauge!("messaging_files_store_up").set(if found.is_none() { 1.0 } else { 0.0 });
        let before =
            std::mem::replace(&mut *self.failure.lock().unwrap_or_else(PoisonError::into_inner), found);
        match (before, found) {
            (before, Some(reason)) if before != found => error!(%reason, "files cannot be kept"),
            (Some(_), None) => info!("files can be kept again"),
            _ => {}
        }
    }
}

/// Checks every half minute, until `shutdown`.
pub async fn watch_files(health: Arc<FilesHealth>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        health.check().await;
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = clock.sleep(EVERY) => {}
        }
    }
}
