//! Limits of one address: its attempts under way, and its deliveries in hand.
//!
//! An address starts with two attempts under way, and gets more when deliveries have to wait for their turn:
//! each is a connection, and an address that answers at once needs few. Only answers widen it, since behind
//! silence everything waits. Silence narrows it again, so that an address that hangs never has many attempts
//! waiting for it. Each answer that breaks off or floods halves its width, and that attempt's place rests:
//! being flooded costs time, and an address that answers nothing at once would be tried as often as this
//! machine can. The rests of an address double while what follows them breaks as well. An address that
//! answers fast may also have more deliveries waiting, which makes claims large.

use std::{collections::VecDeque, time::Duration};

use domain::{ids::DeliveryId, webhooks::ports::DueDelivery};
use time::OffsetDateTime;

/// First width: attempts that an address may have under way.
pub(super) const FIRST: usize = 2;
/// Width to which silence narrows a wider address, and first number of deliveries that one may have in hand.
pub(super) const NARROW: usize = 16;
/// Largest number of attempts that an address may have under way.
const WIDE: usize = 64;
/// Largest number of deliveries that an address may have in hand.
const DEEP: usize = 512;
/// Wait for a turn from which on a delivery would have been better made beside the others.
const LATE: Duration = Duration::from_millis(20);
/// Time within which deliveries that run out show that there was room for more.
const SOON: Duration = Duration::from_millis(500);
/// Shortest rest of an attempt's place after its answer broke off or went beyond its bounds. On average it is
/// twice as long.
const REST: Duration = Duration::from_millis(250);
/// Most times that the rests of an address double: to 4 s at least, and 12 s at most.
const DOUBLINGS: u32 = 4;

/// A delivery that waits for its turn.
pub(super) struct Waiting {
    pub(super) delivery: DueDelivery,
    /// Latest start of its attempt.
    pub(super) start_by: OffsetDateTime,
    pub(super) claimed_at: OffsetDateTime,
}

/// Speed and completeness of an attempt's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// A whole answer before the attempt was slow.
    Fast,
    /// No whole answer, and an end before the attempt was slow.
    Broken,
    /// A whole answer, but slow.
    Slow,
    /// No whole answer from a slow attempt.
    Silent,
}

