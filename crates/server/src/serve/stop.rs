//! Who asks a process to end, and what is done on the way there.

use anyhow::Context;
use tokio::signal::{
    ctrl_c,
    unix::{SignalKind, signal},
};

use super::Running;

/// Who asks a process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRequest {
    /// A supervisor, by SIGTERM.
    BySupervisor,
    /// Somebody at a keyboard, by Ctrl-C.
    ByKeyboard,
}

/// Returns when the process is asked to end.
///
/// # Errors
/// When signals cannot be listened for.
pub async fn asked_to_end() -> anyhow::Result<StopRequest> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = ctrl_c() => ended.context("Ctrl-C cannot be listened for").map(|()| StopRequest::ByKeyboard),
        _ = terminate.recv() => Ok(StopRequest::BySupervisor),
    }
}

/// Serves until the process is asked to end, and answers by whom. SIGHUP has certificates read again.
///
/// # Errors
/// When signals cannot be listened for.
pub async fn until_asked_to_end(running: &Running) -> anyhow::Result<StopRequest> {
    let mut hang_up = signal(SignalKind::hangup())?;
    let asked = asked_to_end();
    tokio::pin!(asked);
    loop {
        tokio::select! {
            asked = &mut asked => return asked,
            _ = hang_up.recv() => running.read_certificates_again(),
        }
    }
}
