//! How many messages of a broadcast may be on their way at once.

use std::sync::atomic::{AtomicUsize, Ordering};

/// So many at first: what the network refuses for all, it mostly refuses from the first on.
const FIRST: usize = 16;
/// So many at most, while nobody sends anything else: few enough that whoever begins to has their turn soon.
const MOST: usize = 64;

/// It allows one more for each that the network took.
#[derive(Default)]
pub(super) struct AtOnce {
    taken: AtomicUsize,
}

impl AtOnce {
    pub(super) fn most(&self) -> usize {
        FIRST.saturating_add(self.taken.load(Ordering::Relaxed)).min(MOST)
    }

    pub(super) fn took_one(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::AtOnce;

    #[test]
    fn it_is_one_more_for_each_that_the_network_took_until_it_is_enough() {
        let at_once = AtOnce::default();
        let mut allowed = vec![at_once.most()];
        for _ in 0..60 {
            at_once.took_one();
            allowed.push(at_once.most());
        }
        let wanted: Vec<usize> = (16..=64).chain([64; 12]).collect();
        assert_eq!(allowed, wanted);
    }
}
