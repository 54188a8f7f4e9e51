//! Limit on the streams of a session on this node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::ids::SessionId;
use tokio::sync::Notify;

/// Streams that one session may have open at once: more than a person has windows, and few enough that no
/// session exhausts a node.
pub(crate) const MOST_STREAMS: usize = 10;

/// Open streams by session.
#[derive(Clone, Default)]
pub(crate) struct StreamSlots(Arc<Mutex<HashMap<SessionId, Open>>>);

#[derive(Default)]
struct Open {
    streams: usize,
    another: Arc<Notify>,
}

/// Slot of one stream, released on drop.
pub(crate) struct StreamSlot {
    slots: StreamSlots,
    session: SessionId,
    another: Arc<Notify>,
}

impl StreamSlots {
    /// Takes a slot for one more stream; `None` if the session has all of its own. The session's other
    /// streams are notified, so that those without a reader are noticed and end.
    pub(crate) fn take(&self, session: SessionId) -> Option<StreamSlot> {
        let mut all = self.open();
        let open = all.entry(session).or_default();
        open.another.notify_waiters();
        if open.streams == MOST_STREAMS {
            return None;
        }
        open.streams += 1;
        Some(StreamSlot { slots: self.clone(), session, another: Arc::clone(&open.another) })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamSlot {
    /// Waits until the session asks for another stream.
    pub(crate) async fn another_is_wanted(&self) {
        self.another.notified().await;
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut all = self.slots.open();
        let left = all.get_mut(&self.session).map(|open| {
            open.streams = open.streams.saturating_sub(1);
            open.streams
        });
        if left == Some(0) {
            all.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Waker},
    };

    use uuid::Uuid;

    use super::{MOST_STREAMS, StreamSlots};

    #[test]
    fn a_session_has_so_many_slots_and_one_that_is_left_is_free() {
        let slots = StreamSlots::default();
        let (one, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let mut taken: Vec<_> = (0..MOST_STREAMS).map(|_| slots.take(one).unwrap()).collect();
        assert!(slots.take(one).is_none());
        assert!(slots.take(other).is_some(), "of another session");
        taken.pop();
        taken.push(slots.take(one).unwrap());
        assert!(slots.take(one).is_none());
        taken.clear();
        assert!(slots.open().is_empty(), "nothing is remembered of who is gone");
    }

    #[test]
    fn each_stream_that_a_session_wants_tells_its_others() {
        let slots = StreamSlots::default();
        let (one, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let slot = slots.take(one).unwrap();
        let mut told = pin!(slot.another_is_wanted());
        let mut is_told = || told.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(!is_told());
        let _of_another = slots.take(other).unwrap();
        assert!(!is_told(), "another session's");
        let _second = slots.take(one).unwrap();
        assert!(is_told());
    }
}
