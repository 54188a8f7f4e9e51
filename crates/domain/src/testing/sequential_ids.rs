//! Ids that a test can foretell.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::ids::IdSource;

/// Source of the ids 1, 2, 3 …, each in the form of a `UUIDv7`.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl IdSource for SequentialIds {
    fn next(&self) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Uuid::from_u64_pair(0x0192_0000_0000_7000, 0x8000_0000_0000_0000 | number)
    }
}
