//! Opening hours and quiet hours of a business.

mod suggestion;
mod zone;

pub use zone::UnknownZone;

use jiff::{
    Timestamp,
    civil::{DateTime, Weekday},
    tz::{Offset, TimeZone, TimeZoneDatabase},
};
use serde::{Deserialize, Serialize};
use time::{
    OffsetDateTime,
    format_description::well_known::{Iso8601, Rfc3339},
};

use crate::conversations::read_since;

/// Length of a date such as `2026-11-27`, in characters.
const DATE: usize = 10;
/// Minutes in a day.
const DAY: u16 = 24 * 60;
const MOST_SPANS: usize = 10;

/// Error in opening hours; the text says what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHours {
    #[error("`{0}` is neither a time zone's name, such as Asia/Baghdad, nor an offset, such as +03:00")]
    Zone(String),
    #[error("`{0}` is no time of day from 00:00 to 24:00")]
    Time(String),
    #[error("hours that begin and end at the same time are no hours")]
    Empty,
    #[error("a day has at most {MOST_SPANS} spans of hours")]
    TooMany,
}

/// Time zone: a name of the IANA database, which comes with the program, or a fixed offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

impl Zone {
    /// Parses `Asia/Baghdad`, `UTC` or `+03:00`.
    pub fn read(name: &str) -> Result<Self, InvalidHours> {
        let zone = offset(name).map(TimeZone::fixed).or_else(|| TimeZoneDatabase::bundled().get(name).ok());
        let invalid = || InvalidHours::Zone(name.to_owned());
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

    fn local(&self, at: OffsetDateTime) -> Option<DateTime> {
        Timestamp::from_second(at.unix_timestamp()).ok().map(|at| self.zone.to_datetime(at))
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
fn minute_of_day(hours: &str, minutes: &str) -> Option<u16> {
    let read = |digits: &str| (digits.len() == 2).then(|| digits.parse::<u8>().ok()).flatten();
    let minutes = read(minutes).filter(|minutes| *minutes < 60)?;
    let minute = u16::from(read(hours)?) * 60 + u16::from(minutes);
    (minute <= DAY).then_some(minute)
}

impl TryFrom<String> for Zone {
    type Error = InvalidHours;

    fn try_from(name: String) -> Result<Self, InvalidHours> {
        Self::read(&name)
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.name
    }
}

/// Time of day, in minutes since midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct TimeOfDay(u16);

impl TryFrom<String> for TimeOfDay {
    type Error = InvalidHours;

    fn try_from(text: String) -> Result<Self, InvalidHours> {
        let minute = text.split_once(':').and_then(|(hours, minutes)| minute_of_day(hours, minutes));
        minute.map(Self).ok_or(InvalidHours::Time(text))
    }
}

impl From<TimeOfDay> for String {
    fn from(TimeOfDay(minute): TimeOfDay) -> Self {
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }
}

/// Hours without a break, such as `["09:00", "17:00"]`. Hours that end before they begin, such as
/// `["20:00", "02:00"]`, go on into the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(TimeOfDay, TimeOfDay)", into = "(TimeOfDay, TimeOfDay)")]
pub struct Span(TimeOfDay, TimeOfDay);

impl TryFrom<(TimeOfDay, TimeOfDay)> for Span {
    type Error = InvalidHours;

    fn try_from((from, to): (TimeOfDay, TimeOfDay)) -> Result<Self, InvalidHours> {
        if from == to { Err(InvalidHours::Empty) } else { Ok(Self(from, to)) }
    }
}

impl From<Span> for (TimeOfDay, TimeOfDay) {
    fn from(Span(from, to): Span) -> Self {
        (from, to)
    }
}

impl Span {
    /// Returns the beginning and the end as they are written.
    pub fn told(self) -> (String, String) {
        (self.0.into(), self.1.into())
    }

    const fn goes_into_the_next_day(self) -> bool {
        self.1.0 < self.0.0
    }

    /// Returns whether the span holds at this minute of the day on which it begins.
    fn holds(self, minute: u16) -> bool {
        minute >= self.0.0 && (minute < self.1.0 || self.goes_into_the_next_day())
    }

    /// Returns whether the span holds at this minute of the day after.
    fn still_holds(self, minute: u16) -> bool {
        self.goes_into_the_next_day() && minute < self.1.0
    }
}

/// Hours of each day; a day without any is closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "lowercase")]
pub struct Week {
    pub monday: Vec<Span>,
    pub tuesday: Vec<Span>,
    pub wednesday: Vec<Span>,
    pub thursday: Vec<Span>,
    pub friday: Vec<Span>,
    pub saturday: Vec<Span>,
    pub sunday: Vec<Span>,
}

impl Week {
    fn day(&self, day: Weekday) -> &[Span] {
        match day {
            Weekday::Monday => &self.monday,
            Weekday::Tuesday => &self.tuesday,
            Weekday::Wednesday => &self.wednesday,
            Weekday::Thursday => &self.thursday,
            Weekday::Friday => &self.friday,
            Weekday::Saturday => &self.saturday,
            Weekday::Sunday => &self.sunday,
        }
    }
}

/// Opening hours of a workspace, by its own clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningHours {
    pub zone: Zone,
    pub week: Week,
}

impl OpeningHours {
    /// Checks that no day has too many spans.
    pub fn check(&self) -> Result<(), InvalidHours> {
        let mut day = Weekday::Monday;
        for _ in 0..7 {
            if self.week.day(day).len() > MOST_SPANS {
                return Err(InvalidHours::TooMany);
            }
            day = day.next();
        }
        Ok(())
    }

    /// Returns whether the business is open at `at`.
    pub fn are_open(&self, at: OffsetDateTime) -> bool {
        let Some(local) = self.zone.local(at) else { return false };
        let minute = u16::try_from(local.hour()).unwrap_or_default() * 60
            + u16::try_from(local.minute()).unwrap_or_default();
        let today = local.weekday();
        self.week.day(today).iter().any(|span| span.holds(minute))
            || self.week.day(today.previous()).iter().any(|span| span.still_holds(minute))
    }

    /// Returns when the next hours after `at` begin, as the clock there shows it; `None` if the week has no
    /// hours.
    pub fn open_at(&self, at: OffsetDateTime) -> Option<OffsetDateTime> {
        let mut day = self.zone.local(at)?.date();
        // The rest of today, and the seven days after it.
        for _ in 0..8 {
            let spans = self.week.day(day.weekday()).iter().filter(|span| span.0.0 < DAY);
            let begins = spans.filter_map(|span| {
                let (hour, minute) = (i8::try_from(span.0.0 / 60).ok()?, i8::try_from(span.0.0 % 60).ok()?);
                let begun =
                    self.zone.zone.to_ambiguous_zoned(day.at(hour, minute, 0, 0)).compatible().ok()?;
                OffsetDateTime::from_unix_timestamp(begun.timestamp().as_second()).ok()
            });
            if let Some(next) = begins.filter(|begun| *begun > at).min() {
                return Some(self.zone.told(next));
            }
            day = day.tomorrow().ok()?;
        }
        None
    }
}

/// Daily hours in which nobody is to be disturbed, by a clock in `zone`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuietHours {
    pub zone: Zone,
    pub hours: Span,
}

impl QuietHours {
    /// Returns whether the hours never end.
    pub const fn are_all_day(&self) -> bool {
        self.hours.0.0 == 0 && self.hours.1.0 >= DAY
    }

    /// Returns when the quiet hours that hold at `at` end; `None` if none hold.
    pub fn until(&self, at: OffsetDateTime) -> Option<OffsetDateTime> {
        let local = self.zone.local(at)?;
        let minute = u16::try_from(local.hour()).unwrap_or_default() * 60
            + u16::try_from(local.minute()).unwrap_or_default();
        let end = self.hours.1.0;
        let is_tomorrow = match (self.hours.still_holds(minute), self.hours.holds(minute)) {
            (true, _) => false,
            (false, true) => self.hours.goes_into_the_next_day() || end >= DAY,
            (false, false) => return None,
        };
        let day = if is_tomorrow { local.date().tomorrow().ok()? } else { local.date() };
        let (hour, minute) = (i8::try_from(end % DAY / 60).ok()?, i8::try_from(end % 60).ok()?);
        // Where the clock shows the end twice, quiet hours last until the second: the first may be over.
        let ended = self.zone.zone.to_ambiguous_zoned(day.at(hour, minute, 0, 0)).later().ok()?;
        OffsetDateTime::from_unix_timestamp(ended.timestamp().as_second()).ok()
    }
}

#[cfg(test)]
mod tests;
