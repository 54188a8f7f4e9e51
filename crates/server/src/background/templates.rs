//! Reads each account's numbers and templates every 15 minutes.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    templates::{SyncAccount, SyncReport, ports::DueAccount},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::due::for_each_due;

/// Interval between scans for due accounts.
const EVERY: Duration = Duration::from_secs(15);

/// Reads due accounts until `shutdown`.
pub async fn read_due_templates(sync: Arc<SyncAccount>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match sync.due().await {
            Ok(accounts) => {
                for_each_due(accounts, &shutdown, |account| read(&sync, account)).await;
            }
            Err(error) => warn!(%error, "accounts not read"),
        }
        tokio::select! {
            () = clock.sleep(EVERY) => {}
            () = shutdown.cancelled() => {}
        }
    }
}

async fn read(sync: &SyncAccount, account: DueAccount) {
    match sync.run_due(account).await {
        Ok(Some(report)) => {
            info!(workspace = %account.workspace, account = %account.account, templates = report.templates, "read templates");
            warn_of_validity(&report);
        }
        Ok(None) => {}
        Err(error) => {
            warn!(workspace = %account.workspace, account = %account.account, %error, "templates not read");
        }
    }
}

/// Warns of one-time codes that may arrive after they have expired.
pub fn warn_of_validity(report: &SyncReport) {
    for (template, language, problem) in &report.validity_problems {
        warn!(template, language, problem, "a code of this template may arrive after it has expired");
    }
}
