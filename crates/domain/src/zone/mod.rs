//! Time zones, and the time that a clock there shows.

mod names;
mod suggestion;

use std::fmt;

use jiff::{
    Timestamp,
    civil::DateTime,
    tz::{AmbiguousZoned, Offset, TimeZone, TimeZoneDatabase},
};
use serde::{Deserialize, Serialize};
use time::{
    OffsetDateTime, UtcOffset,
    format_description::well_known::{Iso8601, Rfc3339},
};

use self::{names::names, suggestion::suggest};
use crate::{phone::Region, since::read_since};

/// Zone of new workspaces.
const FIRST: &str = "Asia/Baghdad";
/// Most characters of a text that are compared with the names of zones.
const LONGEST_NAME: usize = 64;
/// Length of a date such as `2026-11-27`, in characters.
const DATE: usize = 10;
/// Minutes in a day.
pub(crate) const DAY: u16 = 24 * 60;

/// Error for a text that is neither a zone's name nor an offset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a time zone's name, such as Asia/Baghdad, nor an offset, such as +03:00")]
pub struct InvalidZone(pub String);

/// Time zone: a name of the IANA database, which comes with the program, or a fixed offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

impl Zone {
    /// Parses `Asia/Baghdad`, `UTC` or `+03:00`.
    pub fn read(name: &str) -> Result<Self, InvalidZone> {
        let zone = offset(name).map(TimeZone::fixed).or_else(|| TimeZoneDatabase::bundled().get(name).ok());
        let invalid = || InvalidZone(name.to_owned());
        Ok(Self { zone: zone.ok_or_else(invalid)?, name: name.to_owned() })
    }

    /// Returns the moment that a clock there shows as `written`, such as `2026-11-27T10:00`; `None` for what
    /// is no time, and for one that names an offset or a zone of its own. A time that a change of the clock
    /// skips or repeats is taken by the offset before the change.
    pub fn moment(&self, written: &str) -> Option<OffsetDateTime> {
        let written = written.trim();
        // The parser would ignore what follows the time of day, and return another moment.
        let behind = written.get(DATE..).unwrap_or_default();
        if behind.contains(['+', '-', '[', 'Z', 'z']) {
            return None;
        }
        let local: DateTime = written.parse().ok()?;
        let zoned = self.zone.to_zoned(local).ok()?;
        let at = OffsetDateTime::from_unix_timestamp(zoned.timestamp().as_second()).ok()?;
        // As in `read_since`: a moment before the year 0 cannot be written out.
        Some(at).filter(|at| at.year() >= 0)
    }

    /// Parses a moment: by its offset if it has one, otherwise by a clock there.
    pub fn read_moment(&self, written: &str) -> Option<OffsetDateTime> {
        let written = written.trim().replacen(' ', "T", 1);
        let has_offset = OffsetDateTime::parse(&written, &Rfc3339).is_ok()
            || OffsetDateTime::parse(&written, &Iso8601::PARSING).is_ok();
        if has_offset { read_since(&written) } else { self.moment(&written) }
    }

    /// Returns the name as it was written.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the moments that a clock there shows as `local`.
    pub(crate) fn ambiguous(&self, local: DateTime) -> AmbiguousZoned {
        self.zone.to_ambiguous_zoned(local)
    }

    /// Returns the date and time that a clock there shows.
    pub(crate) fn local(&self, at: OffsetDateTime) -> Option<DateTime> {
        Timestamp::from_second(at.unix_timestamp()).ok().map(|at| self.zone.to_datetime(at))
    }
}

impl TryFrom<String> for Zone {
    type Error = InvalidZone;

    fn try_from(name: String) -> Result<Self, InvalidZone> {
        Self::read(&name)
    }
}

fn offset(text: &str) -> Option<Offset> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let seconds = i32::from(minute_of_day(hours, minutes)?) * 60;
    Offset::from_seconds(sign * seconds).ok()
}

/// Returns the minute of a time with two digits for the hours and two for the minutes.
pub(crate) fn minute_of_day(hours: &str, minutes: &str) -> Option<u16> {
    let read = |digits: &str| (digits.len() == 2).then(|| digits.parse::<u8>().ok()).flatten();
    let minutes = read(minutes).filter(|minutes| *minutes < 60)?;
    let minute = u16::from(read(hours)?) * 60 + u16::from(minutes);
    (minute <= DAY).then_some(minute)
}

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

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.name
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
        names()
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
