//! Runs the automations that customers' messages trigger, and sweeps quiet conversations: a scan finds the
//! work of every workspace.

use std::{sync::Arc, time::Duration};

use domain::{
    automations::{NotDone, RunAutomations, Sweep},
    clock::Clock,
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::workers::Workers;

/// Interval between scans for messages that may trigger rules.
const SCAN_EVERY: Duration = Duration::from_secs(1);
/// Interval between scans for quiet conversations: their times are whole minutes.
const SWEEP_EVERY: Duration = Duration::from_secs(15);
/// Workspaces worked for at once: one that waits for its network holds up no other.
const AT_ONCE: usize = 8;

/// Runs automations until `shutdown`, then finishes the messages in hand.
pub async fn run_automations(run: Arc<RunAutomations>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut workers = Workers::new(AT_ONCE, 1);
    while !shutdown.is_cancelled() {
        match run.workspaces().await {
            Ok(found) => {
                for workspace in found {
                    workers.begin(workspace, work_off(Arc::clone(&run), workspace, shutdown.clone()));
                }
            }
            Err(error) => warn!(%error, "messages that may set rules off could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
    workers.finish().await;
}

async fn work_off(run: Arc<RunAutomations>, workspace: WorkspaceId, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match run.run(workspace, &|| shutdown.is_cancelled()).await {
            Ok(round) => {
                for NotDone { message, automation, reason, given_up } in &round.not_done {
                    warn!(%workspace, %message, automation, reason, given_up, "a step of a rule was not done");
                }
                if !round.may_have_more() {
                    return;
                }
            }
            Err(error) => {
                warn!(%workspace, %error, "what messages set off was not done");
                return;
            }
        }
    }
}

/// Sweeps conversations until `shutdown`, workspace by workspace.
pub async fn sweep_conversations(sweep: Arc<Sweep>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match sweep.workspaces().await {
            Ok(found) => {
                for workspace in found {
                    sweep_one(&sweep, workspace, &shutdown).await;
                }
            }
            Err(error) => warn!(%error, "quiet conversations could not be looked for"),
        }
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = clock.sleep(SWEEP_EVERY) => {}
        }
    }
}

async fn sweep_one(sweep: &Sweep, workspace: WorkspaceId, shutdown: &CancellationToken) {
    while !shutdown.is_cancelled() {
        match sweep.run(workspace).await {
            Ok(swept) => {
                if swept.closed + swept.returned > 0 {
                    info!(%workspace, closed = swept.closed, returned = swept.returned, "conversations swept");
                }
                if !swept.may_have_more {
                    return;
                }
            }
            Err(error) => {
                warn!(%workspace, %error, "conversations not swept");
                return;
            }
        }
    }
}
