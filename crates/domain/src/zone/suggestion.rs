//! Suggestion of the zone that was likely meant by a text that is no zone's name. A zone is never suggested
//! if its clock shows another time than the text asks for.

use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};

use super::names::names;
use crate::{
    phone::Region,
    text::{fold_for_search, latin_digits},
};

/// Largest offset of a zone, in hours.
const FURTHEST: i32 = 14;
/// Letters of a text for each wrong letter that is allowed, so that `Asia` is not taken for `Apia`.
const LETTERS_A_SLIP: usize = 5;
/// Shortest text that is compared with names, in characters.
const SHORTEST_NAME: usize = 4;
/// A moment in January and one in July, which tell summer time.
const SEASONS: [Timestamp; 2] =
    [Timestamp::constant(1_768_435_200, 0), Timestamp::constant(1_784_073_600, 0)];

/// Zones of each region, the most populous first.
const OF_REGIONS: &[(&str, &[&str])] = &[
    ("AE", &["Asia/Dubai"]),
    ("AF", &["Asia/Kabul"]),
    ("AM", &["Asia/Yerevan"]),
    ("AT", &["Europe/Vienna"]),
    ("AU", &["Australia/Sydney", "Australia/Perth", "Australia/Adelaide"]),
    ("AZ", &["Asia/Baku"]),
    ("BD", &["Asia/Dhaka"]),
    ("BE", &["Europe/Brussels"]),
    ("BG", &["Europe/Sofia"]),
    ("BH", &["Asia/Bahrain"]),
    ("BR", &["America/Sao_Paulo", "America/Manaus"]),
    (
        "CA",
        &["America/Toronto", "America/Vancouver", "America/Edmonton", "America/Winnipeg", "America/Halifax"],
    ),
    ("CH", &["Europe/Zurich"]),
    ("CN", &["Asia/Shanghai"]),
    ("CY", &["Asia/Nicosia"]),
    ("CZ", &["Europe/Prague"]),
    ("DE", &["Europe/Berlin"]),
    ("DJ", &["Africa/Djibouti"]),
    ("DK", &["Europe/Copenhagen"]),
    ("DZ", &["Africa/Algiers"]),
    ("EG", &["Africa/Cairo"]),
    ("ES", &["Europe/Madrid", "Atlantic/Canary"]),
    ("ET", &["Africa/Addis_Ababa"]),
    ("FI", &["Europe/Helsinki"]),
    ("FR", &["Europe/Paris"]),
    ("GB", &["Europe/London"]),
    ("GE", &["Asia/Tbilisi"]),
    ("GR", &["Europe/Athens"]),
    ("HU", &["Europe/Budapest"]),
    ("ID", &["Asia/Jakarta", "Asia/Makassar"]),
    ("IE", &["Europe/Dublin"]),
    ("IL", &["Asia/Jerusalem"]),
    ("IN", &["Asia/Kolkata"]),
    ("IQ", &["Asia/Baghdad"]),
    ("IR", &["Asia/Tehran"]),
    ("IT", &["Europe/Rome"]),
    ("JO", &["Asia/Amman"]),
    ("JP", &["Asia/Tokyo"]),
    ("KE", &["Africa/Nairobi"]),
    ("KR", &["Asia/Seoul"]),
    ("KW", &["Asia/Kuwait"]),
    ("LB", &["Asia/Beirut"]),
    ("LY", &["Africa/Tripoli"]),
    ("MA", &["Africa/Casablanca"]),
    ("MR", &["Africa/Nouakchott"]),
    ("MX", &["America/Mexico_City", "America/Tijuana"]),
    ("MY", &["Asia/Kuala_Lumpur"]),
    ("NG", &["Africa/Lagos"]),
    ("NL", &["Europe/Amsterdam"]),
    ("NO", &["Europe/Oslo"]),
    ("NZ", &["Pacific/Auckland"]),
    ("OM", &["Asia/Muscat"]),
    ("PK", &["Asia/Karachi"]),
    ("PL", &["Europe/Warsaw"]),
    ("PS", &["Asia/Gaza"]),
    ("PT", &["Europe/Lisbon", "Atlantic/Azores"]),
    ("QA", &["Asia/Qatar"]),
    ("RO", &["Europe/Bucharest"]),
    ("RU", &["Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Vladivostok"]),
    ("SA", &["Asia/Riyadh"]),
    ("SD", &["Africa/Khartoum"]),
    ("SE", &["Europe/Stockholm"]),
    ("SG", &["Asia/Singapore"]),
    ("SO", &["Africa/Mogadishu"]),
    ("SY", &["Asia/Damascus"]),
    ("TN", &["Africa/Tunis"]),
    ("TR", &["Europe/Istanbul"]),
    ("UA", &["Europe/Kyiv"]),
    ("US", &["America/New_York", "America/Chicago", "America/Los_Angeles", "America/Denver"]),
    ("YE", &["Asia/Aden"]),
    ("ZA", &["Africa/Johannesburg"]),
];

