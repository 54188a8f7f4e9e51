//! One look-up of changes for all listeners of this node.

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

/// Interval between look-ups of changed feeds; one statement serves all feeds that have listeners.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// Changes buffered in memory for a workspace's listeners. One that falls further behind reads them from the
/// store.
const SHARED: usize = 256;

struct Room {
    /// Identity of the feed that they follow.
    epoch: uuid::Uuid,
    /// Number of the last change sent to them.
    seen: i64,
    told: broadcast::Sender<LiveEvent>,
}

/// Distributor of changes to the browsers that listen on this node.
pub struct LiveHub {
    follow: FollowFeed,
    clock: Arc<dyn Clock>,
    rooms: Mutex<HashMap<WorkspaceId, Room>>,
    slots: StreamSlots,
    closed: CancellationToken,
}

pub(crate) struct Listener {
    /// Where the stream begins.
    pub(crate) start: Start,
    /// Changes from now on.
    pub(crate) told: broadcast::Receiver<LiveEvent>,
}

impl LiveHub {
    /// Creates a hub without listeners.
    pub fn new(follow: FollowFeed, clock: Arc<dyn Clock>) -> Self {
        Self {
            follow,
            clock,
            rooms: Mutex::default(),
            slots: StreamSlots::default(),
            closed: CancellationToken::new(),
        }
    }

    /// Ends every stream and refuses new ones, before the process stops.
    pub fn close(&self) {
        self.closed.cancel();
        self.rooms().clear();
    }

    /// Returns the token that [`LiveHub::close`] cancels.
    pub(crate) const fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    pub(crate) const fn slots(&self) -> &StreamSlots {
        &self.slots
    }

    /// Returns the position from which a page loaded now needs updates.
    pub(crate) async fn position(&self, workspace: WorkspaceId) -> Result<Option<FeedPosition>, StoreError> {
        self.follow.position(workspace).await
    }

    /// Reads the next changes after a number from the store.
    pub(crate) async fn after(
        &self,
        workspace: WorkspaceId,
        number: i64,
    ) -> Result<Vec<LiveEvent>, StoreError> {
        self.follow.after(workspace, number).await
    }

    /// Starts listening after the change `heard`. Changes that come meanwhile may arrive twice, but are never
    /// lost: listeners read the store first, then skip what they have.
    pub(crate) async fn listen(
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

    /// Distributes changes until the hub is closed.
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

    /// Returns the workspaces with listeners and the number of the last change sent to each; forgets the
    /// others.
    fn listened(&self) -> Vec<(WorkspaceId, i64)> {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| room.told.receiver_count() > 0);
        rooms.iter().map(|(workspace, room)| (*workspace, room.seen)).collect()
    }

    /// Sends each room its new changes. A workspace that cannot be read is retried with the next look and
    /// delays no other.
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
        // Another feed has begun: listeners reconnect and are told to reset.
        drop(self.rooms().remove(&workspace));
        Ok(())
    }

    /// Sends a room everything after `seen`.
    async fn tell(&self, workspace: WorkspaceId, mut seen: i64, last: i64) -> Result<(), StoreError> {
        loop {
            let events = self.follow.after(workspace, seen).await?;
            let end = events.last().map(|event| event.number);
            let mut rooms = self.rooms();
            let Some(room) = rooms.get_mut(&workspace) else { return Ok(()) };
            for event in events {
                // An error means that nobody listens any more: the next look removes the room.
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

/// Look-ups that failed the last time, so that each failure is logged once: a workspace, or `None` for the
/// look-up of changed feeds.
#[derive(Default)]
struct Unread(HashSet<Option<WorkspaceId>>);

impl Unread {
    /// Forgets workspaces that nobody listens to any more.
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

    /// The first workspace's changes cannot be numbered; the second's cannot be read.
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
