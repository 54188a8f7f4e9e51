//! Calendar months in UTC, by which the plan counts.

use time::{Date, OffsetDateTime, UtcOffset};

/// Calendar month in UTC, kept as its first day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(Date);

impl Month {
    /// Returns the month that `at` falls in.
    pub fn of(at: OffsetDateTime) -> Self {
        let date = at.to_offset(UtcOffset::UTC).date();
        Self(date.replace_day(1).unwrap_or(date))
    }

    pub const fn first_day(self) -> Date {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::Month;

    #[test]
    fn a_month_is_counted_in_utc() {
        for (at, first_day) in [
            (datetime!(2026-11-30 23:59:59 UTC), date!(2026 - 11 - 01)),
            (datetime!(2026-12-01 02:00 +03:00), date!(2026 - 11 - 01)),
            (datetime!(2026-12-01 00:00 UTC), date!(2026 - 12 - 01)),
        ] {
            assert_eq!(Month::of(at).first_day(), first_day, "{at}");
        }
    }
}
