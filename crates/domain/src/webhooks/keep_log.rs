//! Retention of the log of deliveries.

use std::{sync::Arc, time::Duration};

use super::ports::LogKeeper;
use crate::{clock::Clock, errors::StoreError};

/// Retention of the log of deliveries (docs/use/rest-api.md, "Limits").
pub const LOG_KEPT: Duration = Duration::from_hours(31 * 24);
/// Time for which room is made ahead, so that a service that is down for a weekend finds its days made.
const AHEAD: Duration = Duration::from_hours(7 * 24);

/// Makes room in the log for coming days and drops what is past [`LOG_KEPT`], deleted addresses with it.
#[derive(Clone)]
pub struct KeepLog {
    pub log: Arc<dyn LogKeeper>,
    pub clock: Arc<dyn Clock>,
}

impl KeepLog {
    /// Keeps the log once; called about every hour. What is dropped is gone for good, so it must be past its
    /// retention by the store's clock as well as by ours.
    pub async fn run(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let earlier = now.min(self.log.now().await?);
        self.log.keep(now, now + AHEAD, earlier - LOG_KEPT).await
    }
}
