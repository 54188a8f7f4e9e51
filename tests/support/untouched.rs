//! Proof that nothing happened.

use std::collections::BTreeMap;

use super::{Rows, World};

/// The database as it was, to compare with.
pub(crate) struct Untouched {
    rows: Rows,
    before: BTreeMap<String, i64>,
}

impl Untouched {
    pub(crate) async fn of(world: &World) -> Self {
        let rows = world.rows().await;
        let before = rows.all_counts().await;
        Self { rows, before }
    }

    /// Asserts that nothing was written or sent since.
    pub(crate) async fn assert_still(&self, world: &World) {
        assert_eq!(self.rows.all_counts().await, self.before);
        assert_eq!(world.simulator.messages().len(), 0);
    }
}
