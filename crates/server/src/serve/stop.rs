//! Who asks a process to end, and what is done on the way there.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Running;

/// Who asks a process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRequest {
    /// A supervisor, by SIGTERM.
    BySupervisor,
    /// Somebody at a keyboard, by Ctrl-C.
    ByKeyboard,
}

/// What a process is told by signals. From when it listens, none ends it by itself.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Begins to listen for them.
    ///
    /// # Errors
    /// When signals cannot be listened for.
    pub fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened for");
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Returns when somebody at a keyboard waits for nothing any more.
    pub async fn interrupted(&mut self) {
        self.interrupt.recv().await;
    }

    /// Returns when the process is asked to end, and by whom. SIGHUP has certificates read again, where there are any.
    pub async fn asked_to_end(&mut self, running: Option<&Running>) -> StopRequest {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return StopRequest::ByKeyboard,
                _ = self.terminate.recv() => return StopRequest::BySupervisor,
                _ = self.hang_up.recv() => {
                    if let Some(running) = running {
                        running.read_certificates_again();
                    }
                }
            }
        }
    }
}
