//! Rate limits of our own, kept below those of the network.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::retry::{Pacing, SystemPacing};

/// Number of names remembered before those that are free again are forgotten.
const FEW: usize = 1024;

/// Rate limit with bursts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Average time between two calls.
    pub interval: Duration,
    /// Calls possible at once after a pause; at least 1.
    pub burst: u32,
}

impl Rate {
    /// Makes a rate of `count` calls a second, all of which may come at once.
    pub fn per_second(count: u32) -> Self {
        let count = count.max(1);
        Self { interval: Duration::from_secs(1) / count, burst: count }
    }
}

/// The next turn is further off than the patience; no turn was taken and the network was not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("held back by our own pace")]
pub struct HeldBack {
    /// Time until the turn.
    pub wait: Duration,
}

/// Rate limiter by name, in this process. A call waits for its turn for at most `patience`.
#[derive(Clone)]
pub struct Pace {
    patience: Duration,
    started: Instant,
    turns: Arc<Mutex<Turns>>,
    pacing: Arc<dyn Pacing>,
}

impl Pace {
    /// Makes a limiter that waits in real time.
    pub fn new(patience: Duration) -> Self {
        Self { patience, started: Instant::now(), turns: Arc::default(), pacing: Arc::new(SystemPacing) }
    }

    /// Waits for turns that nobody else needs right now, and takes them: one half of each name's burst is
    /// left to [`Pace::turn`], and no turn is booked ahead, so callers there never wait behind callers here.
    ///
    /// # Errors
    /// [`HeldBack`] when no such turn came within the patience.
    pub async fn spare_turn(&self, names: &[(&str, Rate)]) -> Result<(), HeldBack> {
        let began = self.started.elapsed();
        loop {
            let now = self.started.elapsed();
            let taken = {
                let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
                turns.take_spare(names, now)
            };
            match taken {
                Ok(()) => return Ok(()),
                Err(wait) if now.saturating_sub(began) + wait > self.patience => {
                    return Err(HeldBack { wait });
                }
                Err(wait) => self.pacing.pause(wait).await,
            }
        }
    }

    /// Takes a turn of every one of these names and waits until it has come.
    ///
    /// # Errors
    /// [`HeldBack`] when a turn is further off than the patience.
    pub async fn turn(&self, names: &[(&str, Rate)]) -> Result<(), HeldBack> {
        let taken = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.take(names, self.started.elapsed(), self.patience)
        };
        match taken {
            Ok(wait) if wait.is_zero() => Ok(()),
            Ok(wait) => {
                self.pacing.pause(wait).await;
                Ok(())
            }
            Err(wait) => Err(HeldBack { wait }),
        }
    }
}

impl fmt::Debug for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace").field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// For each name, the time since the start at which all its turns are made up for.
#[derive(Default)]
struct Turns {
    even: HashMap<String, Duration>,
    /// Number of names above which free ones are forgotten; at least [`FEW`].
    many: usize,
}

impl Turns {
    /// Takes turns and returns how long to wait for all of them; an error with that time if it is too long.
    fn take(
        &mut self,
        names: &[(&str, Rate)],
        now: Duration,
        patience: Duration,
    ) -> Result<Duration, Duration> {
        let wait = names.iter().map(|(name, rate)| self.wait(name, *rate, now)).max().unwrap_or_default();
        if wait > patience {
            return Err(wait);
        }
        self.taken(names, now);
        Ok(wait)
    }

    /// Takes turns that leave half of each burst; an error with the time until there are any.
    fn take_spare(&mut self, names: &[(&str, Rate)], now: Duration) -> Result<(), Duration> {
        let spare = |rate: Rate| Rate { burst: rate.burst.div_ceil(2), ..rate };
        let wait = names.iter().map(|(name, rate)| self.wait(name, spare(*rate), now)).max();
        match wait.unwrap_or_default() {
            Duration::ZERO => {
                self.taken(names, now);
                Ok(())
            }
            wait => Err(wait),
        }
    }

    fn taken(&mut self, names: &[(&str, Rate)], now: Duration) {
        for (name, rate) in names {
            let even = self.even.entry((*name).to_owned()).or_default();
            *even = (*even).max(now) + rate.interval;
        }
        if self.even.len() > self.many.max(FEW) {
            self.even.retain(|_, even| *even > now);
            self.many = self.even.len() * 2;
        }
    }

