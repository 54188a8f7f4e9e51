//! Errors of the stores, and the retry after a lost race.

/// Failure of a store. Its text is for the log, never for a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The row has changed since it was read: decide again on fresh state.
    #[error("the state has moved on")]
    Stale,
    /// The acting member was removed, or left, while the change was under way.
    #[error("whoever makes the change is no member any more")]
    NotMember,
    /// The acting member is no longer an owner, as the change requires.
    #[error("whoever makes the change is no owner any more")]
    NotOwner,
    /// The store is unreachable or has no free connection: the same call may succeed later.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The store refused, or holds something it should not: a defect or an operator's mistake.
    #[error("the store failed: {0}")]
    Internal(String),
}

/// Error that may report a lost race.
pub(crate) trait MayBeStale {
    /// Returns whether the error is [`StoreError::Stale`].
    fn is_stale(&self) -> bool;
}

impl MayBeStale for StoreError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Stale)
    }
}

/// Runs `attempt`, which reads, decides and commits, until it answers anything but stale, and at most `tries`
/// times, once at least. The last answer stands, so a race that is lost every time ends as stale.
pub(crate) async fn retry_stale<T, E: MayBeStale, F: Future<Output = Result<T, E>>>(
    tries: usize,
    mut attempt: impl FnMut() -> F,
) -> Result<T, E> {
    for _ in 1..tries {
        match attempt().await {
            Err(error) if error.is_stale() => {}
            settled => return settled,
        }
    }
    attempt().await
}

#[cfg(test)]
mod tests {
    use pollster::FutureExt;

    use super::{StoreError, retry_stale};

    #[test]
    fn a_lost_race_and_nothing_else_is_decided_again_up_to_a_number() {
        let away = || StoreError::Unavailable("no connection".to_owned());
        // Races lost before the other answer, tries allowed, attempts expected, answer expected.
        for (lost, tries, wanted, answer) in [
            (0, 1, 1, "Ok(1)"),
            (0, 8, 1, "Ok(1)"),
            (3, 8, 4, "Ok(4)"),
            (7, 8, 8, "Ok(8)"),
            (8, 8, 8, "Err(Stale)"),
            (100, 8, 8, "Err(Stale)"),
            (1, 1, 1, "Err(Stale)"),
            (1, 0, 1, "Err(Stale)"),
        ] {
            let mut taken = 0;
            let answered = retry_stale(tries, || {
                taken += 1;
                let this = taken;
                async move { if this > lost { Ok(this) } else { Err(StoreError::Stale) } }
            });
            assert_eq!(format!("{:?}", answered.block_on()), answer, "{lost} {tries}");
            assert_eq!(taken, wanted, "{lost} {tries}");
        }
        for lost in 0..3 {
            let mut taken = 0;
            let answered: Result<(), _> = retry_stale(8, || {
                taken += 1;
                let error = if taken > lost { away() } else { StoreError::Stale };
                async { Err(error) }
            })
            .block_on();
            assert!(matches!(answered, Err(StoreError::Unavailable(_))), "{lost}");
            assert_eq!(taken, lost + 1, "an error of another kind is answered at once");
        }
    }
}
