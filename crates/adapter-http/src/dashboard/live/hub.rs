//! Looking for changes once for all who listen on this node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    live::{FeedPosition, FollowFeed, LiveEvent, Start},
};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::seats::Seats;

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
    seats: Seats,
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
            seats: Seats::default(),
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

    /// The places of the sessions' streams.
    pub(super) const fn seats(&self) -> &Seats {
        &self.seats
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
        while !self.closed.is_cancelled() {
            self.closed.run_until_cancelled(self.clock.sleep(LOOK_EVERY)).await;
            let seen = self.listened();
            if seen.is_empty() {
                continue;
            }
            if let Err(error) = self.look(&seen).await {
                tracing::warn!(%error, "changes could not be looked for; browsers hear of them later");
            }
        }
    }

    /// The workspaces that somebody listens to, with what they were last told.
    fn listened(&self) -> Vec<(WorkspaceId, i64)> {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| room.told.receiver_count() > 0);
        rooms.iter().map(|(workspace, room)| (*workspace, room.seen)).collect()
    }

    async fn look(&self, seen: &[(WorkspaceId, i64)]) -> Result<(), StoreError> {
        for (workspace, feed) in self.follow.news(seen).await? {
            let seen = match (self.rooms().get(&workspace), feed) {
                (None, _) => continue,
                (Some(room), Some(feed)) if room.epoch == feed.epoch => Some((room.seen, feed.last)),
                _ => None,
            };
            match seen {
                Some((seen, last)) => self.tell(workspace, seen, last).await?,
                // Another feed has begun: whoever listens comes back and is told so.
                None => drop(self.rooms().remove(&workspace)),
            }
        }
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
