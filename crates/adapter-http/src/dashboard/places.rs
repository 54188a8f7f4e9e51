//! So many places for each member, workspace or whatever else there is of many, in this process.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Each `K` has so many places.
pub(crate) struct Places<K> {
    most: usize,
    taken: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
}

/// One of the places of a `K`, or the wait for one.
pub(crate) struct Place<K: Copy + Eq + Hash> {
    taken: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
    of: K,
    semaphore: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl<K: Copy + Eq + Hash> Places<K> {
    pub(crate) fn of(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// Waits for a place, behind those that have waited longer.
    pub(crate) async fn take(&self, of: K) -> Place<K> {
        let semaphore =
            Arc::clone(opened(&self.taken).entry(of).or_insert_with(|| Arc::new(Semaphore::new(self.most))));
        let mut place = Place { taken: Arc::clone(&self.taken), of, semaphore, permit: None };
        // Nobody closes it.
        place.permit = Arc::clone(&place.semaphore).acquire_owned().await.ok();
        place
    }

    /// Whether nobody has one or waits for one.
    #[cfg(test)]
    pub(crate) fn are_free(&self) -> bool {
        opened(&self.taken).is_empty()
    }
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        self.permit.take();
        let mut taken = opened(&self.taken);
        // The map has one, and this is the other: nobody else has a place or waits for one.
        if Arc::strong_count(&self.semaphore) == 2 {
            taken.remove(&self.of);
        }
    }
}

fn opened<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