    fn wait(&self, name: &str, rate: Rate, now: Duration) -> Duration {
        let behind = self.even.get(name).copied().unwrap_or_default().saturating_sub(now);
        behind.saturating_sub(rate.interval * rate.burst.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    /// One in 6 seconds, three at once.
    const PAIR: Rate = Rate { interval: Duration::from_secs(6), burst: 3 };

    fn take(turns: &mut Turns, now: u64) -> Result<Duration, Duration> {
        turns.take(&[("a", PAIR)], S(now), S(2))
    }

    #[test]
    fn a_burst_goes_at_once_and_is_made_up_for() {
        let mut turns = Turns::default();
        for _ in 0..3 {
            assert_eq!(take(&mut turns, 10), Ok(S(0)));
        }
        assert_eq!(take(&mut turns, 10), Err(S(6)), "too far off");
        assert_eq!(take(&mut turns, 14), Ok(S(2)), "near enough to wait");
        assert_eq!(take(&mut turns, 21), Err(S(1) + S(0)).or(Ok(S(1))));
        assert_eq!(turns.take(&[("b", PAIR)], S(21), S(2)), Ok(S(0)), "others are not affected");
        for _ in 0..3 {
            assert_eq!(take(&mut turns, 1000), Ok(S(0)), "after a pause a burst again");
        }
    }

    #[test]
    fn who_is_turned_away_takes_no_turn_of_anybody() {
        let mut turns = Turns::default();
        let both = [("number", Rate::per_second(1)), ("pair", PAIR)];
        for second in 0..3 {
            assert_eq!(turns.take(&both, S(second), S(0)), Ok(S(0)));
        }
        assert!(turns.take(&both, S(3), S(2)).is_err(), "the pair has none left");
        assert_eq!(turns.take(&both[..1], S(3), S(0)), Ok(S(0)), "the number has");
    }

    #[test]
    fn names_that_are_free_again_are_forgotten() {
        let mut turns = Turns::default();
        for name in 0..20_000_u64 {
            let name_text = name.to_string();
            assert!(turns.take(&[(&name_text, PAIR)], S(name * 10), S(0)).is_ok());
        }
        assert!(turns.even.len() <= FEW + 1);
    }

    #[test]
    fn whoever_takes_what_is_spare_never_has_others_wait() {
        let (mut turns, number) = (Turns::default(), [("number", Rate::per_second(80))]);
        let interval = number[0].1.interval;
        let mut spare = 0;
        while turns.take_spare(&number, S(1)).is_ok() {
            spare += 1;
        }
        assert_eq!(spare, 40, "half of a second's turns");
        for _ in 0..40 {
            assert_eq!(turns.take(&number, S(1), S(0)), Ok(S(0)), "the other half goes at once");
        }
        // All is used up: others book their turn ahead, and a spare turn comes only after theirs.
        assert_eq!(turns.take(&number, S(1), S(2)), Ok(interval));
        assert_eq!(turns.take_spare(&number, S(1)), Err(interval * 42));
        assert_eq!(turns.take(&number, S(1), S(2)), Ok(interval * 2), "who was turned away has taken none");
    }

    #[test]
    fn alone_what_is_spare_goes_at_the_whole_rate() {
        let (mut turns, number) = (Turns::default(), [("number", Rate::per_second(80))]);
        let taken =
            (0..10_000_u64).filter(|ms| turns.take_spare(&number, Duration::from_millis(*ms)).is_ok());
        let taken = taken.count();
        assert!((800..=840).contains(&taken), "{taken} in ten seconds");
        let once = [("once", Rate { interval: S(1), burst: 1 })];
        assert_eq!(turns.take_spare(&once, S(20)), Ok(()));
        assert_eq!(turns.take(&once, S(20), S(2)), Ok(S(1)), "one turn at most stands before others");
    }

    #[test]
    fn what_is_spare_goes_at_the_slower_of_two_rates_and_leaves_others_the_rest() {
        let mut turns = Turns::default();
        let both = [("number", Rate::per_second(80)), ("broadcasts", Rate::per_second(40))];
        let (mut spare, mut others) = (0, 0);
        for ms in 0..10_000_u64 {
            let now = Duration::from_millis(ms);
            spare += u32::from(turns.take_spare(&both, now).is_ok());
            // One every 25 milliseconds.
            others += u32::from(ms.is_multiple_of(25) && turns.take(&both[..1], now, S(0)).is_ok());
        }
        assert!((400..=420).contains(&spare), "{spare} in ten seconds");
        assert_eq!(others, 400, "nobody waits");
    }

    #[tokio::test]
    async fn a_spare_turn_that_does_not_come_is_not_taken_and_says_when() {
        let pace = Pace::new(S(0));
        let hourly = Rate { interval: S(3600), burst: 1 };
        assert_eq!(pace.spare_turn(&[("a", hourly)]).await, Ok(()));
        let refused = pace.spare_turn(&[("a", hourly)]).await;
        assert!(matches!(refused, Err(HeldBack { wait }) if wait > S(3500)), "{refused:?}");
    }

    #[tokio::test]
    async fn a_turn_that_is_too_far_off_is_not_taken_and_says_when() {
        let pace = Pace::new(S(0));
        let hourly = Rate { interval: S(3600), burst: 1 };
        assert_eq!(pace.turn(&[("a", hourly)]).await, Ok(()));
        let refused = pace.turn(&[("a", hourly)]).await;
        assert!(matches!(refused, Err(HeldBack { wait }) if wait > S(3500)), "{refused:?}");
    }
}
