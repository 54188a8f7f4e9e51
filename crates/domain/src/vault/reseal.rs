//! Sealing anew, with the current master key and bound to their places, values that are not.

use std::{collections::BTreeMap, sync::Arc};

use super::ports::{Purpose, SealedValues, WalkStep};
use crate::errors::StoreError;

/// Findings of a walk so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub rows: u64,
    /// Values that another key has sealed or that are not bound, by column; only columns that have any.
    pub others: BTreeMap<&'static str, u64>,
    pub resealed: u64,
    pub unreadable: u64,
}

/// Result of sealing anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resealed {
    pub done: Tally,
    /// Values that another key still seals afterwards, or that are not bound.
    pub left: Tally,
}

impl Resealed {
    /// Returns whether every value that can be opened was sealed anew, none left because somebody held it or
    /// had changed it.
    pub fn is_whole(&self) -> bool {
        self.done.total() == self.done.resealed + self.done.unreadable
    }
}

/// Seals values with the current master key and bound to their places, while the service runs. A value itself
/// shows its key and form, so the work can be stopped at any time and begun again.
pub struct ResealValues {
    pub values: Arc<dyn SealedValues>,
}

impl ResealValues {
    /// Goes through all values, then counts what is left: values that somebody else held, that cannot be
    /// opened, or that a node without the new key sealed meanwhile. Calls `told` after each step. What was
    /// done before a failure stays.
    pub async fn run(&self, mut told: impl FnMut(&Tally)) -> Result<Resealed, StoreError> {
        let done = self.walk(Purpose::Reseal, &mut told).await?;
        let left = self.walk(Purpose::Count, &mut told).await?;
        Ok(Resealed { done, left })
    }

    /// Counts the values that another key has sealed or that are not bound. Calls `told` after each step.
    pub async fn count(&self, mut told: impl FnMut(&Tally)) -> Result<Tally, StoreError> {
        self.walk(Purpose::Count, &mut told).await
    }

    async fn walk(&self, purpose: Purpose, told: &mut impl FnMut(&Tally)) -> Result<Tally, StoreError> {
        let mut walk = self.values.walk(purpose);
        let mut tally = Tally::default();
        while let Some(step) = walk.step().await? {
            tally.add(&step);
            told(&tally);
        }
        Ok(tally)
    }
}

impl Tally {
    fn add(&mut self, step: &WalkStep) {
        self.rows += step.rows;
        self.resealed += step.resealed;
        self.unreadable += step.unreadable;
        if step.others > 0 {
            *self.others.entry(step.column).or_default() += step.others;
        }
    }

    /// Returns the number of values that another key has sealed or that are not bound.
    pub fn total(&self) -> u64 {
        self.others.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use pollster::block_on;

    use super::*;
    use crate::vault::ports::{MockSealedValues, MockWalk};

    fn step(column: &'static str, others: u64, resealed: u64) -> WalkStep {
        WalkStep { column, rows: 500, others, resealed, unreadable: others - resealed }
    }

    /// Returns sealed values whose walks take these steps.
    fn values(walks: &[(Purpose, &[WalkStep])]) -> ResealValues {
        let mut walks: VecDeque<_> = walks
            .iter()
            .map(|(purpose, steps)| (*purpose, steps.iter().copied().collect::<VecDeque<_>>()))
            .collect();
        let mut values = MockSealedValues::new();
        values.expect_walk().returning(move |purpose| {
            let (expected, mut steps) = walks.pop_front().unwrap();
            assert_eq!(purpose, expected);
            let mut walk = MockWalk::new();
            walk.expect_step().returning(move || Ok(steps.pop_front()));
            Box::new(walk)
        });
        ResealValues { values: Arc::new(values) }
    }

    #[test]
    fn what_is_left_is_counted_when_all_was_gone_through() {
        let sealing =
            [step("accounts", 3, 3), step("sends", 500, 500), step("sends", 2, 1), step("journal", 0, 0)];
        let counting = [step("accounts", 0, 0), WalkStep { others: 1, ..step("sends", 0, 0) }];
        let values = values(&[(Purpose::Reseal, &sealing), (Purpose::Count, &counting)]);
        let mut heard = Vec::new();
        let done = block_on(values.run(|tally| heard.push(tally.resealed))).unwrap();
        assert_eq!(heard, [3, 503, 504, 504, 0, 0]);
        assert_eq!((done.done.rows, done.done.resealed, done.done.unreadable), (2_000, 504, 1));
        assert_eq!(done.done.others, BTreeMap::from([("accounts", 3), ("sends", 502)]));
        assert_eq!(done.left.others, BTreeMap::from([("sends", 1)]));
        assert!(done.is_whole(), "what cannot be opened will not be either next time");
        let held = Tally { unreadable: 0, ..done.done.clone() };
        assert!(!Resealed { done: held, ..done }.is_whole());
    }

    #[test]
    fn a_walk_that_fails_says_so() {
        let mut values = MockSealedValues::new();
        values.expect_walk().returning(|_| {
            let mut walk = MockWalk::new();
            walk.expect_step().returning(|| Err(StoreError::Unavailable("gone".to_owned())));
            Box::new(walk)
        });
        let values = ResealValues { values: Arc::new(values) };
        assert!(block_on(values.count(|_| ())).is_err());
    }
}
