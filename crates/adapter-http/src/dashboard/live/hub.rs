//! Looking for changes once for all who listen on this node.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    live::{Feed, FeedPosition, FollowFeed, LiveEvent, Start},
};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::slots::StreamSlots;

/// How often this node looks whether feeds that somebody listens to have stirred: one statement for all of them.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// Changes that a workspace's listeners share in memory. Whoever falls behind by more reads them from the store.
const SHARED: usize = 256;

/// The listeners of one workspace on this node.
struct Room {
    /// The feed that they hear.
    epoch: uuid::Uuid,
    /// The last change that they were told of.
    seen: i64,
    told: broadcast::Sender<LiveEvent>,
}

/// Tells the browsers that listen on this node.
pub struct LiveHub {
    follow: FollowFeed,
    clock: Arc<dyn Clock>,
    rooms: Mutex<HashMap<WorkspaceId, Room>>,
    slots: StreamSlots,
    closed: CancellationToken,
}

/// Somebody who has begun to listen.
pub(super) struct Listener {
    /// From where.
    pub(super) start: Start,
    /// What is told from now on.
    pub(super) told: broadcast::Receiver<LiveEvent>,
}

impl LiveHub {
    /// Over feeds.
    pub fn new(follow: FollowFeed, clock: Arc<dyn Clock>) -> Self {
        Self {
            follow,
            clock,
            rooms: Mutex::default(),
            slots: StreamSlots::default(),
            closed: CancellationToken::new(),
        }
    }

    /// Ends every stream, and lets none begin: the process is about to stop.
    pub fn close(&self) {
        self.closed.cancel();
        self.rooms().clear();
    }

    /// Ends with [`LiveHub::close`].
    pub(super) const fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// The slots of the sessions' streams.
    pub(super) const fn slots(&self) -> &StreamSlots {
        &self.slots
    }

    /// From where somebody has to be told who looks at the workspace now.
    pub(crate) async fn position(&self, workspace: WorkspaceId) -> Result<Option<FeedPosition>, StoreError> {
        self.follow.position(workspace).await
    }

    /// The next changes after a number, from the store.
    pub(super) async fn after(
        &self,
        workspace: WorkspaceId,
        number: i64,
    ) -> Result<Vec<LiveEvent>, StoreError> {
        self.follow.after(workspace, number).await
    }

    /// Begins to listen for somebody who was last told of `heard`. What is told in between here and the store is told
    /// twice rather than not at all: whoever listens reads the store first, then skips what they have.
    pub(super) async fn listen(
        &self,
        workspace: WorkspaceId,
        heard: Option<&str>,
    ) -> Result<Listener, StoreError> {
        let start = self.follow.begin(workspace, heard).await?;
        let FeedPosition { epoch, number } = start.place();
        let mut rooms = self.rooms();
        let new = || Room { epoch, seen: number, told: broadcast::channel(SHARED).0 };
        let room = rooms.entry(workspace).or_insert_with(new);
        if room.epoch != epoch {
            *room = new();
        }
        Ok(Listener { start, told: room.told.subscribe() })
    }

    /// Looks and tells until it is closed.
    pub async fn run(&self) {
        let mut unread = Unread::default();
        while !self.closed.is_cancelled() {
            self.closed.run_until_cancelled(self.clock.sleep(LOOK_EVERY)).await;
            let seen = self.listened();
            if seen.is_empty() {
                continue;
            }
            let looked = self.look(&seen, &mut unread).await;
            unread.note(None, looked);
        }
    }

