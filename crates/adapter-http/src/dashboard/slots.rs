//! So many slots for each member, workspace or whatever else there is of many, in this process.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Each `K` has so many slots.
pub(crate) struct Slots<K> {
    most: usize,
    taken: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
}

/// One of the slots of a `K`, or the wait for one; it is free again when this is dropped.
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

    /// Waits for a slot, behind those that have waited longer.
    pub(crate) async fn take(&self, of: K) -> Slot<K> {
        let mut slot = self.wanted(of);
        // Nobody closes it.
        slot.permit = Arc::clone(&slot.semaphore).acquire_owned().await.ok();
        slot
    }

    /// A slot, unless `of` has as many as it may.
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

    /// Whether nobody has one or waits for one.
    #[cfg(test)]
    pub(crate) fn are_free(&self) -> bool {
        opened(&self.taken).is_empty()
    }
}

impl<K: Copy + Eq + Hash> Drop for Slot<K> {
    fn drop(&mut self) {
        self.permit.take();
        let mut taken = opened(&self.taken);
        // The map has one, and this is the other: nobody else has a slot or waits for one.
        if Arc::strong_count(&self.semaphore) == 2 {
            taken.remove(&self.of);
        }
    }
}

fn opened<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
