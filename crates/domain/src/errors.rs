//! What every store may answer besides its result, and what is done about a lost race.

/// A store could not do what was asked. Its text is for the log, never for a client.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The row has moved on since it was read: decide again on fresh state.
    #[error("the state has moved on")]
    Stale,
    /// Whoever makes the change is no member any more: they were removed, or left, while it was under way.
    #[error("whoever makes the change is no member any more")]
    NotMember,
    /// Whoever makes the change is no owner any more, which it takes.
    #[error("whoever makes the change is no owner any more")]
    NotOwner,
    /// The store cannot be reached or has no free connection: the same call may succeed later.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The store refused or holds something it should not: a defect or an operator's mistake.
    #[error("the store failed: {0}")]
    Internal(String),
}

/// An error may tell of a lost race.
pub(crate) trait MayBeStale {
    /// Says whether it is [`StoreError::Stale`].
    fn is_stale(&self) -> bool;
}

impl MayBeStale for StoreError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Stale)
    }
}

/// Decides again on fresh state as long as somebody else was faster: each run of `attempt` reads, decides and commits.
/// After `tries` of them, one at least, the last answer stands, so that a race which is lost every time ends as stale.
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
        // How many races are lost before the other answer; how many tries there may be; how many it takes, the answer.
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
