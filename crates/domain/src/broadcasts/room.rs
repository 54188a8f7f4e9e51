//! The network's limit on how many people a number may begin to write to within 24 hours, and what is left of
//! it.
//!
//! The network keeps its limit for a business, so the numbers of an account share theirs. People who get a
//! template count; people who get a reply do not.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use time::{Duration, OffsetDateTime};

use super::{
    limit::{LimitPreview, NumberLimit, SPAN, span_of},
    ports::MessagingLimitStore,
};
use crate::{
    channels::Number,
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// Time over which the network counts people.
const WINDOW: Duration = Duration::hours(24);
fn counted_since(now: OffsetDateTime) -> OffsetDateTime {
    span_of(now - WINDOW)
}

/// Parses the network's word for a limit; `None` if it means no limit, or names no number of people.
fn read_limit(word: &str) -> Option<u64> {
    let word = word.trim();
    let number = word.strip_prefix("TIER_").unwrap_or(word);
    let (digits, times) = number.strip_suffix('K').map_or((number, 1), |digits| (digits, 1_000));
    if !digits.chars().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(times).filter(|limit| *limit > 0)
}

/// Returns about how many days it takes to write to `people`, if `left` of them may be written to now.
fn days_for(people: u64, limit: u64, left: u64) -> u64 {
    people.saturating_sub(left).div_ceil(limit.max(1)).saturating_add(1)
}

/// People who got a template, by the beginning of the span in which they did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Window(BTreeMap<OffsetDateTime, u64>);

impl Window {
    fn add(&mut self, since: OffsetDateTime, people: u64) {
        let counted = self.0.entry(since).or_default();
        *counted = counted.saturating_add(people);
    }

    /// Returns the people who still count, with the time at which they stop counting.
    fn counted(&self, now: OffsetDateTime) -> impl Iterator<Item = (OffsetDateTime, u64)> {
        let over = |(since, people): (&OffsetDateTime, &u64)| (*since + SPAN + WINDOW, *people);
        self.0.iter().map(over).filter(move |(over, _)| *over > now)
    }

    fn people(&self, now: OffsetDateTime) -> u64 {
        self.counted(now).fold(0, |sum: u64, (_, people)| sum.saturating_add(people))
    }

    fn left(&self, limit: u64, now: OffsetDateTime) -> u64 {
        limit.saturating_sub(self.people(now))
    }

    /// Returns when somebody more may be written to; `now` if that is already so.
    fn opens_at(&self, limit: u64, now: OffsetDateTime) -> OffsetDateTime {
        let (mut people, mut at) = (self.people(now), now);
        for (over, counted) in self.counted(now) {
            if people < limit {
                break;
            }
            (people, at) = (people.saturating_sub(counted), over);
        }
        at
    }
}

/// Remainder of the network's limits for a workspace's numbers: as loaded, less what was taken since.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// By the numbers' ids at the network; a number that is absent has no limit.
    limits: HashMap<String, u64>,
    windows: Mutex<HashMap<AccountId, Window>>,
}

