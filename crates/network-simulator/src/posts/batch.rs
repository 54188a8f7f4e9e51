//! A batch of statuses.

use super::{Pending, Piece};

/// A batch that is being filled.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) items: Vec<(Piece, Pending)>,
    /// Number of batches so far: a late timer sees by it that its batch has left.
    pub(crate) number: u64,
}

impl Batch {
    pub(crate) fn take(&mut self) -> Vec<(Piece, Pending)> {
        self.number += 1;
        std::mem::take(&mut self.items)
    }
}
