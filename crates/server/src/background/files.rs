//! Fetches the files that messages wait for: woken by the process that recorded them, with a scan behind it.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use domain::{
    clock::Clock,
    ids::{MessageId, WorkspaceId},
    inbound::files::{
        FilesReport, SettleFiles,
        ports::{AwaitedMessage, FilesQueue},
    },
};
use tokio::{
    sync::Notify,
    task::{Id, JoinSet},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// A queue of messages, and how much of it is worked on at once.
#[derive(Debug, Clone, Copy)]
pub struct FilesQueueLimits {
    queue: FilesQueue,
    /// Interval between scans for messages whose files are due for another try.
    scan_every: Duration,
    at_once: usize,
    /// Most files fetched at once for one workspace: its slow network leaves room for others.
    at_once_of_one: usize,
}

impl FilesQueueLimits {
    /// Messages not yet told of. The first gap between two tries is as long as that between two scans.
    pub const TO_BE_TOLD: Self = Self {
        queue: FilesQueue::ToBeTold,
        scan_every: Duration::from_secs(1),
        at_once: 32,
        at_once_of_one: 16,
    };
    /// Messages already told of without their files; they take no slot of those not yet told of.
    pub const LATE: Self =
        Self { queue: FilesQueue::Late, scan_every: Duration::from_secs(5), at_once: 8, at_once_of_one: 4 };
}

/// Handle that wakes the worker for messages that wait for their files. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct FilesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<BTreeSet<WorkspaceId>>,
    changed: Notify,
}

impl FilesWake {
    /// Wakes the worker. Never blocks; many calls for one workspace count once.
    pub fn wake(&self, workspace: WorkspaceId) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace);
        self.0.changed.notify_one();
    }

    /// Takes a workspace for which there is room.
    fn take_one(&self, has_room: impl Fn(WorkspaceId) -> bool) -> Option<WorkspaceId> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.iter().copied().find(|workspace| has_room(*workspace))?;
        waiting.take(&next)
    }
}

/// Worker that settles the files of messages, one task for each message.
#[derive(Clone)]
pub struct FilesWorker {
    pub settle: Arc<SettleFiles>,
    pub clock: Arc<dyn Clock>,
    pub wake: FilesWake,
    pub limits: FilesQueueLimits,
}

/// A place among the messages whose files are fetched at once; the worker is woken when it is given back.
struct Slot {
    workspace: WorkspaceId,
    wake: FilesWake,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.wake.wake(self.workspace);
    }
}

struct MessageInHand {
    workspace: WorkspaceId,
    message: MessageId,
    slot: Weak<Slot>,
}

/// Messages in hand, by their tasks. One whose speech is being transcribed has given its slot back.
#[derive(Default)]
struct InHand(HashMap<Id, MessageInHand>);

impl InHand {
    fn slots(&self, of: impl Fn(WorkspaceId) -> bool) -> usize {
        self.0.values().filter(|held| of(held.workspace) && held.slot.strong_count() > 0).count()
    }
}

impl FilesWorker {
    /// Works until `shutdown`, then gives back what is in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut in_hand = InHand::default();
        let mut scan = self.clock.sleep(Duration::ZERO);
        while !shutdown.is_cancelled() {
            self.fill(&mut tasks, &mut in_hand).await;
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(done) = tasks.join_next_with_id() => {
                    let task = done.map_or_else(|died| died.id(), |(id, ())| id);
                    in_hand.0.remove(&task);
                }
                () = &mut scan => {
                    match self.settle.workspaces(self.limits.queue).await {
                        Ok(found) => found.into_iter().for_each(|workspace| self.wake.wake(workspace)),
                        Err(error) => warn!(%error, "waiting files could not be looked for"),
                    }
                    scan = self.clock.sleep(self.limits.scan_every);
                }
            }
        }
        tasks.shutdown().await;
        for MessageInHand { workspace, message, .. } in in_hand.0.into_values() {
            if let Err(error) = self.settle.put_back(self.limits.queue, workspace, message).await {
                warn!(%workspace, %message, %error, "a message waits for the end of its lease");
            }
        }
    }

    /// Takes up as many messages as there is room for.
    async fn fill(&self, tasks: &mut JoinSet<()>, in_hand: &mut InHand) {
        let FilesQueueLimits { queue, at_once, at_once_of_one, .. } = self.limits;
        loop {
            let room = at_once.saturating_sub(in_hand.slots(|_| true));
            let of =
                |workspace| at_once_of_one.saturating_sub(in_hand.slots(|held| held == workspace)).min(room);
            let Some(workspace) = self.wake.take_one(|workspace| of(workspace) > 0) else { return };
            let room = u32::try_from(of(workspace)).unwrap_or_default();
            let claimed = self.settle.claim(queue, workspace, room).await;
            let claimed = claimed.unwrap_or_else(|error| {
                warn!(%workspace, %error, "waiting files could not be taken up");
                Vec::new()
            });
            for awaited in claimed {
                let message = awaited.message.id;
                let slot = Arc::new(Slot { workspace, wake: self.wake.clone() });
                let held = MessageInHand { workspace, message, slot: Arc::downgrade(&slot) };
                let task = tasks.spawn(settle(Arc::clone(&self.settle), awaited, slot));
                in_hand.0.insert(task.id(), held);
            }
        }
    }
}

async fn settle(settle: Arc<SettleFiles>, awaited: AwaitedMessage, slot: Arc<Slot>) {
    let (workspace, message, attempt) = (awaited.workspace, awaited.message.id, awaited.attempt);
    match settle.run(awaited, slot).await {
        Ok(FilesReport { stored, postponed, late, given_up, untranscribed }) => {
            debug!(%workspace, %message, stored, attempt, "files settled");
            for (position, reason) in postponed {
                debug!(%workspace, %message, position, attempt, %reason, "file tried again");
            }
            for (position, reason) in late {
                warn!(%workspace, %message, position, attempt, %reason, "told of without a file that is fetched later");
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
