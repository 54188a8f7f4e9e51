//! Limit on a broadcast's sends that are in flight at once.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Sends in flight at first: few, because a refusal that holds for everybody mostly comes with the first
/// sends.
const FIRST: usize = 16;
/// Most sends in flight, while nobody else sends: few enough that an ordinary send that begins gets its turn
/// soon.
const MOST: usize = 64;

/// Number of sends that may be in flight: one more for each message that the network took.
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
