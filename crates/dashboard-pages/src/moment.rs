//! A time on a page: in UTC as it leaves, by the reader's own clock where a script runs.

use time::{OffsetDateTime, UtcOffset, macros::format_description};

/// A time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment(OffsetDateTime);

impl From<OffsetDateTime> for Moment {
    fn from(at: OffsetDateTime) -> Self {
        Self(at.to_offset(UtcOffset::UTC))
    }
}

impl Moment {
    /// For programs.
    pub fn iso(self) -> String {
        let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");
        self.0.format(form).unwrap_or_default()
    }

    /// For people without a script.
    pub fn plain(self) -> String {
        let form = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");
        self.0.format(form).unwrap_or_default()
    }

    /// Its day.
    pub fn day(self) -> String {
        self.0.format(format_description!("[year]-[month]-[day]")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::Moment;

    #[test]
    fn a_time_is_told_in_utc() {
        let moment = Moment::from(datetime!(2026-11-21 01:05:09 +3));
        assert_eq!(moment.iso(), "2026-11-20T22:05:09Z");
        assert_eq!((moment.plain().as_str(), moment.day().as_str()), ("2026-11-20 22:05 UTC", "2026-11-20"));
    }
}
