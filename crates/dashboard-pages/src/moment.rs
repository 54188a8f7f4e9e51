//! A time on a page, by the clock of the page's workspace.

use domain::{clock::rfc3339_ms, zone::Zone};
use serde::{Serialize, Serializer};
use time::{Duration, OffsetDateTime, UtcOffset, macros::format_description};

/// A time on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment(OffsetDateTime);

impl From<OffsetDateTime> for Moment {
    fn from(at: OffsetDateTime) -> Self {
        Self(at.to_offset(UtcOffset::UTC))
    }
}

/// As in every answer in JSON.
impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&rfc3339_ms(self.0))
    }
}

impl Moment {
    /// Formats it for programs, in UTC.
    pub fn iso(self) -> String {
        let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");
        self.0.format(form).unwrap_or_default()
    }

    /// Formats it for browsers without scripts, in the zone and with its offset; in UTC without a zone.
    pub fn plain(self, zone: Option<&Zone>) -> String {
        let form = format_description!(
            "[year]-[month]-[day] [hour]:[minute] [offset_hour sign:mandatory]:[offset_minute]"
        );
        self.by(zone).format(form).unwrap_or_default()
    }

    /// Returns how long it is after an earlier one.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        self.0 - earlier.0
    }

    /// Formats its day in the zone.
    pub fn day(self, zone: Option<&Zone>) -> String {
        self.by(zone).format(format_description!("[year]-[month]-[day]")).unwrap_or_default()
    }

    fn by(self, zone: Option<&Zone>) -> OffsetDateTime {
        zone.map_or(self.0, |zone| zone.told(self.0))
    }
}

#[cfg(test)]
mod tests {
    use domain::zone::Zone;
    use time::macros::datetime;

    use super::Moment;

    #[test]
    fn a_time_is_told_by_the_clock_of_the_workspace_and_to_programs_in_utc() {
        let moment = Moment::from(datetime!(2026-11-21 01:05:09 +3));
        assert_eq!(moment.iso(), "2026-11-20T22:05:09Z");
        let zone = |name| Zone::named(name).unwrap();
        for (zone, plain, day) in [
            (None, "2026-11-20 22:05 +00:00", "2026-11-20"),
            (Some(zone("Asia/Baghdad")), "2026-11-21 01:05 +03:00", "2026-11-21"),
            (Some(zone("America/New_York")), "2026-11-20 17:05 -05:00", "2026-11-20"),
        ] {
            assert_eq!((moment.plain(zone.as_ref()), moment.day(zone.as_ref())), (plain.into(), day.into()));
        }
    }
}
