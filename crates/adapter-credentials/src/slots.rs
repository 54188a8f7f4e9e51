//! Slots for a scarce resource: every subscriber has a share, so that a crowd behind one address delays
//! nobody else, and known subscribers have slots that no crowd takes.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::access::sessions::{Subscriber, ports::PasswordsBusy};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Most requests of one subscriber, waiting or at work.
pub(crate) const PLACES_OF_ONE: usize = 8;

/// Most subscribers in a lane.
const SUBSCRIBERS: usize = 256;

/// Slots for a scarce resource: a lane for all, and half as many again for known subscribers.
pub(crate) struct Slots {
    all: Lane,
    known: Lane,
}

/// A lane of slots. One subscriber has at most half of them at once, and is in line with no more than that: a
/// newcomer waits for as many slots as there are others, however many each of them requests.
struct Lane {
    all: Semaphore,
    share: usize,
    lines: Mutex<HashMap<Subscriber, Line>>,
}

/// Slots of one subscriber.
struct Line {
    share: Arc<Semaphore>,
    waiting: usize,
}

/// A slot; freed when dropped.
pub(crate) struct Slot<'a> {
    _of_all: SemaphorePermit<'a>,
    _of_share: OwnedSemaphorePermit,
    _in_line: InLine<'a>,
}

/// A place in a subscriber's line; given back when dropped.
struct InLine<'a> {
    lane: &'a Lane,
    of: Subscriber,
}

impl Slots {
    pub(crate) fn new(at_once: NonZeroUsize) -> Self {
        let at_once = at_once.get();
        Self { all: Lane::new(at_once), known: Lane::new((at_once / 2).max(1)) }
    }

    pub(crate) async fn take(&self, of: Subscriber) -> Result<Slot<'_>, PasswordsBusy> {
        if of.is_known() { self.known.take(of).await } else { self.all.take(of).await }
    }
}

impl Lane {
    fn new(at_once: usize) -> Self {
        Self { all: Semaphore::new(at_once), share: (at_once / 2).max(1), lines: Mutex::default() }
    }

    async fn take(&self, of: Subscriber) -> Result<Slot<'_>, PasswordsBusy> {
        let (in_line, share) = self.place(of)?;
        let of_share = share.acquire_owned().await.map_err(|_| PasswordsBusy)?;
        let of_all = self.all.acquire().await.map_err(|_| PasswordsBusy)?;
        Ok(Slot { _of_all: of_all, _of_share: of_share, _in_line: in_line })
    }

    fn place(&self, of: Subscriber) -> Result<(InLine<'_>, Arc<Semaphore>), PasswordsBusy> {
        let mut lines = self.lines();
        let full = lines.len() >= SUBSCRIBERS && !lines.contains_key(&of);
        let new = || Line { share: Arc::new(Semaphore::new(self.share)), waiting: 0 };
        if full {
            return Err(PasswordsBusy);
        }
        let line = lines.entry(of).or_insert_with(new);
        if line.waiting >= PLACES_OF_ONE {
            return Err(PasswordsBusy);
        }
        line.waiting += 1;
        Ok((InLine { lane: self, of }, Arc::clone(&line.share)))
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<Subscriber, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        let mut lines = self.lane.lines();
        if let Some(line) = lines.get_mut(&self.of) {
            line.waiting = line.waiting.saturating_sub(1);
            if line.waiting == 0 {
                lines.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};

    use futures_util::FutureExt;

    use super::*;

    fn at(last: u8) -> Subscriber {
        Subscriber::of(Some([192, 0, 2, last].into()))
    }

    fn is_waiting<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
        future.now_or_never().is_none()
    }

    #[tokio::test]
    async fn one_subscriber_has_half_of_the_turns_and_a_short_line() {
        let slots = Slots::new(NonZeroUsize::new(4).unwrap());
        let mut had = vec![slots.take(at(1)).await.unwrap(), slots.take(at(1)).await.unwrap()];
        let mut waiting: Vec<_> = (2..PLACES_OF_ONE).map(|_| Box::pin(slots.take(at(1)))).collect();
        for one in &mut waiting {
            assert!(is_waiting(one.as_mut()));
        }
        assert!(matches!(slots.take(at(1)).await, Err(PasswordsBusy)));
        had.push(slots.take(at(2)).await.unwrap());
        had.push(slots.take(at(3)).await.unwrap());
        assert_eq!(slots.all.all.available_permits(), 0);
    }

    #[tokio::test]
    async fn whoever_comes_waits_for_one_turn_of_each_other_subscriber_and_no_more() {
        let slots = Slots::new(NonZeroUsize::MIN);
        let first = slots.take(at(1)).await.unwrap();
        let (mut second, mut third) = (pin!(slots.take(at(1))), pin!(slots.take(at(1))));
        let mut other = pin!(slots.take(at(2)));
        assert!(is_waiting(second.as_mut()) && is_waiting(third.as_mut()));
        assert!(is_waiting(other.as_mut()));
        drop(first);
        assert!(is_waiting(second.as_mut()), "behind the one who waited for all slots before");
        drop(other.await.unwrap());
        drop(second.await.unwrap());
        drop(third.await.unwrap());
        assert!(slots.all.lines().is_empty());
    }

    #[tokio::test]
    async fn only_so_many_subscribers_wait_and_who_gives_up_makes_room() {
        let slots = Slots::new(NonZeroUsize::MIN);
        let _held = slots.take(Subscriber::of(None)).await.unwrap();
        let address =
            |number: usize| Subscriber::of(Some(u32::try_from(number).unwrap().to_be_bytes().into()));
        let mut waiting: Vec<_> = (1..SUBSCRIBERS).map(|n| Box::pin(slots.take(address(n)))).collect();
        for one in &mut waiting {
            assert!(is_waiting(one.as_mut()));
        }
        assert!(matches!(slots.take(address(SUBSCRIBERS)).await, Err(PasswordsBusy)));
        drop(waiting.pop());
        assert!(is_waiting(pin!(slots.take(address(SUBSCRIBERS)))));
    }

    #[tokio::test]
    async fn a_crowd_that_fills_every_line_takes_nothing_from_who_is_known() {
        let slots = Slots::new(NonZeroUsize::MIN);
        let _held = slots.take(Subscriber::of(None)).await.unwrap();
        let known = |number: u8| Subscriber::known(domain::testing::a_member(number).id.uuid());
        let first = slots.take(known(1)).await.unwrap();
        let mut second = pin!(slots.take(known(2)));
        assert!(is_waiting(second.as_mut()), "one at once");
        drop(first);
        drop(second.await.unwrap());
    }
}
