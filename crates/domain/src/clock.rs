//! The port of time, and how times are stamped and written.

use std::time::Duration;

use async_trait::async_trait;
use time::{OffsetDateTime, macros::format_description};

/// Source of the current time, and of waiting.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Clock: Send + Sync {
    /// Returns the current time in UTC.
    fn now(&self) -> OffsetDateTime;

    /// Waits until `duration` has passed on this clock.
    async fn sleep(&self, duration: Duration);
}

/// Returns the timestamp of what happens at `now`, after something that is stamped `last`: whole
/// milliseconds, and at least one more than `last`, even if a faster clock stamped that. Later events
/// therefore have later times in their written form as well.
pub fn stamp_after(last: Option<OffsetDateTime>, now: OffsetDateTime) -> OffsetDateTime {
    let now = whole_milliseconds(now);
    last.map_or(now, |last| now.max(whole_milliseconds(last) + time::Duration::MILLISECOND))
}

fn whole_milliseconds(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_millisecond(at.millisecond()).unwrap_or(at)
}

/// Writes RFC 3339 in UTC with milliseconds and `Z`, the form of every timestamp in the API.
pub fn rfc3339_ms(at: OffsetDateTime) -> String {
    const FORMAT: &[time::format_description::BorrowedFormatItem<'_>] =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    // A UTC time has every part of the format, so formatting cannot fail.
    at.to_offset(time::UtcOffset::UTC).format(FORMAT).unwrap_or_default()
}

/// Serializer of times in the form of [`rfc3339_ms`]: `#[serde(with = "domain::clock::timestamp")]`.
pub mod timestamp {
    use serde::Serializer;
    use time::OffsetDateTime;

    /// Writes the time.
    pub fn serialize<S: Serializer>(at: &OffsetDateTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::rfc3339_ms(*at))
    }

    /// Serializer of times that may be absent.
    pub mod option {
        use serde::Serializer;
        use time::OffsetDateTime;

        /// Writes the time or `null`.
        pub fn serialize<S: Serializer>(
            at: &Option<OffsetDateTime>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match at {
                Some(at) => super::serialize(at, serializer),
                None => serializer.serialize_none(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    #[test]
    fn a_timestamp_has_milliseconds_and_z_whatever_its_offset() {
        let at = datetime!(2026-11-21 05:06:07.0089 +03:00);
        assert_eq!(super::rfc3339_ms(at), "2026-11-21T02:06:07.008Z");
    }

    #[test]
    fn what_happens_later_has_a_later_millisecond_whatever_the_clocks_say() {
        let now = datetime!(2026-11-21 05:06:07.0089 UTC);
        assert_eq!(super::stamp_after(None, now), datetime!(2026-11-21 05:06:07.008 UTC));
        for (last, stamp) in [
            (datetime!(2026-11-21 05:06:07.0071 UTC), datetime!(2026-11-21 05:06:07.008 UTC)),
            (datetime!(2026-11-21 05:06:07.0081 UTC), datetime!(2026-11-21 05:06:07.009 UTC)),
            (datetime!(2026-11-21 05:06:07.0089 UTC), datetime!(2026-11-21 05:06:07.009 UTC)),
            // From a node whose clock is ahead.
            (datetime!(2026-11-21 05:06:09.9999 UTC), datetime!(2026-11-21 05:06:10 UTC)),
        ] {
            assert_eq!(super::stamp_after(Some(last), now), stamp, "{last}");
        }
    }
}