/// Offsets in minutes of the names that people and their computers give a time, without final words such as
/// `Standard Time`.
const NAMED: &[(&str, i32)] = &[
    ("arab", 180),
    ("arabia", 180),
    ("arabian", 240),
    ("arabic", 180),
    ("baghdad", 180),
    ("central europe", 60),
    ("central european", 60),
    ("e africa", 180),
    ("east africa", 180),
    ("eastern european", 120),
    ("egypt", 120),
    ("greenwich mean", 0),
    ("gulf", 240),
    ("iran", 210),
    ("iraq", 180),
    ("israel", 120),
    ("jordan", 180),
    ("kuwait", 180),
    ("moscow", 180),
    ("romance", 60),
    ("russian", 180),
    ("saudi", 180),
    ("syria", 180),
    ("turkey", 180),
    ("w europe", 60),
    ("west asia", 300),
    ("بغداد", 180),
    ("العراق", 180),
    ("السعودية", 180),
];

#[derive(Debug, PartialEq, Eq)]
enum Asked {
    /// An offset from UTC in minutes.
    Offset(i32),
    /// A name, perhaps misspelled.
    Name,
    /// Digits without a certain meaning.
    Unclear,
}

/// Returns the name of the zone that somebody in `region` means.
pub(super) fn suggest(written: &str, region: Region) -> Option<String> {
    let written = latin_digits(written).to_lowercase().replace('\u{2212}', "-");
    let offset = match asked(&written) {
        Asked::Unclear => return None,
        Asked::Offset(minutes) => minutes,
        Asked::Name => match named(&written) {
            Some(minutes) => minutes,
            None => return nearest(&written),
        },
    };
    let shows = |name: &str| standard_offset(name) == Some(offset);
    // As in `(UTC+03:00) Baghdad`.
    let words = plain(&written);
    let is_named = |name: &String| {
        let city = plain(city(name));
        city.len() >= SHORTEST_NAME && words.contains(&city) && is_place(name) && shows(name)
    };
    let of_region = || {
        let (_, zones) = OF_REGIONS.iter().find(|(code, _)| *code == region.as_str())?;
        zones.iter().find(|name| shows(name)).map(|name| (*name).to_owned())
    };
    names().into_iter().find(is_named).or_else(of_region)
}

/// Parses the offset of `+3`, `UTC+03:00`, `gmt 3`, `+0330` and the like.
fn asked(written: &str) -> Asked {
    let Some(first) = written.find(|c: char| c.is_ascii_digit()) else { return Asked::Name };
    let (before, digits) = written.split_at(first);
    let before = before.trim_end();
    let (sign, name) = match (before.strip_suffix('+'), before.strip_suffix('-')) {
        (Some(name), _) => (1, name),
        (_, Some(name)) => (-1, name),
        (None, None) => (1, before),
    };
    let signed = name.len() < before.len();
    let greenwich = ["utc", "gmt"].iter().any(|word| name.trim_end().ends_with(word));
    // Letters that touch the sign, as in `AST-3` and `Etc/GMT-3`, may give it the opposite meaning.
    let touched = name.ends_with(|c: char| c.is_alphanumeric()) && !greenwich;
    if name.contains('/') || touched || !signed && !greenwich {
        return Asked::Unclear;
    }
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(digits.len());
    let (digits, after) = digits.split_at(end);
    if after.contains(|c: char| c.is_ascii_digit()) {
        return Asked::Unclear;
    }
    minutes(digits).map_or(Asked::Unclear, |minutes| Asked::Offset(sign * minutes))
}

/// Parses `3`, `03`, `0330`, `03:30` or `3.5` to minutes.
fn minutes(digits: &str) -> Option<i32> {
    let number = |text: &str| text.parse::<i32>().ok();
    let (hours, minutes) = match (digits.split_once(':'), digits.split_once('.')) {
        (Some((hours, minutes)), _) => (number(hours)?, number(minutes.split(':').next()?)?),
        (None, Some((hours, tenths))) => {
            let parts = match tenths {
                "0" | "00" => 0,
                "5" | "50" => 30,
                "75" => 45,
                _ => return None,
            };
            (number(hours)?, parts)
        }
        (None, None) if digits.len() <= 2 => (number(digits)?, 0),
        (None, None) => (number(digits)? / 100, number(digits)? % 100),
    };
    (hours <= FURTHEST && minutes < 60).then(|| hours * 60 + minutes)
}

/// Returns the offset of a time's name, such as `Arabia Standard Time`.
fn named(written: &str) -> Option<i32> {
    let words = plain(written);
    let ends = [" standard time", " daylight time", " time"];
    let stem = ends.iter().find_map(|end| words.strip_suffix(end)).unwrap_or(&words);
    NAMED.iter().find(|(name, _)| fold_for_search(name) == stem).map(|(_, minutes)| *minutes)
}

