//! Handles journaled updates: woken by the process that journaled them, with a scan behind it.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    clock::Clock,
    ids::WorkspaceId,
    inbound::{BATCH, HandleUpdates, JournalEntry, Unhandled},
};
use tokio::{
    sync::Notify,
    task::{JoinError, JoinSet},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::warn_of_validity;

/// How often the journal is looked through for what nobody was woken for.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Workspaces worked for at once.
const AT_ONCE: usize = 8;

/// Updates in hand at most: a few hundred bytes each, and more are left to the journal.
const IN_HAND: usize = 10_000;

/// Tells the worker that a workspace has updates, and hands them over. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct UpdatesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether a worker has begun: without one nothing may be handed over.
    works: AtomicBool,
    waiting: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Workspaces whose journal is to be looked at.
    journaled: HashSet<WorkspaceId>,
    in_hand: HashMap<WorkspaceId, VecDeque<JournalEntry>>,
    /// How many there are of all workspaces.
    count: usize,
    /// Whose turn it is.
    journal_first: bool,
}

/// What is to be done next for a workspace.
enum Turn {
    InHand(Vec<JournalEntry>),
    Journal,
}

impl UpdatesWake {
    /// Whether as many updates more may be handed over.
    pub fn has_room_for(&self, updates: usize) -> bool {
        self.0.works.load(Ordering::Relaxed) && self.lock().count.saturating_add(updates) <= IN_HAND
    }

    /// Never blocks. With nothing in hand the journal is looked at; many calls for one workspace count once.
    pub fn wake(&self, workspace: WorkspaceId, in_hand: Vec<JournalEntry>) {
        let mut waiting = self.lock();
        if in_hand.is_empty() {
            waiting.journaled.insert(workspace);
        } else {
            waiting.count += in_hand.len();
            waiting.in_hand.entry(workspace).or_default().extend(in_hand);
        }
        drop(waiting);
        self.0.changed.notify_one();
    }

    /// A workspace that nobody is busy with. Journals and what is in hand take turns, so that neither waits for the
    /// other to run dry.
    fn take_one(&self, busy: &HashSet<WorkspaceId>) -> Option<(WorkspaceId, Turn)> {
        let mut waiting = self.lock();
        waiting.journal_first = !waiting.journal_first;
        if waiting.journal_first {
            waiting.journal(busy).or_else(|| waiting.in_hand(busy))
        } else {
            waiting.in_hand(busy).or_else(|| waiting.journal(busy))
        }
    }

    fn take_in_hand(&self, busy: &HashSet<WorkspaceId>) -> Option<(WorkspaceId, Turn)> {
        self.lock().in_hand(busy)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn journal(&mut self, busy: &HashSet<WorkspaceId>) -> Option<(WorkspaceId, Turn)> {
        let workspace = self.journaled.iter().copied().find(|workspace| !busy.contains(workspace))?;
        self.journaled.remove(&workspace);
        Some((workspace, Turn::Journal))
    }

    fn in_hand(&mut self, busy: &HashSet<WorkspaceId>) -> Option<(WorkspaceId, Turn)> {
        let (workspace, entries) =
            self.in_hand.iter_mut().find(|(workspace, _)| !busy.contains(workspace))?;
        let workspace = *workspace;
        let most = usize::try_from(BATCH).unwrap_or(usize::MAX).min(entries.len());
        let batch: Vec<JournalEntry> = entries.drain(..most).collect();
        if entries.is_empty() {
            self.in_hand.remove(&workspace);
        }
        self.count = self.count.saturating_sub(batch.len());
        Some((workspace, Turn::InHand(batch)))
    }
}

/// Works off the journal, several workspaces at once, one task for each.
pub struct UpdatesWorker {
    /// What handles a batch.
    pub handle: Arc<HandleUpdates>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where it is woken.
    pub wake: UpdatesWake,
}

impl UpdatesWorker {
    /// Works until `shutdown`, then finishes what is in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut turns = Turns::default();
        let mut scan = self.clock.sleep(Duration::ZERO);
        self.wake.0.works.store(true, Ordering::Relaxed);
        while !shutdown.is_cancelled() {
            turns.begin(&self, UpdatesWake::take_one);
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(done) = turns.tasks.join_next() => turns.ended(&done),
                () = &mut scan => {
                    match self.handle.workspaces().await {
                        Ok(found) => found.into_iter().for_each(|workspace| self.wake.wake(workspace, Vec::new())),
                        Err(error) => warn!(%error, "the journal could not be looked through"),
                    }
                    scan = self.clock.sleep(SCAN_EVERY);
                }
            }
        }
        self.wake.0.works.store(false, Ordering::Relaxed);
        loop {
            turns.begin(&self, UpdatesWake::take_in_hand);
            let Some(done) = turns.tasks.join_next().await else { return };
            turns.ended(&done);
        }
    }
}

/// The workspaces that are being worked for, a task for each.
#[derive(Default)]
struct Turns {
    tasks: JoinSet<WorkspaceId>,
    busy: HashSet<WorkspaceId>,
}

