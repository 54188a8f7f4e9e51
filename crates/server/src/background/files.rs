//! Fetches the files that messages wait for: woken by the process that recorded them, with a scan behind it.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{
    attachments::{FilesReport, SettleFiles, ports::AwaitedMessage},
    clock::Clock,
    ids::{MessageId, WorkspaceId},
};
use tokio::{
    sync::Notify,
    task::{Id, JoinSet},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// How often messages are looked for whose files are to be tried again; the first gap is as long.
const SCAN_EVERY: Duration = Duration::from_secs(1);
/// Messages whose files are fetched at once.
const AT_ONCE: usize = 32;
/// The same of one workspace, so that a slow network of one leaves room for the others.
const AT_ONCE_OF_ONE: usize = 16;

/// Tells the worker that messages of a workspace wait for their files. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct FilesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<BTreeSet<WorkspaceId>>,
    changed: Notify,
}

impl FilesWake {
    /// Never blocks; many calls for one workspace count once.
    pub fn wake(&self, workspace: WorkspaceId) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace);
        self.0.changed.notify_one();
    }

    /// A workspace for which there is room.
    fn take_one(&self, has_room: impl Fn(WorkspaceId) -> bool) -> Option<WorkspaceId> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.iter().copied().find(|workspace| has_room(*workspace))?;
        waiting.take(&next)
    }
}

/// Settles the files of messages, one task for each message.
pub struct FilesWorker {
    /// What settles them.
    pub settle: Arc<SettleFiles>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where it is woken.
    pub wake: FilesWake,
}

/// Messages in hand, by their tasks.
type InHand = HashMap<Id, (WorkspaceId, MessageId)>;

impl FilesWorker {
    /// Works until `shutdown`, then gives back what is in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut in_hand = InHand::new();
        let mut scan = self.clock.sleep(Duration::ZERO);
        while !shutdown.is_cancelled() {
            self.fill(&mut tasks, &mut in_hand).await;
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(done) = tasks.join_next_with_id() => {
                    let task = done.map_or_else(|died| died.id(), |(id, ())| id);
                    // There may be more where this one was in the way.
                    if let Some((workspace, _)) = in_hand.remove(&task) {
                        self.wake.wake(workspace);
                    }
                }
                () = &mut scan => {
                    match self.settle.workspaces().await {
                        Ok(found) => found.into_iter().for_each(|workspace| self.wake.wake(workspace)),
                        Err(error) => warn!(%error, "waiting files could not be looked for"),
                    }
                    scan = self.clock.sleep(SCAN_EVERY);
                }
            }
        }
        tasks.shutdown().await;
        for (workspace, message) in in_hand.into_values() {
            if let Err(error) = self.settle.put_back(workspace, message).await {
                warn!(%workspace, %message, %error, "a message waits for the end of its lease");
            }
        }
    }

    /// Takes up as many messages as there is room for.
    async fn fill(&self, tasks: &mut JoinSet<()>, in_hand: &mut InHand) {
        while tasks.len() < AT_ONCE {
            let of = |workspace| in_hand.values().filter(|(held, _)| *held == workspace).count();
            let Some(workspace) = self.wake.take_one(|workspace| of(workspace) < AT_ONCE_OF_ONE) else {
                return;
            };
            let room = (AT_ONCE - tasks.len()).min(AT_ONCE_OF_ONE - of(workspace));
            let claimed = self.settle.claim(workspace, u32::try_from(room).unwrap_or_default()).await;
            let claimed = claimed.unwrap_or_else(|error| {
                warn!(%workspace, %error, "waiting files could not be taken up");
                Vec::new()
            });
            for awaited in claimed {
                let message = awaited.message.id;
                let task = tasks.spawn(settle(Arc::clone(&self.settle), awaited));
                in_hand.insert(task.id(), (workspace, message));
            }
        }
    }
}

/// One turn on a message.
async fn settle(settle: Arc<SettleFiles>, awaited: AwaitedMessage) {
    let (workspace, message, attempt) = (awaited.workspace, awaited.message.id, awaited.attempt);
    match settle.run(awaited).await {
        Ok(FilesReport { stored, postponed, given_up, untranscribed }) => {
            debug!(%workspace, %message, stored, attempt, "files settled");
            for (position, reason) in postponed {
                debug!(%workspace, %message, position, attempt, %reason, "file tried again");
            }
            for (position, reason) in given_up {
                warn!(%workspace, %message, position, attempt, %reason, "file given up");
            }
            for reason in untranscribed {
                warn!(%workspace, %message, %reason, "voice note not transcribed");
            }
        }
        Err(error) => warn!(%workspace, %message, attempt, %error, "files not settled"),
    }
}
