//! Zones by their names: reading one, telling what was likely meant, and what a clock there shows.

use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};
use time::{OffsetDateTime, UtcOffset};

use super::Zone;

/// The clocks of new workspaces are there.
const FIRST: &str = "Asia/Baghdad";
/// At most so many characters are compared with the names that there are.
const LONGEST_NAME: usize = 64;

/// The text is no zone's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{written}` is no time zone's name; the nearest is {nearest}")]
pub struct UnknownZone {
    written: String,
    /// It is the name that is most like it.
    pub nearest: String,
}

impl Default for Zone {
    /// Returns Baghdad's.
    fn default() -> Self {
        let zone = TimeZoneDatabase::bundled().get(FIRST).unwrap_or(TimeZone::UTC);
        Self { name: FIRST.to_owned(), zone }
    }
}

impl std::fmt::Display for Zone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Zone {
    /// Reads a name of the IANA's database in any case, and no offset: a place whose clock changes keeps its zone.
    ///
    /// # Errors
    /// [`UnknownZone`], with the name that is most like it.
    pub fn named(written: &str) -> Result<Self, UnknownZone> {
        let written = written.trim();
        let found = TimeZoneDatabase::bundled().get(written).ok();
        let name = found.as_ref().and_then(TimeZone::iana_name).map(str::to_owned);
        match (found, name) {
            (Some(zone), Some(name)) => Ok(Self { name, zone }),
            _ => Err(UnknownZone {
                written: written.chars().take(LONGEST_NAME).collect(),
                nearest: nearest(written),
            }),
        }
    }

    /// Lists every name, in their order.
    pub fn names() -> Vec<String> {
        let mut names: Vec<String> =
            TimeZoneDatabase::bundled().available().map(|name| name.as_str().to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the same moment as a clock there shows it.
    pub fn told(&self, at: OffsetDateTime) -> OffsetDateTime {
        let offset = Timestamp::from_second(at.unix_timestamp())
            .map_or(0, |moment| self.zone.to_offset(moment).seconds());
        let there = UtcOffset::from_whole_seconds(offset).unwrap_or(UtcOffset::UTC);
        at.checked_to_offset(there).unwrap_or(at)
    }
}

/// Returns the name that is most like what was written: a city alone counts as much as the whole name.
fn nearest(written: &str) -> String {
    let folded = |text: &str| -> String {
        text.chars().take(LONGEST_NAME).map(|c| if c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect()
    };
    let written = folded(written);
    let distance = |name: &String| {
        let name = folded(name);
        let city = name.rsplit('/').next().map_or(usize::MAX, |city| edits(city, &written));
        // Of two that are as near, the one that is named whole.
        (edits(&name, &written).min(city), name.len())
    };
    Zone::names().into_iter().min_by_key(distance).unwrap_or_else(|| FIRST.to_owned())
}

/// Says how many characters have to be put in, left out or replaced to make one text of the other.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, c) in one.chars().enumerate() {
        let mut corner = line;
        let mut left = line + 1;
        let mut next = vec![left];
        for (above, wanted) in row.iter().skip(1).zip(&other) {
            left = (corner + usize::from(c != *wanted)).min(above + 1).min(left + 1);
            corner = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{Zone, edits};

    #[test]
    fn a_zone_is_read_in_any_case_and_what_is_none_is_told_the_nearest() {
        for (written, wanted) in [
            ("Asia/Baghdad", "Asia/Baghdad"),
            (" asia/baghdad ", "Asia/Baghdad"),
            ("europe/berlin", "Europe/Berlin"),
            ("UTC", "UTC"),
        ] {
            assert_eq!(Zone::named(written).unwrap().name(), wanted, "{written}");
        }
        for (written, nearest) in [
            ("Baghdad", "Asia/Baghdad"),
            ("Asia/Bagdad", "Asia/Baghdad"),
            ("new york", "America/New_York"),
            ("Amman", "Asia/Amman"),
        ] {
            assert_eq!(Zone::named(written).unwrap_err().nearest, nearest, "{written}");
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

    #[test]
    fn edits_are_counted_by_characters() {
        for (one, other, wanted) in
            [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("بغداد", "بغدد", 1)]
        {
            assert_eq!(edits(one, other), wanted, "{one} {other}");
            assert_eq!(edits(other, one), wanted, "{other} {one}");
        }
    }
}
