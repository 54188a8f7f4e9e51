//! Zones by name, and the time that a clock there shows.

use std::fmt;

use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};
use time::{OffsetDateTime, UtcOffset};

use super::{Zone, suggestion::suggest};
use crate::phone::Region;

/// Zone of new workspaces.
const FIRST: &str = "Asia/Baghdad";
/// Most characters of a text that are compared with the names of zones.
const LONGEST_NAME: usize = 64;

/// Error for a text that is no zone's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct UnknownZone {
    written: String,
    /// Zone that was likely meant, if there is one.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no time zone's name", self.written)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; the nearest is {nearest}"),
            None => {
                f.write_str(": those of the IANA are `Area/City`, as `timedatectl list-timezones` lists them")
            }
        }
    }
}

impl UnknownZone {
    fn new(written: &str, region: Region) -> Self {
        let written: String = written.chars().take(LONGEST_NAME).collect();
        let nearest = suggest(&written, region);
        Self { written, nearest }
    }

    /// Returns the error for somebody in `region`, which decides what is meant by an offset or a name that
    /// several zones have.
    #[must_use]
    pub fn seen_from(self, region: Region) -> Self {
        Self::new(&self.written, region)
    }
}

impl Default for Zone {
    /// Returns the zone of Baghdad.
    fn default() -> Self {
        let zone = TimeZoneDatabase::bundled().get(FIRST).unwrap_or(TimeZone::UTC);
        Self { name: FIRST.to_owned(), zone }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Zone {
    /// Finds a zone by its name in the IANA database, in any case. Offsets are refused, so that a place whose
    /// clock changes keeps its zone.
    pub fn named(written: &str) -> Result<Self, UnknownZone> {
        let written = written.trim();
        let found = TimeZoneDatabase::bundled().get(written).ok();
        let name = found.as_ref().and_then(TimeZone::iana_name).map(str::to_owned);
        match (found, name) {
            (Some(zone), Some(name)) => Ok(Self { name, zone }),
            _ => Err(UnknownZone::new(written, Region::default())),
        }
    }

    /// Lists every name, sorted.
    pub fn names() -> Vec<String> {
        let mut names: Vec<String> =
            TimeZoneDatabase::bundled().available().map(|name| name.as_str().to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the same moment with the offset of the zone.
    pub fn told(&self, at: OffsetDateTime) -> OffsetDateTime {
        let offset = Timestamp::from_second(at.unix_timestamp())
            .map_or(0, |moment| self.zone.to_offset(moment).seconds());
        let there = UtcOffset::from_whole_seconds(offset).unwrap_or(UtcOffset::UTC);
        at.checked_to_offset(there).unwrap_or(at)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::Zone;

    #[test]
    fn a_zone_is_read_in_any_case_and_of_what_is_none_a_little_is_repeated() {
        for (written, wanted) in [
            ("Asia/Baghdad", "Asia/Baghdad"),
            (" asia/baghdad ", "Asia/Baghdad"),
            ("europe/berlin", "Europe/Berlin"),
            ("UTC", "UTC"),
        ] {
            assert_eq!(Zone::named(written).unwrap().name(), wanted, "{written}");
        }
        for written in ["", "+03:00", "Asia/../Baghdad", "بغداد", &"x".repeat(10_000)] {
            let told = Zone::named(written).unwrap_err().to_string();
            assert!(told.len() < 300, "{told}");
        }
    }

    #[test]
    fn every_name_is_one_and_the_first_is_there() {
        let names = Zone::names();
        assert!(names.contains(&Zone::default().name().to_owned()) && names.len() > 300);
    }

    #[test]
    fn a_moment_is_told_as_the_clock_there_shows_it() {
        let told = |zone: &str, at| Zone::named(zone).unwrap().told(at);
        let winter = datetime!(2026-11-20 22:05 UTC);
        assert_eq!(told("Asia/Baghdad", winter), winter);
        assert_eq!(told("Asia/Baghdad", winter).hour(), 1);
        assert_eq!(told("Europe/Berlin", winter).hour(), 23);
        assert_eq!(told("Europe/Berlin", datetime!(2026-07-20 22:05 UTC)).hour(), 0);
    }
}
