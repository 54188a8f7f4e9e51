//! Leases: how long a claim on work lasts, and how it is renewed.

use std::time::Duration;

use futures_util::future::{BoxFuture, Either, select};
use time::OffsetDateTime;

use crate::{clock::Clock, errors::StoreError};

/// Length of a lease on work that a customer waits for, unless it is [renewed](kept): short, since what a
/// dead process has left is taken up again no sooner.
pub const LEASE: Duration = Duration::from_secs(10);
/// Interval between renewals: two may fail before the lease ends.
const RENEWED_EVERY: Duration = Duration::from_secs(3);
const _: () = assert!(LEASE.as_secs() >= 3 * RENEWED_EVERY.as_secs());

/// Does `work`, and meanwhile renews its lease with `renew`, which is given the new end of the lease. Once
/// `renew` answers that the lease is another's, it is not called again: the work runs to its end, and its
/// writes are fenced. If the store fails, the next renewal is tried all the same.
pub async fn kept<'a, T>(
    clock: &dyn Clock,
    renew: impl Fn(OffsetDateTime) -> BoxFuture<'a, Result<bool, StoreError>>,
    mut work: BoxFuture<'a, T>,
) -> T {
    loop {
        match select(clock.sleep(RENEWED_EVERY), work).await {
            Either::Left(((), unfinished)) => work = unfinished,
            Either::Right((done, _)) => return done,
        }
        match select(renew(clock.now() + LEASE), work).await {
            Either::Left((Ok(false), unfinished)) => return unfinished.await,
            Either::Left((_, unfinished)) => work = unfinished,
            Either::Right((done, _)) => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::ready, sync::Mutex};

    use futures_util::FutureExt as _;
    use pollster::FutureExt as _;

    use super::*;
    use crate::testing::{ManualClock, a_moment};

    /// Returns when `renew` was called during work of `seconds`, and the end that it was given each time;
    /// `answer` is given the number of the call.
    fn renewals(
        seconds: u32,
        answer: impl Fn(usize) -> Result<bool, StoreError>,
    ) -> Vec<(OffsetDateTime, OffsetDateTime)> {
        let clock = ManualClock::at(a_moment());
        let asked = Mutex::new(Vec::new());
        let renew = |until| {
            let mut asked = asked.lock().unwrap();
            asked.push((clock.now(), until));
            ready(answer(asked.len())).boxed()
        };
        let work = async {
            clock.pass(seconds).await;
            7
        };
        assert_eq!(kept(&clock, renew, work.boxed()).block_on(), 7);
        asked.into_inner().unwrap()
    }

    fn down() -> StoreError {
        StoreError::Unavailable("down".to_owned())
    }

    #[test]
    fn what_is_done_before_the_first_renewal_renews_nothing() {
        assert_eq!(renewals(2, |_| Ok(true)), []);
    }

    #[test]
    fn work_that_takes_long_is_kept_for_a_whole_lease_each_time() {
        let at = |second: u64| a_moment() + Duration::from_secs(second);
        let kept = [3, 6, 9].map(|second| (at(second), at(second) + LEASE));
        assert_eq!(renewals(11, |_| Ok(true)), kept);
        assert_eq!(renewals(11, |_| Err(down())), kept, "a store that fails is asked again");
    }

    #[test]
    fn what_is_another_s_is_kept_no_more_and_done_all_the_same() {
        assert_eq!(renewals(60, |time| Ok(time < 2)).len(), 2);
    }
}