impl Room {
    /// Loads what is left. Where no number has a limit, no counts are loaded.
    pub(super) async fn look(
        store: &dyn MessagingLimitStore,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Self, StoreError> {
        let told = store.limits(workspace).await?;
        let mut accounts: Vec<AccountId> = Vec::new();
        let mut limits = HashMap::new();
        for NumberLimit { account, network_id, word } in told {
            let Some(limit) = read_limit(&word) else { continue };
            limits.insert(network_id, limit);
            if !accounts.contains(&account) {
                accounts.push(account);
            }
        }
        if limits.is_empty() {
            return Ok(Self::default());
        }
        let mut windows: HashMap<AccountId, Window> = HashMap::new();
        for written in store.written_to(workspace, &accounts, counted_since(now)).await? {
            windows.entry(written.account).or_default().add(written.since, written.people);
        }
        Ok(Self { limits, windows: Mutex::new(windows) })
    }

    /// Returns whether the number may begin to write to somebody more.
    pub(super) fn has_some(&self, number: &Number, now: OffsetDateTime) -> bool {
        self.limits.get(&number.network_id).is_none_or(|limit| self.left(number.account, *limit, now) > 0)
    }

    /// Takes the place of one person.
    ///
    /// # Errors
    /// If there is none: the time from which there is one again.
    pub(super) fn take(&self, number: &Number, now: OffsetDateTime) -> Result<(), OffsetDateTime> {
        let Some(limit) = self.limits.get(&number.network_id).copied() else { return Ok(()) };
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let window = windows.entry(number.account).or_default();
        if window.left(limit, now) == 0 {
            return Err(window.opens_at(limit, now));
        }
        window.add(span_of(now), 1);
        Ok(())
    }

    fn left(&self, account: AccountId, limit: u64, now: OffsetDateTime) -> u64 {
        let windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.get(&account).map_or(limit, |window| window.left(limit, now))
    }

    /// Returns what the limit means for a broadcast to `people`; `None` if one of the senders has no limit,
    /// or there are none. `senders` are ids at the network, with their accounts.
    pub(super) fn preview(
        &self,
        senders: &BTreeMap<String, AccountId>,
        people: u64,
        now: OffsetDateTime,
    ) -> Option<LimitPreview> {
        let mut by_account: BTreeMap<AccountId, u64> = BTreeMap::new();
        for (network_id, account) in senders {
            let limit = *self.limits.get(network_id)?;
            let known = by_account.entry(*account).or_insert(limit);
            *known = limit.min(*known);
        }
        if by_account.is_empty() {
            return None;
        }
        let add = |sum: u64, people: u64| sum.saturating_add(people);
        let limit = by_account.values().copied().fold(0, add);
        let left = by_account.iter().map(|(account, limit)| self.left(*account, *limit, now)).fold(0, add);
        Some(LimitPreview { people: limit, left, days: days_for(people, limit, left) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use time::{Duration, OffsetDateTime, macros::datetime};

    use super::{Room, Window, counted_since, days_for, read_limit};
    use crate::broadcasts::limit::span_of;
    use crate::testing::a_number;

    const NOW: OffsetDateTime = datetime!(2026-11-26 12:05 UTC);

    fn window(spans: &[(i64, u64)]) -> Window {
        let mut window = Window::default();
        for (minutes_ago, people) in spans {
            window.add(span_of(NOW - Duration::minutes(*minutes_ago)), *people);
        }
        window
    }

    #[test]
    fn the_networks_words_for_a_limit_are_read() {
        for (word, wanted) in [
            ("TIER_50", Some(50)),
            ("TIER_250", Some(250)),
            ("TIER_1K", Some(1_000)),
            ("TIER_2K", Some(2_000)),
            ("TIER_10K", Some(10_000)),
            (" TIER_100K ", Some(100_000)),
            ("1000", Some(1_000)),
            ("TIER_UNLIMITED", None),
            ("UNLIMITED", None),
            ("TIER_NOT_SET", None),
            ("UNTIERED", None),
            ("TIER_", None),
            ("TIER_K", None),
            ("TIER_0", None),
            ("TIER_+1", None),
            ("TIER_-1K", None),
            ("TIER_١", None),
            ("TIER_99999999999999999999", None),
            ("TIER_18446744073709551615K", None),
            ("", None),
        ] {
            assert_eq!(read_limit(word), wanted, "{word}");
        }
    }

    #[test]
    fn a_span_begins_every_ten_minutes() {
        for (at, wanted) in [
            (datetime!(2026-11-26 12:00 UTC), datetime!(2026-11-26 12:00 UTC)),
            (datetime!(2026-11-26 12:09:59.999 UTC), datetime!(2026-11-26 12:00 UTC)),
            (datetime!(2026-11-26 12:10 UTC), datetime!(2026-11-26 12:10 UTC)),
            (datetime!(2026-11-26 12:10 +3), datetime!(2026-11-26 9:10 UTC)),
            (datetime!(1969-12-31 23:59:59 UTC), datetime!(1969-12-31 23:50 UTC)),
        ] {
            assert_eq!(span_of(at), wanted, "{at}");
        }
        assert_eq!(counted_since(NOW), datetime!(2026-11-25 12:00 UTC));
    }

    #[test]
    fn what_is_left_is_the_limit_less_those_of_the_last_24_hours() {
        for (spans, limit, left, opens_at) in [
            (&[][..], 3, 3, NOW),
            (&[(0, 2)], 3, 1, NOW),
            // Both people of a span count until the last of them may be over.
            (&[(0, 3)], 3, 0, datetime!(2026-11-27 12:10 UTC)),
            (&[(24 * 60, 3)], 3, 0, datetime!(2026-11-26 12:10 UTC)),
            (&[(24 * 60 + 6, 3)], 3, 3, NOW),
            // The first that is over leaves a place.
            (&[(23 * 60, 1), (60, 2)], 3, 0, datetime!(2026-11-26 13:10 UTC)),
            // A lowered limit waits until enough people are over.
            (&[(23 * 60, 1), (120, 1), (60, 2)], 2, 0, datetime!(2026-11-27 11:10 UTC)),
        ] {
            let window = window(spans);
            assert_eq!(window.left(limit, NOW), left, "{spans:?} of {limit}");
            assert_eq!(window.opens_at(limit, NOW), opens_at, "{spans:?} of {limit}");
        }
    }

    #[test]
    fn it_is_told_about_how_many_days_it_takes() {
        for (people, limit, left, wanted) in [
            (0, 1_000, 1_000, 1),
            (1_000, 1_000, 1_000, 1),
            (1_001, 1_000, 1_000, 2),
            (5_000, 1_000, 1_000, 5),
            (5_000, 1_000, 0, 6),
            (5_000, 1_000, 1, 6),
            (u64::MAX, 1, 0, u64::MAX),
        ] {
            assert_eq!(days_for(people, limit, left), wanted, "{people} of {limit}, {left} left");
        }
    }

    fn room(limits: &[(&str, u64)]) -> Room {
        let limits = limits.iter().map(|(network_id, limit)| ((*network_id).to_owned(), *limit));
        Room { limits: limits.collect(), ..Room::default() }
    }

    #[test]
    fn numbers_of_one_account_share_their_limit_and_one_without_a_limit_has_none() {
        let (first, second, other) = (a_number(0, 1), a_number(0, 2), a_number(1, 3));
        let room = room(&[(&first.network_id, 2), (&second.network_id, 2)]);
        assert_eq!(room.take(&first, NOW), Ok(()));
        assert_eq!(room.take(&second, NOW), Ok(()));
        let opens_at = datetime!(2026-11-27 12:10 UTC);
        for number in [&first, &second] {
            assert_eq!(room.take(number, NOW), Err(opens_at));
            assert!(!room.has_some(number, NOW));
        }
        assert!(room.has_some(&other, NOW));
        assert_eq!(room.take(&other, NOW), Ok(()));
        assert_eq!(room.take(&first, opens_at), Ok(()));
    }

    #[test]
    fn a_preview_adds_the_accounts_that_send_and_tells_nothing_where_one_has_no_limit() {
        let (first, second, other) = (a_number(0, 1), a_number(0, 2), a_number(1, 3));
        let senders = |numbers: &[&crate::channels::Number]| -> BTreeMap<_, _> {
            numbers.iter().map(|number| (number.network_id.clone(), number.account)).collect()
        };
        let room = Room {
            windows: HashMap::from([(first.account, window(&[(60, 40)]))]).into(),
            ..room(&[(&first.network_id, 250), (&second.network_id, 250), (&other.network_id, 1_000)])
        };
        for (numbers, wanted) in [
            (&[&first][..], Some((250, 210, 21))),
            (&[&first, &second], Some((250, 210, 21))),
            (&[&first, &other], Some((1_250, 1_210, 5))),
            (&[], None),
        ] {
            let told = room.preview(&senders(numbers), 5_000, NOW);
            assert_eq!(told.map(|it| (it.people, it.left, it.days)), wanted, "{numbers:?}");
        }
        let strange = a_number(1, 4);
        assert_eq!(room.preview(&senders(&[&first, &strange]), 5_000, NOW), None);
    }
}
