//! How many streams a session has open on this node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::ids::SessionId;

/// Streams that one session may have open at once: more than a person has windows, and few enough that nobody ties up
/// a node with one session.
pub(super) const MOST_STREAMS: usize = 10;

/// The streams that are open, by their sessions.
#[derive(Clone, Default)]
pub(super) struct Seats(Arc<Mutex<HashMap<SessionId, usize>>>);

/// One stream's place, which is free again when this is dropped.
pub(super) struct Seat {
    seats: Seats,
    session: SessionId,
}

impl Seats {
    /// A place for one more stream of the session; `None` when it has as many as it may.
    pub(super) fn take(&self, session: SessionId) -> Option<Seat> {
        let mut open = self.open();
        let streams = open.entry(session).or_default();
        if *streams == MOST_STREAMS {
            return None;
        }
        *streams += 1;
        Some(Seat { seats: self.clone(), session })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.seats.open();
        let left = open.get_mut(&self.session).map(|streams| {
            *streams = streams.saturating_sub(1);
            *streams
        });
        if left == Some(0) {
            open.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{MOST_STREAMS, Seats};

    #[test]
    fn a_session_has_so_many_places_and_one_that_is_left_is_free() {
        let seats = Seats::default();
        let (one, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let mut taken: Vec<_> = (0..MOST_STREAMS).map(|_| seats.take(one).unwrap()).collect();
        assert!(seats.take(one).is_none());
        assert!(seats.take(other).is_some(), "of another session");
        taken.pop();
        taken.push(seats.take(one).unwrap());
        assert!(seats.take(one).is_none());
        taken.clear();
        assert!(seats.open().is_empty(), "nothing is remembered of who is gone");
    }
}