    /// The workspaces that somebody listens to, with what they were last told.
    fn listened(&self) -> Vec<(WorkspaceId, i64)> {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| room.told.receiver_count() > 0);
        rooms.iter().map(|(workspace, room)| (*workspace, room.seen)).collect()
    }

    /// Tells each room what is new in it. One whose workspace cannot be read is told later, and holds up no other.
    async fn look(&self, seen: &[(WorkspaceId, i64)], unread: &mut Unread) -> Result<(), StoreError> {
        unread.keep(seen);
        for (workspace, feed) in self.follow.news(seen).await? {
            let told = match feed {
                Ok(feed) => self.tell_new(workspace, feed).await,
                Err(error) => Err(error),
            };
            unread.note(Some(workspace), told);
        }
        Ok(())
    }

    async fn tell_new(&self, workspace: WorkspaceId, feed: Option<Feed>) -> Result<(), StoreError> {
        let seen = match (self.rooms().get(&workspace), feed) {
            (None, _) => return Ok(()),
            (Some(room), Some(feed)) if room.epoch == feed.epoch => Some((room.seen, feed.last)),
            _ => None,
        };
        if let Some((seen, last)) = seen {
            return self.tell(workspace, seen, last).await;
        }
        // Another feed has begun: whoever listens comes back and is told so.
        drop(self.rooms().remove(&workspace));
        Ok(())
    }

    /// Tells a room of everything after `seen`.
    async fn tell(&self, workspace: WorkspaceId, mut seen: i64, last: i64) -> Result<(), StoreError> {
        loop {
            let events = self.follow.after(workspace, seen).await?;
            let end = events.last().map(|event| event.number);
            let mut rooms = self.rooms();
            let Some(room) = rooms.get_mut(&workspace) else { return Ok(()) };
            for event in events {
                // Nobody listens any more: the room is cleared away with the next look.
                let _ = room.told.send(event);
            }
            seen = end.unwrap_or_else(|| seen.max(last));
            room.seen = seen;
            if end.is_none() {
                return Ok(());
            }
        }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Room>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What could not be looked for when it was last tried, so that the log says it once: a workspace, or, as `None`, which of
/// them have stirred.
#[derive(Default)]
struct Unread(HashSet<Option<WorkspaceId>>);

impl Unread {
    /// Nobody listens to the others any more.
    fn keep(&mut self, seen: &[(WorkspaceId, i64)]) {
        self.0.retain(|of| of.is_none_or(|of| seen.iter().any(|(workspace, _)| *workspace == of)));
    }

    fn note(&mut self, of: Option<WorkspaceId>, looked: Result<(), StoreError>) {
        let workspace = of.map(tracing::field::display);
        match looked {
            Ok(()) if self.0.remove(&of) => info!(workspace, "changes are looked for again"),
            Err(error) if self.0.insert(of) => {
                warn!(workspace, %error, "changes could not be looked for; browsers hear of them later");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        live::ports::MockLiveStore,
        testing::{ManualClock, SequentialIds, a_moment, deps_of},
    };
    use uuid::Uuid;

    use super::*;

    fn workspace(number: u128) -> WorkspaceId {
        Uuid::from_u128(number).into()
    }

    fn feed(last: i64) -> Feed {
        Feed { epoch: Uuid::from_u128(7), last, forgotten: 0 }
    }

    /// The first workspace cannot be numbered, and of the second nothing can be read that was.
    fn store() -> MockLiveStore {
        let mut store = MockLiveStore::new();
        store.expect_open().returning(|_, _, _| Ok(feed(20)));
        store.expect_stirred().returning(|_| Ok([1, 2, 3].map(workspace).to_vec()));
        store
            .expect_number()
            .returning(|of, _| if of == workspace(1) { Err(StoreError::Stale) } else { Ok(Some(feed(21))) });
        store
            .expect_events()
            .returning(|of, _, _| if of == workspace(2) { Err(StoreError::Stale) } else { Ok(Vec::new()) });
        store
    }

    #[tokio::test]
    async fn a_workspace_that_cannot_be_read_holds_up_no_other_and_the_log_says_it_once() {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let deps = deps_of(clock.clone(), Arc::new(SequentialIds::default()));
        let hub = LiveHub::new(FollowFeed { store: Arc::new(store()), deps }, clock);
        let mut listeners = Vec::new();
        for number in 1..=3 {
            listeners.push(hub.listen(workspace(number), None).await.ok());
        }
        let mut unread = Unread::default();
        for _ in 0..2 {
            hub.look(&hub.listened(), &mut unread).await.unwrap();
            let mut seen = hub.listened();
            seen.sort();
            assert_eq!(seen, [(workspace(1), 20), (workspace(2), 20), (workspace(3), 21)]);
            assert_eq!(unread.0, HashSet::from([1, 2].map(|number| Some(workspace(number)))));
        }
        listeners.truncate(1);
        hub.look(&hub.listened(), &mut unread).await.unwrap();
        unread.note(Some(workspace(1)), Ok(()));
        unread.keep(&hub.listened());
        assert_eq!(unread.0, HashSet::new());
    }
}
