//! Opening hours and quiet hours of a business.

use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::zone::{DAY, InvalidZone, Zone, minute_of_day};

const MOST_SPANS: usize = 10;

/// Error in opening hours; the text says what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHours {
    #[error(transparent)]
    Zone(#[from] InvalidZone),
    #[error("`{0}` is no time of day from 00:00 to 24:00")]
    Time(String),
    #[error("hours that begin and end at the same time are no hours")]
    Empty,
    #[error("a day has at most {MOST_SPANS} spans of hours")]
    TooMany,
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
                let begun = self.zone.ambiguous(day.at(hour, minute, 0, 0)).compatible().ok()?;
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
        let ended = self.zone.ambiguous(day.at(hour, minute, 0, 0)).later().ok()?;
        OffsetDateTime::from_unix_timestamp(ended.timestamp().as_second()).ok()
    }
}

#[cfg(test)]
mod tests;
