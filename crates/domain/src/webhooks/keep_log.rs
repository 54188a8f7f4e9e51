//! Keeping the log for a month.

use std::{sync::Arc, time::Duration};

use super::ports::LogKeeper;
use crate::{clock::Clock, errors::StoreError};

/// The log is kept for so long (docs/rest-api.md, "Limits").
pub const LOG_KEPT: Duration = Duration::from_hours(31 * 24);
/// It says how far ahead room is made: a service that is down for a weekend finds its days made.
const AHEAD: Duration = Duration::from_hours(7 * 24);

/// It makes room for coming days and drops what is past its month, deleted addresses with it.
#[derive(Clone)]
pub struct KeepLog {
    pub log: Arc<dyn LogKeeper>,
    pub clock: Arc<dyn Clock>,
}

impl KeepLog {
    /// Does it once; it is to be done again every hour or so. What is dropped is gone for good, so it is past its month by
    /// the store's clock as well as by ours.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let earlier = now.min(self.log.now().await?);
        self.log.keep(now, now + AHEAD, earlier - LOG_KEPT).await
    }
}
