//! Position in a feed.

use std::{fmt, str::FromStr};

use uuid::Uuid;

use super::Feed;

/// Position in a feed: after the change of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedPosition {
    /// Epoch of the feed, as in [`Feed::epoch`].
    pub epoch: Uuid,
    pub number: i64,
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.epoch.simple(), self.number)
    }
}

/// Text that names no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no id of an event")]
pub struct NoPlace;

impl FromStr for FeedPosition {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let (epoch, number) = text.split_once('-').ok_or(NoPlace)?;
        let epoch = Uuid::try_parse(epoch).map_err(|_| NoPlace)?;
        let number = number.parse().ok().filter(|number| *number >= 0).ok_or(NoPlace)?;
        Ok(Self { epoch, number })
    }
}

/// Position from which a listener is told of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// From now on: they have just come.
    Now(FeedPosition),
    /// From where they were: nothing in between is missing.
    GoOn(FeedPosition),
    /// From now on: what came in between is no longer stored, or too much, so they must load everything
    /// again.
    Reset(FeedPosition),
}

impl Start {
    /// Returns the position.
    pub const fn place(self) -> FeedPosition {
        match self {
            Self::Now(place) | Self::GoOn(place) | Self::Reset(place) => place,
        }
    }
}

/// Most missed changes told to a listener who comes back; beyond that, loading everything again is less work.
const MOST_MISSED: i64 = 1_000;

/// Decides where to start for a listener whose last event was `heard`, as they say.
pub fn start(feed: &Feed, heard: Option<&str>) -> Start {
    let now = feed.end();
    let Some(heard) = heard else { return Start::Now(now) };
    let told = feed.forgotten.max(feed.last.saturating_sub(MOST_MISSED))..=feed.last;
    match heard.parse::<FeedPosition>() {
        Ok(place) if place.epoch == feed.epoch && told.contains(&place.number) => Start::GoOn(place),
        _ => Start::Reset(now),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::{FeedPosition, Start, start};
    use crate::live::Feed;

    const EPOCH: Uuid = Uuid::from_u128(7);

    fn at(number: i64) -> FeedPosition {
        FeedPosition { epoch: EPOCH, number }
    }

    #[test]
    fn whoever_comes_back_goes_on_where_nothing_is_missing_and_is_reset_otherwise() {
        let feed = Feed { epoch: EPOCH, last: 20, forgotten: 10 };
        let other = FeedPosition { epoch: Uuid::from_u128(8), number: 15 };
        assert_eq!(start(&feed, None), Start::Now(at(20)));
        for (heard, wanted) in [
            (at(20).to_string(), Start::GoOn(at(20))),
            (at(10).to_string(), Start::GoOn(at(10))),
            (at(9).to_string(), Start::Reset(at(20))),
            (at(21).to_string(), Start::Reset(at(20))),
            (other.to_string(), Start::Reset(at(20))),
            (String::new(), Start::Reset(at(20))),
            ("15".to_owned(), Start::Reset(at(20))),
            (format!("{}--1", EPOCH.simple()), Start::Reset(at(20))),
        ] {
            assert_eq!(start(&feed, Some(&heard)), wanted, "{heard}");
        }
    }

    #[test]
    fn whoever_has_missed_more_than_a_thousand_is_reset() {
        let feed = Feed { epoch: EPOCH, last: 5_000, forgotten: 10 };
        for (heard, wanted) in [(4_000, Start::GoOn(at(4_000))), (3_999, Start::Reset(at(5_000)))] {
            assert_eq!(start(&feed, Some(&at(heard).to_string())), wanted);
        }
    }

    proptest! {
        #[test]
        fn a_place_reads_back(epoch in any::<u128>(), number in 0..i64::MAX) {
            let place = FeedPosition { epoch: Uuid::from_u128(epoch), number };
            prop_assert_eq!(place.to_string().parse(), Ok(place));
        }

        #[test]
        fn no_text_makes_reading_panic(text in "[0-9a-f]{0,33}-?[-0-9]{0,22}|.{0,40}") {
            let _ = text.parse::<FeedPosition>();
        }
    }
}
