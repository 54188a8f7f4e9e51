//! Limits on what runs at once for each member or workspace in this process.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots of each `K`, `most` of them.
pub(crate) struct Slots<K> {
    most: usize,
    taken: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
}

/// Slot of a `K`, or a wait for one; released on drop.
pub(crate) struct Slot<K: Copy + Eq + Hash> {
    taken: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
    of: K,
    semaphore: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl<K: Copy + Eq + Hash> Slots<K> {
    pub(crate) fn of(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// Waits for a slot, in order of arrival.
    pub(crate) async fn take(&self, of: K) -> Slot<K> {
        let mut slot = self.wanted(of);
        // The semaphore is never closed.
        slot.permit = Arc::clone(&slot.semaphore).acquire_owned().await.ok();
        slot
    }

    /// Takes a slot; `None` if all of `of`'s are taken.
    pub(crate) fn try_take(&self, of: K) -> Option<Slot<K>> {
        let mut slot = self.wanted(of);
        slot.permit = Arc::clone(&slot.semaphore).try_acquire_owned().ok();
        slot.permit.is_some().then_some(slot)
    }

    fn wanted(&self, of: K) -> Slot<K> {
        let semaphore =
            Arc::clone(opened(&self.taken).entry(of).or_insert_with(|| Arc::new(Semaphore::new(self.most))));
        Slot { taken: Arc::clone(&self.taken), of, semaphore, permit: None }
    }

    /// Returns whether nobody has a slot or waits for one.
    #[cfg(test)]
    pub(crate) fn are_free(&self) -> bool {
        opened(&self.taken).is_empty()
    }
}

impl<K: Copy + Eq + Hash> Drop for Slot<K> {
    fn drop(&mut self) {
        self.permit.take();
        let mut taken = opened(&self.taken);
        // One reference is the map's, the other this one's: nobody else has a slot or waits for one.
        if Arc::strong_count(&self.semaphore) == 2 {
            taken.remove(&self.of);
        }
    }
}

fn opened<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
