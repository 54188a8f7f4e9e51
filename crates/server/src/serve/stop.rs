//! Signals that ask a process to end.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Running;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRequest {
    /// A supervisor, by SIGTERM.
    BySupervisor,
    /// A person at a keyboard, by Ctrl-C.
    ByKeyboard,
}

/// Signals to this process. Once it listens, none of them ends it by itself.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Begins to listen.
    pub fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened for");
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for another Ctrl-C: the person at the keyboard wants to end at once.
    pub async fn interrupted(&mut self) {
        self.interrupt.recv().await;
    }

    /// Waits until the process is asked to end; returns by whom. SIGHUP makes `running` read its certificates
    /// again.
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