/// Returns the name of the place that is most like the text, if one is like it; a city alone counts as much
/// as the whole.
fn nearest(written: &str) -> Option<String> {
    let written = plain(written);
    let length = written.chars().count();
    if length < SHORTEST_NAME {
        return None;
    }
    let distance = |name: &String| {
        let slips = |name: &str| strsim::levenshtein(&plain(name), &written);
        // Of two that are as near, the shorter name.
        (slips(name).min(slips(city(name))), name.len())
    };
    let nearest = names().into_iter().filter(|name| is_place(name)).min_by_key(distance)?;
    (distance(&nearest).0 * LETTERS_A_SLIP <= length).then_some(nearest)
}

/// Returns whether the zone is named for a place, and not for an offset, whose sign is reversed in
/// `Etc/GMT+3`.
fn is_place(name: &str) -> bool {
    name.contains('/') && !name.starts_with("Etc/") && !name.contains(|c: char| c.is_ascii_digit())
}

fn city(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns the words alone, folded for search.
fn plain(text: &str) -> String {
    fold_for_search(&text.replace(['_', '-', '.', ',', '(', ')'], " "))
}

/// Returns the minutes that a zone's clock is ahead of UTC when it shows no summer time.
fn standard_offset(name: &str) -> Option<i32> {
    let zone: TimeZone = TimeZoneDatabase::bundled().get(name).ok()?;
    SEASONS.iter().map(|moment| zone.to_offset(*moment).seconds() / 60).min()
}

#[cfg(test)]
mod tests {
    use super::{OF_REGIONS, standard_offset, suggest};
    use crate::phone::Region;

    fn suggested(written: &str, region: &str) -> Option<String> {
        suggest(written, region.parse::<Region>().unwrap())
    }

    #[test]
    fn an_offset_is_the_zone_of_the_region_that_has_it() {
        for written in [
            "GMT+3",
            "gmt +3",
            "UTC+3",
            "UTC+03:00",
            "UTC 3",
            "GMT3",
            "+3",
            "+03",
            "+03:00",
            "+0300",
            "٣+",
            "+٣",
            "(UTC+03:00) Baghdad",
            "(UTC+03:00) Kuwait, Riyadh",
            "Baghdad (GMT+3)",
            "Arabia Standard Time",
            "Arabic Standard Time",
            "arab standard time",
            "Iraq",
            "بغداد",
        ] {
            let told = suggested(written, "IQ");
            let fits = match written {
                // A digit before its sign has no certain meaning.
                "٣+" => told.is_none(),
                "(UTC+03:00) Kuwait, Riyadh" => told.as_deref() == Some("Asia/Kuwait"),
                _ => told.as_deref() == Some("Asia/Baghdad"),
            };
            assert!(fits, "{written}: {told:?}");
        }
        for (written, region, zone) in [
            ("GMT+3", "SA", Some("Asia/Riyadh")),
            ("+3", "KW", Some("Asia/Kuwait")),
            ("UTC+4", "AE", Some("Asia/Dubai")),
            ("UTC+3:30", "IR", Some("Asia/Tehran")),
            ("GMT+3.5", "IR", Some("Asia/Tehran")),
            ("UTC+1", "DE", Some("Europe/Berlin")),
            ("UTC-8", "US", Some("America/Los_Angeles")),
            ("UTC\u{2212}5", "US", Some("America/New_York")),
            // No zone of the region has it.
            ("GMT-3", "IQ", None),
            ("GMT+4", "IQ", None),
            ("UTC+2", "DE", None),
            ("Arabian Standard Time", "IQ", None),
            ("Arabian Standard Time", "OM", Some("Asia/Muscat")),
            // The sign has no certain meaning.
            ("AST-3", "IQ", None),
            ("Etc/GMT+03", "IQ", None),
            ("+99", "IQ", None),
            ("3", "IQ", None),
            ("+3 +4", "IQ", None),
        ] {
            assert_eq!(suggested(written, region).as_deref(), zone, "{written} {region}");
        }
    }

    #[test]
    fn a_slip_in_a_name_is_the_place_that_is_near_and_what_is_near_none_is_none() {
        for (written, zone) in [
            ("Baghdad", Some("Asia/Baghdad")),
            ("Bagdad", Some("Asia/Baghdad")),
            ("Asia/Bagdad", Some("Asia/Baghdad")),
            ("new york", Some("America/New_York")),
            ("Amman", Some("Asia/Amman")),
            ("Kuweit", Some("Asia/Kuwait")),
            ("", None),
            ("AST", None),
            ("BST", None),
            ("my clock", None),
            ("Asia", None),
            ("Etc/GMT+O", None),
        ] {
            assert_eq!(suggested(written, "IQ").as_deref(), zone, "{written}");
        }
    }

    #[test]
    fn every_region_and_zone_of_the_table_is_one() {
        for (region, zones) in OF_REGIONS {
            assert!(region.parse::<Region>().is_ok(), "{region}");
            for zone in *zones {
                assert!(standard_offset(zone).is_some(), "{zone}");
            }
        }
    }
}