impl Turns {
    fn begin(
        &mut self,
        worker: &UpdatesWorker,
        next: impl Fn(&UpdatesWake, &HashSet<WorkspaceId>) -> Option<(WorkspaceId, Turn)>,
    ) {
        while self.tasks.len() < AT_ONCE {
            let Some((workspace, turn)) = next(&worker.wake, &self.busy) else { return };
            self.busy.insert(workspace);
            let (handle, wake) = (Arc::clone(&worker.handle), worker.wake.clone());
            self.tasks.spawn(async move {
                work_off(&handle, &wake, workspace, turn).await;
                workspace
            });
        }
    }

    fn ended(&mut self, done: &Result<WorkspaceId, JoinError>) {
        match done {
            Ok(workspace) => {
                self.busy.remove(workspace);
            }
            // A task that died leaves no name: let the scan find every workspace again.
            Err(_) => self.busy.clear(),
        }
    }
}

/// One batch; where the journal may have more, the workspace's next turn comes after the others'.
async fn work_off(handle: &HandleUpdates, wake: &UpdatesWake, workspace: WorkspaceId, turn: Turn) {
    let from_journal = matches!(turn, Turn::Journal);
    let worked = match turn {
        Turn::InHand(entries) => handle.run_in_hand(workspace, entries).await,
        Turn::Journal => handle.run(workspace).await,
    };
    match worked {
        Ok(round) => {
            round.readings.iter().for_each(warn_of_validity);
            for unhandled in &round.unhandled {
                let Unhandled { id, reason, set_aside } = unhandled;
                if *set_aside {
                    error!(%workspace, update = %id, reason, "update given up, and put into the quarantine");
                } else {
                    warn!(%workspace, update = %id, reason, "update put back");
                }
            }
            if from_journal && round.may_have_more() {
                wake.wake(workspace, Vec::new());
            }
        }
        Err(error) => warn!(%workspace, %error, "updates not handled"),
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, iter::repeat_n, sync::atomic::Ordering};

    use domain::{
        ids::WorkspaceId,
        inbound::{JournalEntry, JournalItem},
    };
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{IN_HAND, Turn, UpdatesWake};

    fn workspace(number: u128) -> WorkspaceId {
        Uuid::from_u128(number).into()
    }

    fn entries(workspace: WorkspaceId, count: usize) -> Vec<JournalEntry> {
        let entry = JournalEntry {
            id: Uuid::from_u128(7).into(),
            workspace,
            received_at: OffsetDateTime::UNIX_EPOCH,
            attempts: 1,
            item: JournalItem::TemplatesChanged { account_network_id: "waba".to_owned() },
        };
        repeat_n(entry, count).collect()
    }

    /// Whose turns come, with how many in hand, while nobody is busy.
    fn turns(wake: &UpdatesWake) -> Vec<(WorkspaceId, Option<usize>)> {
        let next = || wake.take_one(&HashSet::new());
        let seen = std::iter::from_fn(next).map(|(workspace, turn)| match turn {
            Turn::InHand(entries) => (workspace, Some(entries.len())),
            Turn::Journal => (workspace, None),
        });
        seen.collect()
    }

    #[test]
    fn nothing_is_taken_in_hand_before_somebody_works() {
        let wake = UpdatesWake::default();
        assert!(!wake.has_room_for(1));
        wake.0.works.store(true, Ordering::Relaxed);
        assert!(wake.has_room_for(1));
    }

    #[test]
    fn no_more_is_taken_in_hand_than_there_is_room_for() {
        let wake = UpdatesWake::default();
        wake.0.works.store(true, Ordering::Relaxed);
        wake.wake(workspace(1), entries(workspace(1), IN_HAND - 1));
        assert!(wake.has_room_for(1) && !wake.has_room_for(2));
        wake.take_one(&HashSet::new()).unwrap();
        assert!(wake.has_room_for(2), "what is taken up makes room");
    }

    #[test]
    fn what_is_in_hand_comes_in_batches_and_a_journal_once() {
        let wake = UpdatesWake::default();
        wake.wake(workspace(1), entries(workspace(1), 150));
        wake.wake(workspace(1), entries(workspace(1), 60));
        assert_eq!(turns(&wake), [100, 100, 10].map(|count| (workspace(1), Some(count))));
        wake.wake(workspace(2), Vec::new());
        wake.wake(workspace(2), Vec::new());
        assert_eq!(turns(&wake), [(workspace(2), None)]);
    }

    #[test]
    fn a_journal_does_not_wait_until_nothing_is_in_hand() {
        let wake = UpdatesWake::default();
        wake.wake(workspace(1), entries(workspace(1), 300));
        wake.wake(workspace(1), Vec::new());
        let journal = turns(&wake).iter().position(|(_, in_hand)| in_hand.is_none());
        assert!(journal.is_some_and(|position| position < 2), "{journal:?}");
    }

    #[test]
    fn a_busy_workspace_waits_and_holds_up_no_other() {
        let wake = UpdatesWake::default();
        wake.wake(workspace(1), entries(workspace(1), 1));
        wake.wake(workspace(1), Vec::new());
        wake.wake(workspace(2), Vec::new());
        let busy = HashSet::from([workspace(1)]);
        assert_eq!(wake.take_one(&busy).map(|(workspace, _)| workspace), Some(workspace(2)));
        assert!(wake.take_one(&busy).is_none());
    }
}
