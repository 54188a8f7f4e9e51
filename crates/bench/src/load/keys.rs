//! API keys, enough for the rate limit of each.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Uses of a key before the next is taken: a window's limit is 600 (docs/use/rest-api.md, "Limits"), and one
/// may be open from an earlier load.
const USES: u32 = 250;

/// Keys that connections share, each used by one at a time.
#[derive(Debug)]
pub struct Keys {
    keys: Vec<String>,
    next: AtomicUsize,
}

impl Keys {
    /// Shares these keys.
    pub fn new(keys: Vec<String>) -> Arc<Self> {
        Arc::new(Self { keys, next: AtomicUsize::new(0) })
    }

    /// Returns no keys, for routes that need none.
    pub fn none() -> Arc<Self> {
        Self::new(Vec::new())
    }

    /// Takes a first key.
    pub fn take(self: &Arc<Self>) -> Key {
        Key { ring: Arc::clone(self), index: self.step(), uses: 0 }
    }

    fn step(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed) % self.keys.len().max(1)
    }
}

/// A connection's key.
#[derive(Debug)]
pub struct Key {
    ring: Arc<Keys>,
    index: usize,
    uses: u32,
}

impl Key {
    /// Returns the key for one more request.
    pub fn next(&mut self) -> &str {
        self.uses += 1;
        if self.uses > USES {
            self.uses = 1;
            self.index = self.ring.step();
        }
        self.ring.keys.get(self.index).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{Keys, USES};

    #[test]
    fn a_key_is_left_before_its_window_is_full_and_two_connections_never_share_one() {
        let ring = Keys::new(["a", "b", "c"].map(str::to_owned).into());
        let (mut one, mut other) = (ring.take(), ring.take());
        for _ in 0..USES {
            assert_eq!((one.next(), other.next()), ("a", "b"));
        }
        assert_eq!(one.next(), "c");
    }
}