impl Pace {
    /// Returns whether the attempt still had its slot when it ended.
    pub(super) fn has_slot(self) -> bool {
        matches!(self, Self::Fast | Self::Broken)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Responsiveness {
    Unknown,
    Answers,
    Silent,
}

pub(super) struct AddressLimiter {
    responsiveness: Responsiveness,
    width: usize,
    depth: usize,
    waiting: VecDeque<Waiting>,
    running: usize,
    slow: usize,
    /// Places of attempts that broke, which rest.
    resting: usize,
    /// Times that its rests have doubled since its last whole answer.
    doublings: u32,
    /// Whether a rest has ended since they last doubled: what broke at once counts once.
    has_rested: bool,
    ended: usize,
    /// Whether more was due than there was room for.
    pub(super) more: bool,
    /// Whether the address stands in line for a slot.
    pub(super) in_line: bool,
}

impl AddressLimiter {
    pub(super) fn new() -> Self {
        Self {
            responsiveness: Responsiveness::Unknown,
            width: FIRST,
            depth: NARROW,
            waiting: VecDeque::new(),
            running: 0,
            slow: 0,
            resting: 0,
            doublings: 0,
            has_rested: false,
            ended: 0,
            more: false,
            in_line: false,
        }
    }

    /// Returns the number of deliveries between their claim and their record.
    pub(super) fn in_hand(&self) -> usize {
        self.waiting.len() + self.running + self.slow + self.ended
    }

    /// Returns whether the address has a slot or can use one.
    pub(super) fn is_busy(&self) -> bool {
        self.running > 0 || self.may_start()
    }

    /// Changes the address, and with it the number of busy addresses.
    pub(super) fn change<T>(&mut self, busy: &mut usize, change: impl FnOnce(&mut Self) -> T) -> T {
        let was_busy = self.is_busy();
        let came = change(self);
        *busy = *busy + usize::from(self.is_busy()) - usize::from(was_busy);
        came
    }

    /// Returns the number of attempts that have a slot.
    pub(super) fn running(&self) -> usize {
        self.running
    }

    /// Returns how many more deliveries may be in hand.
    pub(super) fn room(&self) -> usize {
        self.depth.max(self.width).saturating_sub(self.in_hand())
    }

    /// Returns whether another attempt is likely to stall. The first of an unknown address is not.
    pub(super) fn stalls(&self) -> bool {
        match self.responsiveness {
            Responsiveness::Answers => self.slow > 0,
            Responsiveness::Unknown => self.running + self.slow > 0,
            Responsiveness::Silent => true,
        }
    }

    /// Returns whether a claim is worthwhile: with room for half of the limit, or for anything if the address
    /// is idle.
    pub(super) fn wants(&self) -> bool {
        let worth =
            if self.waiting.is_empty() && self.running == 0 { 1 } else { self.depth.max(self.width) / 2 };
        self.more && self.room() >= worth
    }

    pub(super) fn wait(&mut self, waiting: Waiting) {
        self.waiting.push_back(waiting);
    }

    /// Counts a delivery as over that was never under way.
    pub(super) fn skip(&mut self) {
        self.ended += 1;
    }

    pub(super) fn may_start(&self) -> bool {
        !self.waiting.is_empty() && self.running + self.slow + self.resting < self.width
    }

    /// Returns whether the address must be remembered.
    pub(super) fn is_kept(&self) -> bool {
        self.in_hand() > 0 || self.more || self.resting > 0
    }

    /// Frees a place that has rested.
    pub(super) fn end_rest(&mut self) {
        self.resting = self.resting.saturating_sub(1);
        self.has_rested = true;
    }

    /// Returns the rest of the place of this delivery's attempt. Each has another, so that the attempts at
    /// many addresses that broke at one moment do not come at one moment again.
    pub(super) fn rest_of(&self, delivery: DeliveryId) -> Duration {
        let [.., last] = delivery.uuid().into_bytes();
        (REST + 2 * REST * u32::from(last) / 255) * 2_u32.pow(self.doublings)
    }

    /// Starts the next delivery that is still in time; passes those that are too late to `late`.
    pub(super) fn start(
        &mut self,
        now: OffsetDateTime,
        late: impl FnMut(DueDelivery),
    ) -> Option<DueDelivery> {
        self.expire(now, late);
        let next = self.waiting.pop_front()?;
        let waited = now - next.claimed_at;
        if waited > LATE && self.responsiveness == Responsiveness::Answers {
            self.width = (self.width + 1).min(WIDE);
        }
        if self.waiting.is_empty() && self.responsiveness == Responsiveness::Answers && waited < SOON {
            self.depth = (2 * self.depth).min(DEEP);
        }
        self.running += 1;
        Some(next.delivery)
    }

    /// Passes what waited too long to `late`.
    pub(super) fn expire(&mut self, now: OffsetDateTime, mut late: impl FnMut(DueDelivery)) {
        while self.waiting.front().is_some_and(|waiting| waiting.start_by < now) {
            let Some(waiting) = self.waiting.pop_front() else { return };
            self.depth = NARROW.max(self.depth / 2);
            late(waiting.delivery);
        }
    }

    /// Removes everything that waits.
    pub(super) fn clear(&mut self) -> impl Iterator<Item = DueDelivery> + '_ {
        self.waiting.drain(..).map(|waiting| waiting.delivery)
    }

    /// Counts an attempt under way as slow.
    pub(super) fn slow_down(&mut self) {
        self.running -= 1;
        self.slow += 1;
    }

    pub(super) fn end(&mut self, pace: Pace) {
        self.ended += 1;
        self.responsiveness = match pace {
            Pace::Fast | Pace::Slow => Responsiveness::Answers,
            Pace::Broken | Pace::Silent => Responsiveness::Silent,
        };
        if self.responsiveness == Responsiveness::Answers {
            (self.doublings, self.has_rested) = (0, false);
        }
        match pace {
            Pace::Fast => self.running -= 1,
            Pace::Broken => {
                self.running -= 1;
                self.resting += 1;
                if std::mem::take(&mut self.has_rested) {
                    self.doublings = (self.doublings + 1).min(DOUBLINGS);
                }
                self.width = self.width.min(FIRST.max(self.width / 2));
                self.depth = self.width;
            }
            Pace::Slow => {
                self.slow -= 1;
                self.width = (self.width + 1).min(WIDE);
            }
            Pace::Silent => {
                self.slow -= 1;
                self.width = self.width.min(NARROW.max(self.width / 2));
                self.depth = self.width;
            }
        }
    }

    /// Takes back an attempt that was not made after all.
    pub(super) fn take_back(&mut self, is_fast: bool) {
        let_go(&mut self.running, &mut self.slow, is_fast);
        self.more = true;
    }

    pub(super) fn forget(&mut self) {
        self.ended -= 1;
    }
}

/// Frees the place of an attempt, among the fast ones or the slow.
pub(super) fn let_go(running: &mut usize, slow: &mut usize, is_fast: bool) {
    *(if is_fast { running } else { slow }) -= 1;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::testing::{a_due_delivery, a_moment};
    use time::ext::NumericalDuration;
    use uuid::Uuid;

    use super::{AddressLimiter, DEEP, FIRST, LATE, NARROW, Pace, REST, WIDE, Waiting};

    fn fill(limiter: &mut AddressLimiter) {
        while limiter.room() > 0 {
            let delivery = a_due_delivery();
            limiter.wait(Waiting { delivery, start_by: a_moment() + 2.seconds(), claimed_at: a_moment() });
        }
    }

    /// Starts all that may start, after they have waited this long; returns how many did.
    fn start_after(limiter: &mut AddressLimiter, waited: Duration) -> usize {
        let mut started = 0;
        while limiter.may_start() && limiter.start(a_moment() + waited, drop).is_some() {
            started += 1;
        }
        started
    }

    fn start(limiter: &mut AddressLimiter) -> usize {
        start_after(limiter, Duration::ZERO)
    }

    /// Fills the address, and answers all of it fast, each after it has waited this long.
    fn answer_all_after(limiter: &mut AddressLimiter, waited: Duration) {
        fill(limiter);
        while limiter.in_hand() > 0 {
            let started = start_after(limiter, waited);
            for _ in 0..started {
                limiter.end(Pace::Fast);
                limiter.forget();
            }
        }
    }

    /// Makes an address as wide and deep as it gets.
    fn a_wide_address() -> AddressLimiter {
        let mut limiter = AddressLimiter::new();
        for _ in 0..6 {
            answer_all_after(&mut limiter, LATE + Duration::from_millis(1));
        }
        limiter
    }

    #[test]
    fn fast_answers_deepen_an_address_and_leave_it_narrow_as_long_as_nothing_waits_long() {
        let mut limiter = AddressLimiter::new();
        assert_eq!(limiter.room(), NARROW);
        for _ in 0..6 {
            answer_all_after(&mut limiter, LATE);
        }
        assert_eq!(limiter.room(), DEEP);
        fill(&mut limiter);
        assert_eq!(start(&mut limiter), FIRST);
    }

    #[test]
    fn what_waits_for_its_turn_widens_an_address() {
        let mut limiter = a_wide_address();
        assert_eq!(limiter.room(), DEEP);
        fill(&mut limiter);
        assert_eq!(start(&mut limiter), WIDE);
    }

    #[test]
    fn silence_narrows_an_address_at_once() {
        let mut limiter = a_wide_address();
        fill(&mut limiter);
        assert_eq!(start(&mut limiter), WIDE);
        for _ in 0..WIDE {
            limiter.slow_down();
        }
        assert!(limiter.stalls());
        for _ in 0..WIDE {
            limiter.end(Pace::Silent);
            limiter.forget();
        }
        assert_eq!(start(&mut limiter), NARROW);
    }

    #[test]
    fn an_answer_that_breaks_has_its_place_rest_and_narrows_the_address_to_half() {
        let mut limiter = a_wide_address();
        let mut width = WIDE;
        while width > FIRST {
            fill(&mut limiter);
            assert_eq!(start(&mut limiter), width);
            limiter.end(Pace::Broken);
            (1..width).for_each(|_| limiter.end(Pace::Fast));
            (0..width).for_each(|_| limiter.forget());
            width /= 2;
            fill(&mut limiter);
            assert_eq!((limiter.width, limiter.resting), (width, 1));
            assert_eq!(start(&mut limiter), width - 1);
            (1..width).for_each(|_| limiter.end(Pace::Fast));
            (1..width).for_each(|_| limiter.forget());
            limiter.clear().for_each(drop);
            limiter.end_rest();
            assert!(!limiter.is_kept());
        }
    }

    /// Breaks attempts, and has their places rest.
    fn break_all(limiter: &mut AddressLimiter) {
        fill(limiter);
        let started = start(limiter);
        (0..started).for_each(|_| limiter.end(Pace::Broken));
        (0..started).for_each(|_| limiter.forget());
        (0..started).for_each(|_| limiter.end_rest());
    }

    #[test]
    fn rests_double_while_what_follows_them_breaks_and_a_whole_answer_shortens_them() {
        let shortest = |limiter: &AddressLimiter| limiter.rest_of(Uuid::from_u128(0xabc << 8).into());
        let mut limiter = a_wide_address();
        for seconds in [0.25, 0.5, 1.0, 2.0, 4.0, 4.0] {
            break_all(&mut limiter);
            assert_eq!(shortest(&limiter), Duration::from_secs_f64(seconds));
        }
        fill(&mut limiter);
        assert_eq!(start(&mut limiter), FIRST);
        limiter.end(Pace::Fast);
        limiter.end(Pace::Broken);
        assert_eq!(shortest(&limiter), REST);
    }

    #[test]
    fn places_rest_for_half_a_second_on_average_and_each_for_another_time() {
        let limiter = AddressLimiter::new();
        let rests: Vec<Duration> =
            (0..=255).map(|last: u128| limiter.rest_of(Uuid::from_u128(0xabc << 8 | last).into())).collect();
        assert_eq!(rests.first(), Some(&Duration::from_millis(250)));
        assert_eq!(rests.last(), Some(&Duration::from_millis(750)));
        assert_eq!((rests.iter().sum::<Duration>() / 256).as_millis(), 499, "each is rounded down");
    }

    #[test]
    fn an_address_that_only_breaks_is_tried_twice_in_each_rest() {
        let mut limiter = AddressLimiter::new();
        for _ in 0..3 {
            fill(&mut limiter);
            assert_eq!(start(&mut limiter), FIRST);
            (0..FIRST).for_each(|_| limiter.end(Pace::Broken));
            assert!(!limiter.may_start() && limiter.is_kept());
            (0..FIRST).for_each(|_| limiter.forget());
            (0..FIRST).for_each(|_| limiter.end_rest());
        }
    }

    #[test]
    fn silence_widens_no_address_however_wide_it_was_and_however_long_deliveries_wait_behind_it() {
        for width in FIRST..=WIDE {
            let mut limiter = AddressLimiter { width, ..AddressLimiter::new() };
            let mut before = width;
            for _ in 0..10 {
                fill(&mut limiter);
                let started = start_after(&mut limiter, LATE + Duration::from_millis(1));
                assert!((1..=before).contains(&started), "{started} were started at a width of {before}");
                for _ in 0..started {
                    limiter.slow_down();
                    limiter.end(Pace::Silent);
                    limiter.forget();
                }
                before = limiter.width;
            }
            assert_eq!(
                (limiter.width, limiter.room()),
                (width.min(NARROW), width.min(NARROW) - limiter.waiting.len())
            );
        }
    }

    #[test]
    fn answers_after_silence_widen_an_address_from_where_it_was() {
        for width in FIRST..=WIDE {
            let mut limiter = AddressLimiter { width, ..AddressLimiter::new() };
            fill(&mut limiter);
            assert_eq!(start(&mut limiter), width);
            limiter.slow_down();
            limiter.end(Pace::Silent);
            limiter.forget();
            for _ in 1..width {
                limiter.end(Pace::Fast);
                limiter.forget();
            }
            for _ in 0..8 {
                answer_all_after(&mut limiter, LATE + Duration::from_millis(1));
            }
            assert_eq!((limiter.width, limiter.room()), (WIDE, DEEP));
        }
    }

    #[test]
    fn what_waited_too_long_is_let_go_and_less_is_taken_next_time() {
        let mut limiter = a_wide_address();
        fill(&mut limiter);
        let mut let_go = 0;
        assert!(limiter.start(a_moment() + 3.seconds(), |_| let_go += 1).is_none());
        assert_eq!((let_go, limiter.in_hand(), limiter.room()), (DEEP, 0, WIDE));
    }

    #[test]
    fn an_address_that_is_busy_is_not_worth_a_claim_for_a_single_delivery() {
        let mut limiter = AddressLimiter::new();
        limiter.more = true;
        fill(&mut limiter);
        assert!(!limiter.wants());
        while limiter.in_hand() > NARROW / 2 {
            start(&mut limiter);
            limiter.slow_down();
            limiter.end(Pace::Slow);
            limiter.forget();
        }
        assert!(limiter.wants(), "half of it is free");
    }
}
